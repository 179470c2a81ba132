"""Simulated tables whose clocks are unknown: what an audit makes of them in the order that is worked out."""

from collections import Counter
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.align.align import Alignment, align
from pipelines.align.devices import DeviceClock, skew_findings
from replay import floor
from replay.columns import CAMERA, I64, NUMBER_OF, SHOE, TERMINAL, TYPE_OF, Lines
from replay.simulator import house, zone
from replay.simulator.plant import pick
from replay.simulator.simulate import FIRST_DAY, Simulation, SimulationOptions
from tests.pipelines.align import zones
from tests.replay import zone_reader

_TABLES: Final = 5
HOLE_CARD: Final = True  # at P21-01, the table of ``a_day``
TRUE_OFFSET_MS: Final = 300  # of the shoe of ``a_day`` at most, drift included


def written(out: Path, rounds: int, seed: int, rate: float = 0.0, camera: bool = False, plant: str = "") -> Path:
    """A landing zone with a table of each rulebook."""
    orders = Counter(dict([pick.parse(plant)])) if plant else Counter[pick.Order]()
    text = house.toml(house.default_floor("all", _TABLES, FIRST_DAY, 1, seed))
    zone.write(out, Simulation(text, SimulationOptions(rounds, seed, camera=camera), rate, orders), {})
    return out


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A floor on which all goes well."""
    return written(tmp_path_factory.mktemp("clean"), 60, 3, camera=True)


@pytest.fixture(scope="module")
def a_day(clean: Path) -> Lines:
    """One of its tables."""
    return zones.table_day(clean / FIRST_DAY.isoformat() / "P21-01").lines


def days(out: Path) -> list[tuple[date, str, Lines, bool]]:
    """Day, table, lines, and whether the dealer takes a hole card."""
    plan = floor.read(out / "floor.toml")
    return [
        (
            day,
            table,
            zones.table_day(out / day.isoformat() / table).lines,
            zones.takes_hole_card(plan.table(table, day)),
        )
        for day, table in zone_reader.table_days(out)
    ]


def true_ms(out: Path, day: date, table: str, lines: Lines, source: int) -> tuple[I64, I64]:
    """Rows of a source, and what the terminal's clock showed when they happened."""
    plan = floor.read(out / "floor.toml")
    starts = time.fromisoformat(plan.property["gaming_day_starts"])
    begin = datetime.combine(day, starts, ZoneInfo(plan.property["timezone"])).timestamp() * 1000
    clocks = pl.read_parquet(out / "clocks.parquet").filter(gaming_day=day, table=table).sort("source")
    name = {TERMINAL: "terminal", SHOE: "shoe", CAMERA: "camera"}[source]
    ((offset, drift),) = clocks.filter(source=name).select("offset_ms", "drift_ppm").rows()
    ((by_offset, by_drift),) = clocks.filter(source="terminal").select("offset_ms", "drift_ppm").rows()
    rows = np.flatnonzero(lines.columns.source == source)
    true = (lines.columns.number("ts")[rows] - offset + begin * drift / 1e6) / (1 + drift / 1e6)
    return rows, np.rint(true + by_offset + by_drift * (true - begin) / 1e6).astype(np.int64)


def shown(lines: Lines, rows: I64, ms: I64) -> Lines:
    """The lines with other times on some rows."""
    numbers = lines.columns.numbers.copy()
    numbers[NUMBER_OF["ts"], rows] = ms
    return Lines(lines.columns._replace(numbers=numbers), lines.words)


def the(clocks: list[DeviceClock], source: str) -> DeviceClock:
    (found,) = [clock for clock in clocks if clock.source == source]
    return found


def of_shoe(lines: Lines) -> I64:
    return np.flatnonzero(lines.columns.source == SHOE)


# What is found in the end.


