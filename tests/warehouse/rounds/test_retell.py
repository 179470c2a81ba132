"""A round told again from the lake's rows says what was published, whatever sources its table had."""

from pathlib import Path

import polars as pl
import pytest

import warehouse
from replay import narrative
from tests.pipelines import zones
from tests.pipelines.lakes import audited
from tests.some import some
from warehouse import rounds
from warehouse.lake import Lake, LakeError
from warehouse.rounds import order


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """Five rulebooks with irregular rounds and cameras; of one table's shoe nothing came, of another's neither."""
    folder = tmp_path_factory.mktemp("retold")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUDIT21_KEY", str(folder / "key.pem"))
        zone = zones.made(folder / "zone", tables=5, rounds=30, irregularities=0.3, camera=True, seed=8)
        tables = sorted(path for path in (zone / "2026-01-05").iterdir() if path.is_dir())
        (tables[0] / "shoe.ndjson").unlink()
        (tables[1] / "shoe.ndjson").unlink()
        (tables[1] / "camera.ndjson").unlink()
        return audited(zone, folder / "lake")


def test_steps_come_in_the_order_in_which_they_happened(lake: Lake) -> None:
    whole = lake.read("rounds").filter(evidence="terminal+shoe+camera")["round_id"]
    for round_id in some(whole[::7]):
        place = rounds.find(lake.path, round_id)
        retold = rounds.retell(place)
        account = narrative.account(retold.audit, place.name)
        times = [str(step.time) for step in account.steps]
        assert times == sorted(times)
        dealt = [step.number for step in account.steps if step.card]
        settled = [step.number for step in account.steps if step.turn == "settlement"]
        assert not settled or min(dealt) < min(settled)


def test_every_step_has_the_line_that_tells_of_it(lake: Lake) -> None:
    names = ("source", "type", "card", "n", "cents", "paid_cents")
    for round_id in some(lake.read("rounds")["round_id"][::11]):
        place = rounds.find(lake.path, round_id)
        retold = rounds.retell(place)
        for step in narrative.account(retold.audit, place.name).steps:
            event, line = retold.audit.encoded.events[step.event], retold.line(step.event)
            if line is None:
                assert event["source"] == "camera"
            else:
                line["card"] = line["card"] or line["missed_card"]
                assert [line[name] for name in names] == [event.get(name) for name in names]


def test_a_lake_opened_in_a_script_is_one_snapshot(lake: Lake) -> None:
    opened = warehouse.open(lake.path)
    assert repr(opened) == f"<lake {lake.path}, snapshot 1, 2026-01-05 to 2026-01-05>"
    found = opened.findings(day="2026-01-05").filter(code="settlement.overpaid").collect()
    assert len(found)
    of_table = opened.settlements(day=opened.days[0], table=found["table"][0]).collect()
    assert of_table["table"].unique().to_list() == [found["table"][0]]
    assert "sightings" in dir(opened)
    with pytest.raises(AttributeError, match="no dataset rumours; there are events"):
        opened.rumours()
    with pytest.raises(LakeError, match="2026-01-06 is not in the lake; there are 2026-01-05 to 2026-01-05"):
        opened.findings(day="2026-01-06")


def test_a_round_of_an_opened_lake_tells_itself(lake: Lake) -> None:
    opened = warehouse.open(lake.path)
    finding = opened.findings().filter(code="settlement.overpaid").collect().row(0, named=True)
    played = opened.round(finding["round_id"])
    assert played.rows("rounds")["round_id"].to_list() == [finding["round_id"]]
    told = played.explain()
    assert finding["message"] in str(told)
    assert finding["message"].replace("'", "&#39;") in played._repr_html_()
    with pytest.raises(rounds.RoundError, match="has no round nobody"):
        opened.round(f"{finding['table']}/2026-01-05/nobody")


@pytest.mark.parametrize("size", [0, 3, 400])
def test_a_torn_part_is_named(lake: Lake, size: int) -> None:
    place = rounds.find(lake.path, lake.read("rounds")["round_id"][0])
    [part] = lake.files("hands", lake.snapshot())
    whole = Path(part).read_bytes()
    Path(part).write_bytes(whole[:size])
    try:
        with pytest.raises(LakeError, match="hands: a part is damaged; run audit21 verify"):
            place.of_round("hands")
    finally:
        Path(part).write_bytes(whole)


def test_an_order_with_a_gap_is_refused(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    place = rounds.find(lake.path, lake.read("rounds")["round_id"][0])
    stored = place.rows("events")
    monkeypatch.setattr(rounds.Place, "rows", lambda *_: stored.filter(pl.col("place") != 7))
    with pytest.raises(rounds.RoundError, match=r"places 1 to \d+ expected in the order of events, others found"):
        order.stored_lines(place, has_camera_cards=False)


def test_a_round_by_the_camera_has_no_ordinals(lake: Lake) -> None:
    by_camera = lake.read("rounds").filter(evidence="terminal+camera")["round_id"][0]
    place = rounds.find(lake.path, by_camera)
    audit = rounds.retell(place).audit
    drawn = [event for event in audit.encoded.events if event["type"] == "draw" and event["source"] == "camera"]
    assert drawn and all("n" not in event for event in drawn)


@pytest.mark.parametrize("wrong", ["", "P21", "P21/2026-01-05", "P21/yesterday/3", "/2026-01-05/3"])
def test_what_is_no_round_id_is_refused(lake: Lake, wrong: str) -> None:
    with pytest.raises(rounds.RoundError, match="expected <table>/<gaming_day>/<round>"):
        rounds.find(lake.path, wrong)


def test_the_lake_may_lie_anywhere(lake: Lake, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    moved.symlink_to(lake.path)
    some = lake.read("rounds")["round_id"][0]
    assert rounds.retell(rounds.find(moved, some)).audit.settlements
