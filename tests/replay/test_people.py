"""Players, dealers and supervisors at a table."""

from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from replay import floor
from replay.floor import Floor
from replay.simulator import people as P
from replay.simulator.house import HOUR_MS, MINUTE_MS, FloorStaff, default_floor
from replay.simulator.people import Cast, cast
from replay.tape import I64
from tests.books import IDS
from tests.some import some

DAY = date(2026, 11, 16)
DAYS = [DAY + timedelta(days=n) for n in range(3)]


def floor_of(rulebook: str = "all", tables: int = 12, seed: int = 1) -> Floor:
    return floor.parse(default_floor(rulebook, tables, DAYS[0] - timedelta(days=400), seed=seed))


def casts(plan: Floor, days: list[date], seed: int = 1) -> dict[tuple[str, date], Cast]:
    place = FloorStaff.of(plan, seed)
    return {(id_, day): cast(place, plan.table(id_, day), day, seed) for day in days for id_ in place.numbers}


@pytest.fixture(scope="module")
def plan() -> Floor:
    return floor_of()


@pytest.fixture(scope="module")
def three_days(plan: Floor) -> dict[tuple[str, date], Cast]:
    return casts(plan, DAYS)


def same(a: Cast, b: Cast) -> bool:
    def plain(people: Cast) -> list[Any]:
        return [each.tolist() if isinstance(each, np.ndarray) else each for each in people]

    return plain(a) == plain(b)


def boxes_taken(people: Cast) -> I64:
    """Boxes taken, minute by minute."""
    minutes = np.arange(people.opens_ms, people.closes_ms, MINUTE_MS)
    rows = people.patrons[people.patrons[:, P.P_BEHIND] == 0]
    here = (rows[:, [P.P_ARRIVES_MS]] <= minutes) & (minutes < rows[:, [P.P_LEAVES_MS]])
    taken: I64 = np.sum(here * rows[:, [P.P_BOXES]], axis=0, dtype=np.int64)
    return taken


def test_nobody_sits_at_two_tables_on_a_day(three_days: dict[tuple[str, date], Cast]) -> None:
    for day in DAYS:
        names = [name for (_, when), people in three_days.items() if when == day for name in people.patron_names[1:]]
        assert len(set(names)) == len(names)
    for people in three_days.values():
        numbers = people.patrons[:, P.P_NUMBER]
        known = numbers[numbers > 0]
        assert sorted(known.tolist()) == list(range(1, len(people.patron_names)))
        assert people.patron_names[0] == people.dealer_names[0] == ""


def test_nobody_deals_at_two_tables_at_once(three_days: dict[tuple[str, date], Cast]) -> None:
    stints: dict[str, list[tuple[int, int]]] = {}
    for people in three_days.values():
        begins = people.dealers[:, P.D_FROM_MS].tolist()
        for begin, until, number in zip(
            begins, [*begins[1:], people.closes_ms], people.dealers[:, P.D_NUMBER].tolist(), strict=True
        ):
            stints.setdefault(people.dealer_names[number], []).append((begin, until))
    for own in some(stints.values()):
        own.sort()
        assert all(until <= begin for (_, until), (begin, _) in pairwise(own))


def test_dealers_and_supervisors_are_there_from_opening_to_closing(three_days: dict[tuple[str, date], Cast]) -> None:
    for people in some(three_days.values()):
        begins = people.dealers[:, P.D_FROM_MS]
        assert begins[0] == people.opens_ms
        assert np.all(np.diff(begins) > 0)
        assert begins[-1] < people.closes_ms
        assert len(begins) > (people.closes_ms - people.opens_ms) / HOUR_MS
        assert np.all(np.diff(people.dealers[:, P.D_NUMBER]) != 0)
        assert people.supervisors[0][0] <= people.opens_ms
        assert len(people.catch) == len(people.supervisors)


def test_every_kind_of_patron_comes(three_days: dict[tuple[str, date], Cast]) -> None:
    rows = np.concatenate([people.patrons for people in three_days.values()])
    assert set(rows[:, P.P_KIND].tolist()) == set(range(len(P.KINDS)))
    assert np.array_equal(rows[:, P.P_COUNTS] == 1, rows[:, P.P_KIND] == P.COUNTER)
    unknown = np.mean(rows[:, P.P_NUMBER] == 0)
    assert 0.1 < unknown < 0.4