@pytest.mark.parametrize(("rounds", "seed", "rate"), [(60, 11, 0.1), (200, 12, 0.05), (3, 13, 0.0)])
def test_an_audit_finds_what_was_planted(rounds: int, seed: int, rate: float, tmp_path: Path) -> None:
    out = written(tmp_path, rounds, seed, rate)
    truth, found = zone_reader.truth(out), zones.audited(out)
    assert bool(truth) == bool(rate)
    assert found - truth == Counter()
    # Lines of two devices closer to each other than their clocks tell accuse nobody, and neither does a card that may
    # as well have been one too many.
    order = {"wager.insurance-not-open", "play.illegal-rescue"}
    assert {row[5] for row in truth - found} <= {*order, "dealer.drew-on-standing-total"}
    assert len(truth - found) <= 2


def test_skewed_clocks_are_found_and_do_no_harm(tmp_path: Path) -> None:
    out = written(tmp_path, 60, 21, 0.05, camera=True, plant="evidence.clock-skew:3")
    assert zones.audited(out) == zone_reader.truth(out)
    planted = pl.read_parquet(out / "truth.parquet").filter(code="evidence.clock-skew")
    found = {
        (table, clock.source)
        for _, table, lines, hole in days(out)
        for clock, _ in skew_findings(align(lines, hole).clocks)
    }
    assert len(found) == 3
    assert found == {(row["table"], Path(row["path"]).name.split(".")[0]) for row in planted.iter_rows(named=True)}


# Clean tables.


def test_clocks_are_worked_out(clean: Path) -> None:
    for day, table, lines, hole_card in days(clean):
        aligned = align(lines, hole_card)
        for source, name in ((SHOE, "shoe"), (CAMERA, "camera")):
            rows, true = true_ms(clean, day, table, lines, source)
            clock = the(aligned.clocks, name)
            assert clock.sure
            assert clock.steps == ()
            # A camera is set by the shoe's corrected times, so it is as unsure as both.
            said = zones.uncertainty(lines, aligned)
            unsure = said[rows] + (said[of_shoe(lines)].max() if source == CAMERA else 0)
            assert (np.abs(aligned.corrected[rows] - true) <= unsure).all(), (table, name)
        terminal = np.flatnonzero(lines.columns.source == TERMINAL)
        assert (aligned.corrected[terminal] == lines.columns.number("ts")[terminal]).all()


def test_nothing_is_in_doubt_and_every_card_in_its_round(clean: Path) -> None:
    for day, table, lines, hole_card in days(clean):
        aligned = align(lines, hole_card)
        assert aligned.doubt == [None] * 60
        assert aligned.rounds == [str(n) for n in range(1, 61)]
        assert not skew_findings(aligned.clocks)
        for source in (SHOE, CAMERA):
            rows, true = true_ms(clean, day, table, lines, source)
            assert (aligned.round[rows] == rounds_by_time(lines, true)).mean() > (0.999 if source == SHOE else 0.98)


def rounds_by_time(lines: Lines, ms: I64) -> I64:
    """The rounds that lasted at those moments of the terminal's clock; they follow one another without overlap."""
    ts, types = lines.columns.number("ts"), lines.columns.type
    begins, ends = ts[types == TYPE_OF["bets_closed"]], ts[types == TYPE_OF["round_end"]]
    number = np.searchsorted(begins, ms, side="right") - 1
    inside: I64 = np.where((number >= 0) & (ms < ends[number]), number, -1)
    return inside


def test_the_order_within_a_device_is_that_of_its_numbers(clean: Path) -> None:
    for _, _, lines, hole_card in days(clean):
        order = align(lines, hole_card).order
        assert sorted(order.tolist()) == np.flatnonzero(lines.columns.source != CAMERA).tolist()
        for source in (TERMINAL, SHOE):
            seq = lines.columns.number("seq")[order[lines.columns.source[order] == source]]
            assert (np.diff(seq) > 0).all()


# Any clock.


@settings(max_examples=25, deadline=None)
@given(
    offset_ms=st.integers(-45_000, 45_000),
    drift_ppm=st.floats(-100, 100),
    jitter_ms=st.integers(0, 15),
    seed=st.integers(0, 1 << 16),
)
def test_cards_stay_in_their_rounds_by_any_clock(
    a_day: Lines, offset_ms: int, drift_ppm: float, jitter_ms: int, seed: int
) -> None:
    check_clock(a_day, offset_ms, drift_ppm, jitter_ms, seed)


