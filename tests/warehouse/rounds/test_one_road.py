"""Every round judged again from the lake is what the bulk run judged, in every field, whatever its sources lack."""

from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest

from pipelines.commands.simulate import NatureOptions
from pipelines.judge import step as bulk
from pipelines.judge.day import JudgedDay
from replay import cards, narrative, ops, situations
from replay.audit import Judged
from replay.engine import layout as L
from tests.books import IDS
from tests.pipelines import zones
from tests.pipelines.lakes import audited
from tests.some import some
from warehouse import rounds
from warehouse.lake import Lake
from warehouse.rounds import Place, Retold

SETTLED = (
    *("seat", "bettor", "for_bettor", "patron", "kind", "hand", "stake_cents", "expected_paid_cents"),
    *("expected_taken_cents", "actual_paid_cents", "actual_taken_cents", "variance_cents", "reason", "odds", "verdict"),
)
FOUND = (
    *("code", "severity", "shoe", "seat", "bettor", "kind", "hand", "variance_cents", "handling", "certainty"),
    "message",
)
# Findings from the comparison of sources; the engine knows of none.
COMPARED = ("evidence.", "deal.wrong-box", "deal.unwagered-box", "deal.hole-card-exposed")
ZONES = {L.TO_DEALER: "dealer", L.REMOVED: "discard", L.BURNED: "burn"}

Row = tuple[Any, ...]


class Floor(NamedTuple):
    """A lake, what it says, and what the bulk run judged on its way there."""

    lake: Lake
    rows: dict[str, dict[str, list[dict[str, Any]]]]  # by dataset and round
    judged: dict[tuple[str, date], JudgedDay]

    def of(self, dataset: str, place: Place) -> list[dict[str, Any]]:
        return self.rows[dataset].get(place.round_id, [])


# By floor: clocks and how often a misdeal is logged by nobody.
NATURES = {
    "outages": NatureOptions(),
    "misdeals": NatureOptions(clocks="step", misdeals="unlogged:0.2"),
    "hostile": NatureOptions(clocks="hostile", habits=True, misdeals="unlogged:0.1"),
}


