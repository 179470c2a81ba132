"""The floor by default, and the staff of a house."""

import tomllib
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import pytest

from replay import floor
from replay.compile_rules import compile_rules
from replay.library import load
from replay.simulator import house
from replay.simulator.house import HOUR_MS, MINUTE_MS, FloorStaff, default_floor
from tests.books import IDS
from tests.some import some

DAY = date(2026, 11, 16)


def built(rulebook: str = "all", tables: int = 12, seed: int = 1, **place: Any) -> FloorStaff:
    data = default_floor(rulebook, tables, DAY, seed=seed)
    return FloorStaff.of(floor.parse({**data, "property": {**data["property"], **place}}), seed)


@pytest.mark.parametrize("rulebook", [*IDS, "all", "md-pontoon21, md-spanish21,ma-pontoon21"])
@pytest.mark.parametrize("tables", [1, 2, 5, 13, 40])
@pytest.mark.parametrize("seed", [0, 7])
def test_default_floor_is_permitted(rulebook: str, tables: int, seed: int) -> None:
    parsed = floor.parse(default_floor(rulebook, tables, DAY, days=3, seed=seed))
    assert len({table.id for table in parsed.tables}) == tables
    for table in parsed.tables:
        assert table.not_permitted == ()
        assert table.min_cents % table.chip_unit_cents == table.max_cents % table.chip_unit_cents == 0
        assert table.options.get("hole_card") or not table.options.get("card_reader")
        compile_rules(table)


@pytest.mark.parametrize("rulebook", IDS)
def test_default_floor_covers_every_choice_of_a_rulebook(rulebook: str) -> None:
    tables = floor.parse(default_floor(rulebook, 8, DAY)).tables
    for option in some(load(rulebook).options.values()):
        for value in option.permitted:
            assert any(table.options[option.name] == value for table in tables), (option.name, value)


@pytest.mark.parametrize("rulebook", IDS)
def test_first_table_is_plain(rulebook: str) -> None:
    table = floor.parse(default_floor(rulebook, 3, DAY, seed=5)).tables[0]
    assert (table.decks, table.boxes, table.min_cents, table.max_cents) == (6, 7, 1_500, 100_000)
    assert not table.progressive
    changed = {name for name, option in load(rulebook).options.items() if table.options[name] != option.default}
    assert changed <= {"match", "match_min_cents", "match_max_cents"}


def test_default_floor_is_the_same_for_a_seed() -> None:
    assert default_floor("all", 20, DAY, seed=3) == default_floor("all", 20, DAY, seed=3)
    assert default_floor("all", 20, DAY, seed=3) != default_floor("all", 20, DAY, seed=4)


def test_default_floor_reads_back_from_its_text() -> None:
    data = default_floor("all", 20, DAY, days=3)
    assert tomllib.loads(house.toml(data)) == data


def test_tables_take_the_rulebooks_in_turn() -> None:
    tables = floor.parse(default_floor(["md-spanish21", "mbs-pontoon"], 5, DAY)).tables
    assert [(table.id, table.book.id) for table in tables] == [
        ("S21-01", "md-spanish21"),
        ("PON-02", "mbs-pontoon"),
        ("S21-03", "md-spanish21"),
        ("PON-04", "mbs-pontoon"),
        ("S21-05", "md-spanish21"),
    ]
    assert house.rulebooks("all") == IDS


def test_unknown_rulebook_is_named() -> None:
    with pytest.raises(floor.FloorError, match="rulebook is 'vegas', expected one of md-pontoon21"):
        default_floor("md-pontoon21,vegas", 2, DAY)


@pytest.mark.parametrize(
    ("rulebook", "zone"),
    [("ma-pontoon21", "America/New_York"), ("mbs-pontoon", "Asia/Singapore"), ("div15-pontoon", "Australia/Melbourne")],
)
def test_property_is_where_its_rulebook_is(rulebook: str, zone: str) -> None:
    assert default_floor(rulebook, 1, DAY)["property"]["timezone"] == zone


def test_some_meters_are_shared_and_some_are_not() -> None:
    data = default_floor("md-pontoon21", 16, DAY)
    fed = [row["progressive"]["bsx16"]["meter"] for row in data["table"] if "bsx16" in row.get("progressive", {})]
    counts = {meter: fed.count(meter) for meter in fed}
    assert max(counts.values()) > 1
    assert min(counts.values()) == 1
    assert len({meter["id"] for meter in data["meter"]}) == len(data["meter"])