@pytest.mark.parametrize("offset_ms", [-800_000, -300_000, -100_000, -61_263, 61_263, 100_000, 300_000, 800_000])
def test_cards_stay_in_their_rounds_by_a_clock_far_off(a_day: Lines, offset_ms: int) -> None:
    check_clock(a_day, offset_ms, 0.0, 0, 0)


def check_clock(a_day: Lines, offset_ms: int, drift_ppm: float, jitter_ms: int, seed: int) -> None:
    """Move the shoe's clock; the same cards are in the same rounds, and the offset is as far off as is said."""
    rows, expected = of_shoe(a_day), align(a_day, HOLE_CARD)
    ts = a_day.columns.number("ts")[rows]
    noise = np.random.default_rng(seed).integers(-jitter_ms, jitter_ms + 1, len(rows))
    moved = ts + offset_ms + np.rint(drift_ppm * (ts - ts[0]) / 1e6).astype(np.int64) + noise
    aligned = align(shown(a_day, rows, moved), HOLE_CARD)
    clock = the(aligned.clocks, "shoe")
    assert clock.sure
    assert clock.steps == ()
    unsure = zones.uncertainty(a_day, aligned)[rows]
    assert (np.abs(aligned.corrected[rows] - ts) <= unsure + TRUE_OFFSET_MS + jitter_ms).all()
    assert (aligned.round[rows] == expected.round[rows]).all()
    assert aligned.doubt == expected.doubt


def test_one_wild_time_moves_no_other_line(a_day: Lines) -> None:
    expected = align(a_day, HOLE_CARD)
    for row in (of_shoe(a_day)[300], np.flatnonzero(a_day.columns.source == TERMINAL)[200]):
        for by in (-40_000_000, 40_000_000):
            aligned = align(shown(a_day, np.array([row]), a_day.columns.number("ts")[[row]] + by), HOLE_CARD)
            assert np.setdiff1d(np.flatnonzero(aligned.round != expected.round), [row]).size == 0


def test_a_shoe_of_another_table_fits_nowhere(clean: Path) -> None:
    terminal = [e for e in events_of(clean, "P21-01") if e[0] == "terminal"]
    shoe = [e for e in events_of(clean, "P21-03") if e[0] == "shoe"]
    aligned = align(zones.from_events([*terminal, *shoe]).lines, HOLE_CARD)
    clock = the(aligned.clocks, "shoe")
    assert not clock.sure
    assert None not in aligned.doubt
    assert [clock.source for clock, _ in skew_findings(aligned.clocks)] == ["shoe"]


def events_of(out: Path, table: str) -> list[tuple[str, dict[str, Any]]]:
    found = zones.table_day(out / FIRST_DAY.isoformat() / table)
    names = ("terminal", "shoe", "camera")
    return [(names[source], event) for source, event in zip(found.lines.columns.source, found.events, strict=True)]


# Sources and lines that are missing.


def kept(lines: Lines, keep: np.ndarray[Any, np.dtype[np.bool_]]) -> Alignment:
    return align(Lines(lines.columns.take(keep), lines.words), HOLE_CARD)


def test_lost_draws_put_their_rounds_in_doubt(a_day: Lines) -> None:
    columns = a_day.columns
    expected = align(a_day, HOLE_CARD)
    draws = np.flatnonzero((columns.type == TYPE_OF["draw"]) & (expected.round == 20))
    keep = np.ones(len(a_day), np.bool_)
    keep[draws[1:3]] = False
    first = columns.number("n")[draws[1]]
    aligned = kept(a_day, keep)
    assert aligned.doubt[20] == f"the shoe's draws {first} to {first + 1} are missing"
    assert [n for n, why in enumerate(aligned.doubt) if why] == [20]


def test_rounds_without_bounds_are_in_doubt(a_day: Lines) -> None:
    columns, number = a_day.columns, align(a_day, HOLE_CARD).round
    keep = ~((columns.type == TYPE_OF["bets_closed"]) & (number == 5))
    keep &= ~((columns.type == TYPE_OF["round_end"]) & (number == 9))
    aligned = kept(a_day, keep)
    assert aligned.doubt[5] == "no line says when bets were closed"
    assert aligned.doubt[9] == "no line says when the round ended"
    assert [n for n, why in enumerate(aligned.doubt) if why] == [5, 9]