@pytest.fixture(scope="module", params=NATURES)
def floor(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Floor:
    """Tables of every rulebook, with many irregular rounds and a camera, in one of the floors above."""
    folder, is_damaged = tmp_path_factory.mktemp("road"), request.param == "outages"
    tables, rounds_, days, rate = (10, 15, 2, 0.8) if is_damaged else (5, 60, 1, 0.1)
    zone = zones.made(
        folder / "zone",
        tables=tables,
        rounds=rounds_,
        days=days,
        irregularities=rate,
        camera=is_damaged,
        seed=5,
        nature=NATURES[request.param],
    )
    for day in (path for path in zone.iterdir() if path.is_dir() and is_damaged):
        for number, table in enumerate(sorted(day.iterdir())):
            damage(table, number)
    return audit(zone, folder)


def audit(zone: Path, folder: Path) -> Floor:
    """Audit a landing zone, and keep what the bulk run judged."""
    judged = {}

    def recorded(*given: Any) -> JudgedDay:
        day = JudgedDay(*given)
        judged[day.table_id, day.day] = day
        return day

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUDIT21_KEY", str(folder / "key.pem"))
        patch.setattr(bulk, "JudgedDay", recorded)
        lake = audited(zone, folder / "lake")
    names = ("rounds", "settlements", "findings", "hands", "cards", "stories")
    return Floor(lake, {name: by_round(lake, name) for name in names}, judged)


def damage(table: Path, number: int) -> None:
    """Take away a part of a table's evidence."""
    shoe, camera, terminal = (table / f"{name}.ndjson" for name in ("shoe", "camera", "terminal"))
    lines = shoe.read_text().splitlines(keepends=True)
    third = len(lines) // 3
    if number < 2:
        shoe.unlink()
    elif number < 5:  # an outage
        shoe.write_text("".join(lines[:third] + lines[2 * third :]))
    elif number < 7:  # single lines are lost
        shoe.write_text("".join(line for n, line in enumerate(lines) if n % 40 != 20))
    elif number == 8:
        kept = terminal.read_text().splitlines(keepends=True)
        terminal.write_text("".join(line for n, line in enumerate(kept) if n % 90 != 70))
    if number in (1, 4, 6, 7):
        camera.unlink()


def by_round(lake: Lake, dataset: str) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in lake.read(dataset).to_dicts():
        found.setdefault(row["round_id"], []).append(row)
    return found


def test_the_floor_has_all_that_can_happen(floor: Floor, request: pytest.FixtureRequest) -> None:
    if "outages" not in request.node.callspec.id:
        check_inferred(floor)
        return
    played = floor.lake.read("rounds")
    assert set(played["rulebook"]) == set(IDS)
    assert set(played["cards_from"]) == {"shoe", "camera", None}
    assert set(played["evidence"]) == {"terminal", "terminal+shoe", "terminal+camera", "terminal+shoe+camera"}
    assert floor.lake.read("findings")["code"].n_unique() > 40
    replaced = floor.lake.read("events").filter(pl.col("place").is_null())
    assert set(replaced["type"]) == {"draw"} and set(replaced["round_id"]) == {None}


def check_inferred(floor: Floor) -> None:
    told = floor.lake.read("stories")
    assert told.filter(rank=1)["code"].n_unique() > 3 and told.filter(pl.col("rank") > 1)["code"].n_unique() > 3
    found = floor.lake.read("findings")
    assert {"inferred"} < set(found["evidence"]) and not found.filter(code="evidence.ambiguous").is_empty()
    undetermined = floor.lake.read("settlements").filter(verdict="undetermined")["round_id"]
    assert set(undetermined) & set(told["round_id"])
    assert not floor.lake.read("clocks").filter(piece=2).is_empty()


def test_places_are_those_of_the_bulk_run(floor: Floor) -> None:
    keys = ("table", "gaming_day", "source", "device", "seq")
    drawn = floor.lake.read("events").filter(type="draw").select(*keys, "place", "shoe", "n", "round_id")
    of_shoe = floor.lake.read("cards").filter(source="shoe")
    both = of_shoe.join(drawn.drop_nulls("place"), on=["table", "gaming_day", "place"])
    assert len(both) == len(of_shoe) > 0
    assert both["n"].equals(both["n_right"]) and both["shoe"].equals(both["shoe_right"])


def test_the_verdicts_of_a_day_are_those_of_the_bulk_run(floor: Floor) -> None:
    firsts = {(row["table"], row["gaming_day"]): row["round_id"] for (row,) in floor.rows["rounds"].values()}
    assert firsts.keys() == floor.judged.keys()
    for key, round_id in firsts.items():
        found, wanted = rounds.retell(rounds.find(floor.lake.path, round_id)).audit, floor.judged[key]
        ours, theirs = found.encoded, wanted.encoded
        for name in ("rounds", "patrons", "shoes", "sets", "dealers"):
            assert getattr(ours, name) == getattr(theirs, name), (key, name)
        for one, other in zip((*ours.tape, *ours.table), (*theirs.tape, *theirs.table), strict=True):
            np.testing.assert_array_equal(one, other, str(key))
        np.testing.assert_array_equal(ours.offsets, theirs.offsets)
        np.testing.assert_array_equal(ours.table_ms, theirs.table_ms)
        np.testing.assert_array_equal(ours.source, wanted.place[theirs.source] - 1)
        np.testing.assert_array_equal(ours.table_source, wanted.place[theirs.table_source] - 1)
        for name in ("settlements", "findings", "hands", "rounds", "zones"):
            np.testing.assert_array_equal(
                getattr(found.verdicts, name), getattr(wanted.judged.verdicts, name), f"{key} {name}"
            )
        np.testing.assert_array_equal(shares(found), shares(wanted.judged))
        np.testing.assert_array_equal(found.around, wanted.judged.around)
        assert (found.drifts, found.carry) == (wanted.judged.drifts, wanted.judged.carry), key


def test_every_round_is_published_as_it_is_judged_again(floor: Floor) -> None:
    for round_id, (row,) in some(floor.rows["rounds"].items()):
        place = rounds.find(floor.lake.path, round_id)
        retold = rounds.retell(place)
        account = narrative.account(retold.audit, place.name)
        assert settlements(retold) == Counter(
            picked(each, *SETTLED, "clause") for each in floor.of("settlements", place)
        )
        assert hands(retold, account) == [picked(each, *HAND) for each in floor.of("hands", place)], round_id
        assert drawn(retold, place) == [picked(each, *CARD) for each in floor.of("cards", place)], round_id
        dealt = (list(account.dealer.cards), account.dealer.total if account.dealer.cards else None)
        assert dealt == (row["dealer_cards"], row["dealer_total"]), round_id
        assert (account.void, account.void_logged) == (row["void"], row["void_logged"]), round_id
        published = Counter(
            picked(each, *FOUND, "clause", "at", "event_path", "event_line") for each in floor.of("findings", place)
        )
        judged = findings(retold, place, row["evidence"])
        assert judged <= published, round_id
        assert all(str(code).startswith(COMPARED) for code, *_ in published - judged), round_id


def test_every_story_can_be_told_again(floor: Floor) -> None:
    for round_id, stories in floor.rows["stories"].items():
        place = rounds.find(floor.lake.path, round_id)
        for story in stories:
            retold = rounds.retell(place, story["rank"])
            left = [each for each in retold.audit.findings if each.round == place.name]
            found, leaves = Counter(f"{each.code}: {each.message}" for each in left), Counter(story["leaves"])
            assert leaves <= found, round_id
            # A shoe's own findings hold whatever happened in the round.
            assert all(each.startswith("shoe.") for each in found - leaves), round_id
            settled = sum(each.variance_cents for each in retold.audit.settlements)
            assert settled == story["variance_cents"], round_id
            steps = narrative.account(retold.audit, place.name).steps
            events = [retold.audit.encoded.events[step.event] for step in steps if retold.line(step.event) is None]
            assert [event["code"] for event in events if event["type"] == "irregularity"] == story["deviations"]
        with pytest.raises(rounds.RoundError, match=rf"no explanation 9; there are 1 to {len(stories)}"):
            rounds.retell(place, 9)
    certain = next(round_id for round_id in floor.rows["rounds"] if round_id not in floor.rows["stories"])
    with pytest.raises(rounds.RoundError, match="it did not have to be inferred"):
        rounds.retell(rounds.find(floor.lake.path, certain), 1)


def shares(judged: Judged) -> np.ndarray:
    """By finding: its certainty."""
    return np.ones(len(judged.verdicts.findings)) if judged.certainty is None else judged.certainty


HAND = ("seat", "hand", "cards", "total", "soft", "outcome")
CARD = ("place", "card", "zone", "position")


def picked(row: dict[str, Any], *names: str) -> Row:
    return tuple(row[name] for name in names)


def cited(retold: Retold, clause: str) -> str | None:
    return f"{retold.audit.table.book.id} {clause}" if clause else None


def settlements(retold: Retold) -> Counter[Row]:
    settled = retold.audit.settlements
    return Counter((*(getattr(each, name) for name in SETTLED), cited(retold, each.clause)) for each in settled)


def findings(retold: Retold, place: Place, evidence: str) -> Counter[Row]:
    """The round's findings; what only the shoe shows is not published without it."""
    found: Counter[Row] = Counter()
    for each in retold.audit.findings:
        if each.round == place.name and ("shoe" in evidence or each.code != "shoe.burn-missed"):
            assert each.event is not None
            row = retold.lines.rows.row(int(retold.lines.order[each.event]), named=True)
            at = (row["corrected"], row["path"], row["line"])
            found[(*(getattr(each, name) for name in FOUND), each.clause and str(each.clause), *at)] += 1
    return found


def hands(retold: Retold, account: narrative.RoundAccount) -> list[Row]:
    number = retold.audit.encoded.rounds.index(account.round)
    rows = [row for row in retold.audit.verdicts.hands if row[L.O_ROUND] == number]
    outcomes = {
        (row[L.O_SEAT], row[L.O_HAND]): situations.NAMES[row[L.O_OUTCOME]] for row in rows if row[L.O_OUTCOME] >= 0
    }
    return [
        (
            *(hand.seat, hand.hand, list(hand.cards)),
            *((hand.total, hand.soft) if hand.cards else (None, None)),
            outcomes.get((hand.seat, hand.hand)),
        )
        for hand in account.hands
    ]


def drawn(retold: Retold, place: Place) -> list[Row]:
    """The round's cards by place, with where they went."""
    encoded, zoned = retold.audit.encoded, retold.audit.verdicts.zones
    number = encoded.rounds.index(place.name)
    found = []
    for row in range(*encoded.offsets[number : number + 2].tolist()):
        if encoded.tape.op[row] == ops.DRAW:
            role, seat, hand, position = zoned[row].tolist()
            zone = f"seat{seat}.hand{hand}" if role == L.TO_BOX else ZONES.get(role)
            card = cards.NAMES[encoded.tape.card[row]] if encoded.tape.card[row] else None
            found.append((int(encoded.source[row]) + 1, card, zone, position or None))
    return sorted(found)