def test_a_dealer_favours_somebody_who_is_there(three_days: dict[tuple[str, date], Cast]) -> None:
    found = 0
    for people in three_days.values():
        assert len(people.favours) == len(people.dealer_names)
        begins = people.dealers[:, P.D_FROM_MS]
        untils = np.append(begins[1:], people.closes_ms)
        for dealer, row in enumerate(people.favours.tolist()):
            if row >= 0:
                found += 1
                arrives, leaves = people.patrons[row, [P.P_ARRIVES_MS, P.P_LEAVES_MS]]
                dealing = people.dealers[:, P.D_NUMBER] == dealer
                assert people.patrons[row, P.P_KIND] == P.FAVOURED
                assert np.any(dealing & (begins < leaves) & (arrives < untils))
    assert found >= 3


@pytest.mark.parametrize("rulebook", IDS)
def test_amounts_are_legal(rulebook: str) -> None:
    plan = floor_of(rulebook, 10)
    behind = 0
    for (id_, day), people in casts(plan, DAYS[:1]).items():
        table, rows = plan.table(id_, day), people.patrons
        unit, spread = rows[:, P.P_UNIT_CENTS], rows[:, P.P_SPREAD]
        assert np.all((table.min_cents <= unit) & (unit * spread <= table.max_cents))
        assert np.all((spread >= 1) & (spread <= 12))
        assert np.all(unit % table.chip_unit_cents == 0)
        assert np.all(unit % (table.options.get("min_increment_cents") or 1) == 0)
        assert np.all(rows[:, P.P_BANKROLL_CENTS] % table.chip_unit_cents == 0)
        assert np.all(rows[:, P.P_BANKROLL_CENTS] >= unit * rows[:, P.P_BOXES])
        assert np.all((rows[:, P.P_PREFERS] >= 0) & (rows[:, P.P_PREFERS] <= table.boxes))
        assert np.all((rows[:, P.P_BOXES] >= 1) & (rows[:, P.P_BOXES] <= (table.options["boxes_per_player"] or 99)))
        assert boxes_taken(people).max() <= table.boxes
        for column, offer in (
            (P.P_MATCH_PPM, "match"),
            (P.P_PAIR_PPM, "pair"),
            (P.P_SPIN_PPM, "bonus_spin"),
            (P.P_BSX_PPM, "bsx16"),
        ):
            assert np.any(rows[:, column] > 0) == bool(table.options.get(offer))
        assert table.options["bettors_per_box"] > 1 or not rows[:, P.P_BEHIND].any()
        behind += int(rows[:, P.P_BEHIND].sum())
    assert (behind > 0) == (not rulebook.startswith("md"))


def test_limits_that_leave_little_choice() -> None:
    row = {"id": "T1", "rulebook": "div15-pontoon", "decks": 6, "boxes": 7, "min_cents": 1_100, "max_cents": 1_150}
    for chip, unit in ((100, 1_100), (500, 1_100), (50, 1_150)):
        plan = floor.parse({"table": [{**row, "chip_unit_cents": chip, "options": {"min_increment_cents": 200}}]})
        (people,) = casts(plan, [DAY]).values()
        assert people.patrons[:, P.P_UNIT_CENTS].max() == unit
        assert set(people.patrons[:, P.P_SPREAD].tolist()) == {1}


def test_times_lie_within_the_gaming_day(plan: Floor, three_days: dict[tuple[str, date], Cast]) -> None:
    place = FloorStaff.of(plan, 1)
    for (_, day), people in some(three_days.items()):
        start, end = place.bounds(day)
        assert start <= people.opens_ms < start + 4 * HOUR_MS
        assert people.closes_ms < end
        assert 13.5 * HOUR_MS < people.closes_ms - people.opens_ms < 20 * HOUR_MS
        arrives, leaves = people.patrons[:, P.P_ARRIVES_MS], people.patrons[:, P.P_LEAVES_MS]
        assert np.all(np.diff(arrives) >= 0)
        assert arrives[0] == people.opens_ms
        assert np.all((arrives < leaves) & (leaves <= people.closes_ms))