def test_a_camera_alone_is_set_by_the_terminal(clean: Path) -> None:
    for day, table, lines, hole_card in days(clean):
        without = Lines(lines.columns.take(lines.columns.source != SHOE), lines.words)
        aligned = align(without, hole_card)
        rows, true = true_ms(clean, day, table, without, CAMERA)
        assert the(aligned.clocks, "camera").sure
        assert np.abs(aligned.corrected[rows] - true).max() < 900, table
        assert aligned.doubt == [None] * 60


def test_a_shoe_alone_goes_by_its_own_clock(a_day: Lines) -> None:
    aligned = kept(a_day, a_day.columns.source == SHOE)
    assert (aligned.corrected == a_day.columns.number("ts")[of_shoe(a_day)]).all()
    assert aligned.rounds == []
    assert set(aligned.round.tolist()) == {-1}


def test_nothing_at_all(a_day: Lines) -> None:
    aligned = kept(a_day, np.zeros(len(a_day), np.bool_))
    assert len(aligned.order) == len(aligned.corrected) == len(aligned.clocks) == 0


# Several devices.


def with_devices(events: list[tuple[str, dict[str, Any]]], source: str, since: int) -> Lines:
    """The second half of a source's lines from another device, whose clock is 9 s ahead."""
    changed = []
    for name, event in events:
        if name == source and event["seq"] >= since:
            ts = datetime.fromisoformat(event["ts"]).timestamp() + 9
            stamp = datetime.fromtimestamp(ts, ZoneInfo("UTC")).isoformat(timespec="milliseconds")
            event = {**event, "ts": stamp, "device": "B", "seq": event["seq"] - since + 1}
        changed.append((name, event))
    return zones.from_events(changed).lines


@pytest.mark.parametrize("source", ["terminal", "shoe"])
def test_every_device_has_its_clock(source: str, clean: Path, a_day: Lines) -> None:
    expected = align(a_day, HOLE_CARD)
    half = (a_day.columns.source == (TERMINAL if source == "terminal" else SHOE)).sum() * 6 // 10
    aligned = align(with_devices(events_of(clean, "P21-01"), source, int(half)), HOLE_CARD)
    (other,) = [clock for clock in aligned.clocks if clock.device == "B"]
    (row,) = other.rows
    assert other.sure
    assert other.steps == ()
    assert abs(row.offset_ms - 9_000) <= row.uncertainty_ms + TRUE_OFFSET_MS
    rows = of_shoe(a_day)
    assert (aligned.round[rows] == expected.round[rows]).mean() > 0.99


# Whatever comes.


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 1 << 32), keeps=st.floats(0, 1), wild=st.floats(0, 0.5), swapped=st.booleans())
def test_any_lines_are_put_in_some_order(a_day: Lines, seed: int, keeps: float, wild: float, swapped: bool) -> None:
    rng = np.random.default_rng(seed)
    rows = np.flatnonzero(rng.random(len(a_day)) < keeps)
    lines = Lines(a_day.columns.take(rows), a_day.words)
    thrown = np.flatnonzero(rng.random(len(rows)) < wild)
    lines = shown(lines, thrown, lines.columns.number("ts")[thrown] + rng.integers(-(10**9), 10**9, len(thrown)))
    if swapped:
        round_words = rng.permutation(lines.columns.text("round"))
        lines.columns.text("round")[:] = round_words
    aligned = align(lines, HOLE_CARD)
    assert sorted(aligned.order.tolist()) == np.flatnonzero(lines.columns.source != CAMERA).tolist()
    assert len(aligned.doubt) == len(aligned.rounds) > aligned.round.max(initial=-1)
    for source in (TERMINAL, SHOE):
        seq = lines.columns.number("seq")[aligned.order[lines.columns.source[aligned.order] == source]]
        assert (np.diff(seq) > 0).all()