def test_limits_rise_on_the_way() -> None:
    parsed = floor.parse(default_floor("md-pontoon21", 4, DAY, days=4))
    before, after = (parsed.table("P21-02", DAY + timedelta(days=n)) for n in (1, 2))
    assert after.max_cents == 2 * before.max_cents


@pytest.mark.parametrize(
    ("day", "hours"), [(DAY, 24), (date(2026, 3, 7), 23), (date(2026, 10, 31), 25)], ids=["plain", "spring", "autumn"]
)
@pytest.mark.parametrize("starts", ["06:00", "04:30", "02:30"])
def test_shifts_fill_the_gaming_day(day: date, hours: int, starts: str) -> None:
    place = built("md-pontoon21", 4, gaming_day_starts=starts)
    start, end = place.bounds(day)
    times = place.shift_times(day)
    if starts != "02:30":  # which the spring change leaves out
        assert end - start == hours * HOUR_MS
    assert times[0][0] == start
    assert times[-1][1] == end
    assert all(until == begin for (_, until, _), (begin, _, _) in pairwise(times))
    assert [shift for _, _, shift in times] == ([0, 1, 2] if starts == "06:00" else [2, 0, 1, 2])


def test_without_shifts_a_day_has_three() -> None:
    parsed = floor.parse({"table": default_floor("md-pontoon21", 2, DAY)["table"]})
    times = FloorStaff.of(parsed, 1).shift_times(DAY)
    assert [(until - begin, shift) for begin, until, shift in times] == [(8 * HOUR_MS, n) for n in range(3)]


@pytest.mark.parametrize("starts", ["06:00", "04:30"])
def test_no_dealer_is_at_two_tables_at_once(starts: str) -> None:
    place = built(gaming_day_starts=starts)
    stints = [
        stint
        for day in (DAY, DAY + timedelta(days=1), DAY + timedelta(days=2))
        for table in place.numbers
        for stint in place.dealers_at(table, day, 1)
    ]
    for name in some({stint.dealer.name for stint in stints}):
        own = sorted((stint.from_ms, stint.until_ms) for stint in stints if stint.dealer.name == name)
        assert all(until <= begin for (_, until), (begin, _) in pairwise(own))


def test_dealers_rotate_and_take_breaks() -> None:
    place = built("md-pontoon21", 4)
    shifts = place.shift_times(DAY)
    by_table = [place.dealers_at(table, DAY, 1) for table in place.numbers]
    for stints in some(by_table):
        assert (stints[0].from_ms, stints[-1].until_ms) == place.bounds(DAY)
        assert all(a.until_ms == b.from_ms for a, b in pairwise(stints))
        assert all(a.dealer != b.dealer for a, b in pairwise(stints))
        assert all(14 <= (stint.until_ms - stint.from_ms) / MINUTE_MS < 67 for stint in stints)
    for begin, _, shift in some(shifts):
        crew = {
            s.dealer.name for stints in by_table for s in stints if begin + HOUR_MS < s.from_ms < begin + 7 * HOUR_MS
        }
        assert len(crew) == 5
        assert crew <= {dealer.name for dealer in place.pits[0].dealers if dealer.shift == shift}


def test_supervisors_keep_to_their_pit_and_shift() -> None:
    place = built(tables=9)
    for table in place.numbers:
        watch = place.supervisors_at(table, DAY, 1)
        assert watch[0][0] == place.bounds(DAY)[0]
        assert [since for since, _ in watch] == sorted(since for since, _ in watch)
        assert {each for _, each in watch} <= set(place.pit_of[table].supervisors)
        for begin, until, shift in place.shift_times(DAY):
            on_duty = {each for since, each in watch if begin <= since < until}
            assert 1 <= len(on_duty) <= 2
            assert all(each.shift == shift and 0 < each.catch < 1 for each in on_duty)
    names = [each.name for pit in place.pits for each in pit.dealers]
    names += [each.name for pit in place.pits for each in pit.supervisors]
    assert len(set(names)) == len(names)
    assert not any("," in name for name in names)


def test_dealers_differ_in_pace_and_care() -> None:
    dealers = [dealer for pit in built(tables=60).pits for dealer in pit.dealers]
    weights = sorted(dealer.error_weight_permille for dealer in dealers)
    assert all(800 <= dealer.pace_permille <= 1_300 for dealer in dealers)
    assert 800 < sum(weights) / len(weights) < 1_200
    assert weights[len(weights) // 2] < 750
    assert weights[-1] > 4_000