def test_half_of_the_boxes_are_taken_and_most_of_them_in_the_evening() -> None:
    plan = floor_of("md-pontoon21", 8)
    place = FloorStaff.of(plan, 1)
    taken, evening, shares = [], [], set()
    for (id_, day), people in casts(plan, [DAY + timedelta(days=n) for n in range(7)]).items():
        boxes = boxes_taken(people) / plan.table(id_, day).boxes * 7
        start = place.bounds(day)[0] + 14 * HOUR_MS  # eight in the evening
        from_minute = (start - people.opens_ms) // MINUTE_MS
        taken.append(boxes.mean())
        evening.append(boxes[from_minute : from_minute + 180].mean())
        shares |= set(boxes_taken(people).tolist())
    assert 3.1 < np.mean(taken) < 4.0
    assert np.mean(evening) > np.mean(taken) + 1
    assert {1, 7} <= shares


def test_the_same_seed_gives_the_same_people_in_any_order(
    plan: Floor, three_days: dict[tuple[str, date], Cast]
) -> None:
    place = FloorStaff.of(plan, 1)
    for (id_, day), people in reversed(three_days.items()):
        assert same(cast(place, plan.table(id_, day), day, 1), people)
    other = casts(plan, DAYS[:1], seed=2)
    assert not any(same(other[key], three_days[key]) for key in other)


def test_regulars_come_back_with_their_habits() -> None:
    plan = floor_of("md-spanish21", 1)
    seen: dict[str, list[tuple[int, ...]]] = {}
    for people in casts(plan, [DAY + timedelta(days=n) for n in range(30)]).values():
        for row in people.patrons:
            habits = row[[P.P_KIND, P.P_UNIT_CENTS, P.P_SPREAD, P.P_MISTAKES_PPM, P.P_MATCH_PPM, P.P_INSURE_PPM]]
            seen.setdefault(people.patron_names[row[P.P_NUMBER]], []).append(tuple(habits.tolist()))
    again = [visits for name, visits in seen.items() if name and len(visits) >= 3]
    assert len(again) > 20
    assert all(len(set(visits)) == 1 for visits in again)


def test_other_hours(plan: Floor) -> None:
    place = FloorStaff.of(plan, 1)
    table = plan.table("P21-01", DAY)
    opens = place.bounds(DAY)[0] + 15 * HOUR_MS
    for minutes in (1, 20, 300):
        people = cast(place, table, DAY, 1, (opens, opens + minutes * MINUTE_MS))
        assert (people.opens_ms, people.closes_ms) == (opens, opens + minutes * MINUTE_MS)
        assert people.dealers[0, P.D_FROM_MS] == people.patrons[0, P.P_ARRIVES_MS] == opens
        assert people.patrons[:, P.P_LEAVES_MS].max() <= people.closes_ms


@pytest.mark.parametrize("day", [date(2026, 3, 7), date(2026, 3, 8), date(2026, 10, 31), date(2026, 11, 1)])
def test_days_on_which_the_clocks_change(day: date) -> None:
    plan = floor_of("ma-pontoon21", 4)
    place = FloorStaff.of(plan, 1)
    for people in some(casts(plan, [day]).values()):
        start, end = place.bounds(day)
        assert start <= people.opens_ms < people.closes_ms < end
        assert np.all(np.diff(people.dealers[:, P.D_FROM_MS]) > 0)
        assert people.patrons[:, P.P_LEAVES_MS].max() <= people.closes_ms


def test_somebody_plays_a_shoe_from_its_start(plan: Floor) -> None:
    """Players must not all wait for a shoe in progress: a table may be open for less than an hour."""
    place = FloorStaff.of(plan, 1)
    for day in some(DAY + timedelta(days=n) for n in range(40)):
        opens = place.bounds(day)[0]
        for id_ in place.numbers:
            rows = cast(place, plan.table(id_, day), day, 1, (opens, opens + 40 * MINUTE_MS)).patrons
            assert ((rows[:, P.P_KIND] != P.ENTRANT) & (rows[:, P.P_BEHIND] == 0)).any()
