"""Every round judged again from the lake is what the bulk run judged, in every field, whatever its sources lack."""

from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest

from pipelines import table as bulk
from pipelines.judge.day import JudgedDay
from replay import cards, narrative, ops, slots
from replay.engine import layout as L
from replay.rulebook import IDS
from tests.pipelines import zones
from tests.pipelines.lakes import audited
from warehouse import rounds
from warehouse.lake import Lake
from warehouse.rounds import Place, Retold

SETTLED = (
    *("seat", "bettor", "for_bettor", "patron", "kind", "hand", "stake_cents", "expected_paid_cents"),
    *("expected_taken_cents", "actual_paid_cents", "actual_taken_cents", "variance_cents", "reason", "odds", "verdict"),
)
FOUND = ("code", "severity", "shoe", "seat", "bettor", "kind", "hand", "variance_cents", "handling", "message")
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


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Floor:
    """Two tables of every rulebook on two days, with many irregular rounds and shoes that were silent."""
    folder = tmp_path_factory.mktemp("road")
    zone = zones.made(folder / "zone", tables=10, rounds=15, days=2, irregularities=0.8, camera=True, seed=5)
    for day in (path for path in zone.iterdir() if path.is_dir()):
        for number, table in enumerate(sorted(day.iterdir())):
            damage(table, number)
    judged = {}

    def recorded(*given: Any) -> JudgedDay:
        day = JudgedDay(*given)
        judged[day.table_id, day.day] = day
        return day

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUDIT21_KEY", str(folder / "key.pem"))
        patch.setattr(bulk, "JudgedDay", recorded)
        lake = audited(zone, folder / "lake")
    names = ("rounds", "settlements", "findings", "hands", "cards")
    return Floor(lake, {name: by_round(lake, name) for name in names}, judged)


def damage(table: Path, number: int) -> None:
    """Take away a part of a table's evidence."""
    shoe, camera = table / "shoe.ndjson", table / "camera.ndjson"
    lines = shoe.read_text().splitlines(keepends=True)
    third = len(lines) // 3
    if number < 2:
        shoe.unlink()
    elif number < 5:  # an outage
        shoe.write_text("".join(lines[:third] + lines[2 * third :]))
    elif number < 7:  # single lines are lost
        shoe.write_text("".join(line for n, line in enumerate(lines) if n % 40 != 20))
    if number in (1, 4, 6, 7):
        camera.unlink()


def by_round(lake: Lake, dataset: str) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in lake.read(dataset).to_dicts():
        found.setdefault(row["round_id"], []).append(row)
    return found


def test_the_floor_has_all_that_can_happen(floor: Floor) -> None:
    played = floor.lake.read("rounds")
    assert set(played["rulebook"]) == set(IDS)
    assert set(played["cards_from"]) == {"shoe", "camera", None}
    assert set(played["evidence"]) == {"terminal", "terminal+shoe", "terminal+camera", "terminal+shoe+camera"}
    assert floor.lake.read("findings")["code"].n_unique() > 40
    replaced = floor.lake.read("events").filter(pl.col("place").is_null())
    assert set(replaced["type"]) == {"draw"} and set(replaced["round_id"]) == {None}


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
        np.testing.assert_array_equal(ours.source, wanted.place[theirs.source] - 1)
        np.testing.assert_array_equal(ours.table_source, wanted.place[theirs.table_source] - 1)
        for name in ("settlements", "findings", "hands", "rounds", "zones"):
            np.testing.assert_array_equal(
                getattr(found.verdicts, name), getattr(wanted.judged.verdicts, name), f"{key} {name}"
            )
        np.testing.assert_array_equal(found.around, wanted.judged.around)
        assert (found.drifts, found.carry) == (wanted.judged.drifts, wanted.judged.carry), key


def test_every_round_is_published_as_it_is_judged_again(floor: Floor) -> None:
    for round_id, (row,) in floor.rows["rounds"].items():
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
            found[(*(getattr(each, name) for name in FOUND), cited(retold, each.clause), *at)] += 1
    return found


def hands(retold: Retold, account: narrative.Account) -> list[Row]:
    number = retold.audit.encoded.rounds.index(account.round)
    rows = [row for row in retold.audit.verdicts.hands if row[L.O_ROUND] == number]
    outcomes = {(row[L.O_SEAT], row[L.O_HAND]): slots.NAMES[row[L.O_OUTCOME]] for row in rows if row[L.O_OUTCOME] >= 0}
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
