"""Landing files hold what the log holds, in every form."""

import gzip
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Final
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replay import cards, codes, ops
from replay.encode import encode_events
from replay.simulator import landing
from replay.simulator import log as J
from replay.simulator.clocks import SimulatedClock, TableClocks, offsets
from replay.simulator.log import Log, Names, Row, from_rows
from replay.tape import Tape
from tests import generator
from tests.some import some

DAY: Final = date(2026, 11, 16)
START: Final = 1_794_801_600_000
NAMES: Final = Names(
    "P21-04",
    ["", "P1", 'Zoë "Z"'],
    ["", "S1", "S2"],
    ["", "D1", "D\\2"],
    ["", "A. Ruiz", "C. Ng"],
    [(START, "B. Lee"), (START + 60_000, "F. Öz")],
)
EXACT: Final = TableClocks(ZoneInfo("Asia/Singapore"), START)
SKEWED: Final = EXACT._replace(terminal=SimulatedClock(1200, 30.0), shoe=SimulatedClock(-2900, -55.5))
_IN_ROUND: Final = {
    *(ops.WAGER, ops.BETS_CLOSED, ops.OFFER, ops.DECISION, ops.ASSIGN, ops.WITHDRAW, ops.SETTLE),
    *(ops.IRREGULARITY, ops.PROGRESSIVE, ops.ROUND_END),
}


def random_row(op: int, rng: Random) -> Row:
    """A row with anything that its operation can have."""
    pick = rng.randrange
    row = Row(op, seat=pick(1, 32), bettor=pick(1, 16), hand=pick(1, 20), round=pick(1, 2000))
    if op in (ops.OPEN, ops.DEALER_CHANGE):
        row.aux = pick(1, 3)
    elif op == ops.INSPECTION:
        row.bettor, row.flags, row.cents, row.aux = pick(3), pick(4096), pick(65536), pick(1, 3)
    elif op in (ops.READER_CHECK, ops.HOLE_CHECK):
        row.kind = pick(2 if op == ops.READER_CHECK else 3)
    elif op == ops.SHOE_LOADED:
        row.hand, row.kind, row.flags, row.cents, row.aux = pick(2), pick(4), pick(3) * 150, pick(1, 3), pick(3)
    elif op == ops.CUT:
        row.seat, row.flags, row.cents, row.aux = pick(8), pick(1, 3), pick(-1, 300), pick(-1, 300)
    elif op in (ops.DRAW, ops.CUT_CARD, ops.SHOE_ENDED):
        row.card, row.flags, row.cents, row.aux = pick(1, 53), pick(2), pick(1, 3), pick(1, 400)
    elif op in (ops.FAULT, ops.REPAIRED):
        row.kind = pick(5)
        row.aux = pick(len(J.FAULT_KINDS[row.kind]))
    elif op == ops.WAGER:
        row.kind, row.cents, row.aux, row.card = pick(8), pick(10**9), pick(3), pick(3)
    elif op == ops.OFFER:
        row.kind, row.flags = pick(2), pick(2)
    elif op == ops.DECISION:
        row.kind, row.flags = pick(6), pick(8) << 1
    elif op in (ops.WITHDRAW, ops.SETTLE):
        row.kind, row.cents, row.aux = pick(10), pick(-(10**7), 10**7), pick(-(10**7), 10**7)
    elif op == ops.IRREGULARITY:
        row.seat, row.bettor, row.hand, row.round = pick(3), pick(3), pick(3), pick(3)
        row.kind, row.flags, row.cents, row.aux = pick(len(codes.CODES)), pick(2), pick(1024), pick(2**31) * 2 * pick(2)
    elif op == ops.PROGRESSIVE:
        row.kind, row.card, row.seat, row.hand = pick(16), pick(2), pick(3), pick(5)
        row.cents, row.aux = rng.choice((-1, 0, 123_456)), pick(10**4) * 100
    return row


def random_rows(rng: Random, count: int) -> list[Row]:
    """Rows of all operations in any order, at times that may stand still for a while."""
    rows: list[Row] = []
    operations = [*range(ops.WAGER, ops.ROUND_BEGIN), J.MOMENT]
    while len(rows) < count:
        op = rng.choice(operations)
        if op not in (ops.IRREGULAR_CARD, ops.METER):
            rows.append(random_row(op, rng))
        draws = [row for row in rows if row.op == ops.DRAW]
        if op == ops.IRREGULARITY and draws:
            chosen = rng.choices(draws, k=rng.randrange(4))
            rows += [Row(ops.IRREGULAR_CARD, aux=draw.aux, of=draw) for draw in chosen]
        if op == ops.PROGRESSIVE:
            rows += [Row(ops.METER, flags=n, cents=rng.randrange(10**7)) for n in range(rng.randrange(3))]
    ms = START
    for row in rows:
        ms += rng.choice((0, 0, 1, 250, 40_000))
        row.ms = ms
    return rows


def name_list(mask: int, words: Sequence[str]) -> list[str]:
    return [word for n, word in enumerate(words) if mask >> n & 1]


def one_or_list(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values or None


def supervisor(row: Row) -> str:
    return "B. Lee" if row.ms < START + 60_000 else "F. Öz"


RULINGS: Final = tuple(name for name in ops.RULINGS if name != "burn-card")


def shoe_fields(row: Row) -> dict[str, Any]:
    shoe = NAMES.shoes[row.cents]
    device = {"device": ops.DEVICES[min(row.kind, 4)]}
    match row.op:
        case ops.SHOE_LOADED:
            origin = "discards" if row.hand else None
            fields = {"shoe": shoe, "decks_id": NAMES.sets[row.aux] or None, "decks": row.seat}
            return fields | {"cards": row.flags or None, "shuffle": ops.SHUFFLES[row.kind], "from": origin}
        case ops.DRAW:
            face = "up" if row.flags else "down"
            return {"shoe": shoe, "n": row.aux, "card": cards.NAMES[row.card], "face": face}
        case ops.CUT_CARD:
            return {"shoe": shoe, "n": row.aux}
        case ops.SHOE_ENDED:
            return {"shoe": shoe, "remaining": row.aux}
        case ops.HOLE_CHECK:
            return {"result": ops.CHECK_RESULTS[row.kind]}
        case ops.READER_CHECK:
            return {"result": ("ok", "fault")[row.kind], "by": supervisor(row)}
    return {**device, "kind": J.FAULT_KINDS[row.kind][row.aux]}


def table_fields(row: Row, dealer: str) -> dict[str, Any]:
    match row.op:
        case ops.OPEN:
            return {"decks": row.seat, "dealer": NAMES.dealers[row.aux]}
        case ops.DEALER_CHANGE:
            return {"dealer": NAMES.dealers[row.aux]}
        case ops.INSPECTION:
            decks = {"decks_id": NAMES.sets[row.aux], "cards": row.cents, "tens_removed": row.flags}
            return decks | {"by": [supervisor(row), dealer][: row.bettor]}
        case ops.CUT:
            ends = {"from_top": row.cents, "from_bottom": row.aux}
            by = f"seat {row.seat}" if row.seat else "dealer"
            return {"shoe": NAMES.shoes[row.flags], "by": by} | {k: None if v < 0 else v for k, v in ends.items()}
    return {}


def round_fields(row: Row, after: Sequence[Row]) -> dict[str, Any]:
    place, hand = {"seat": row.seat, "bettor": row.bettor}, {"hand": row.hand}
    kind = {"kind": ops.KINDS[row.kind]} if row.kind < len(ops.KINDS) else {}
    match row.op:
        case ops.WAGER:
            staked = row.hand if row.kind in (ops.SPLIT, ops.DOUBLE) else None
            who = {"patron": NAMES.patrons[row.aux] or None, "for_bettor": row.card or None}
            return {**place, **kind, "cents": row.cents, "hand": staked, **who}
        case ops.OFFER:
            return {"what": ops.OFFERS[row.kind], "state": "open" if row.flags else "closed"}
        case ops.DECISION:
            bettors = [b for b in range(16) if row.flags >> b & 1]
            return {"seat": row.seat, **hand, "action": ops.ACTIONS[row.kind], "bettors": bettors or None}
        case ops.ASSIGN:
            return {**place, **hand}
        case ops.WITHDRAW:
            return {**place, **kind, **hand}
        case ops.SETTLE:
            return {**place, **kind, **hand, "paid_cents": row.cents, "taken_cents": row.aux}
        case ops.IRREGULARITY:
            return irregularity_fields(row, after)
        case ops.PROGRESSIVE:
            return progressive_fields(row)
    return {}


def irregularity_fields(row: Row, after: Sequence[Row]) -> dict[str, Any]:
    draws = [card.of for card in after if card.of is not None]
    return {
        "code": codes.CODES[row.kind].name,
        "ruling": one_or_list(name_list(row.cents, RULINGS)),
        "by": supervisor(row),
        "seat": row.seat or None,
        "hand": row.hand or None,
        "bettor": row.bettor or None,
        "shoe": NAMES.shoes[draws[0].cents] if draws else None,
        "n": one_or_list([draw.aux for draw in draws]),
        "card": row.card or None,
        "exposed": True if row.flags else None,
        "refused_by": [seat for seat in range(32) if row.aux >> seat & 1] or None,
    }


def progressive_fields(row: Row) -> dict[str, Any]:
    dollars = str(row.aux // 100)
    symbols = (None, "jackpot", "jackpot-secondary", dollars, f"community-{dollars}")
    return {
        "system": ops.SYSTEMS[row.card],
        "action": ops.PROGRESSIVE_ACTIONS[row.kind],
        "seat": row.seat or None,
        "bettor": row.bettor if row.seat else None,
        "symbol": symbols[row.hand],
        "prize_cents": row.cents if row.cents >= 0 else None,
        "by": supervisor(row) if row.kind == ops.AUTHORIZE else None,
    }


TYPES: Final = {
    ops.OPEN: "open",
    ops.CLOSE: "close",
    ops.INSPECTION: "inspection",
    ops.DEALER_CHANGE: "dealer_change",
    ops.CUT: "cut",
    ops.WAGER: "wager",
    ops.BETS_CLOSED: "bets_closed",
    ops.OFFER: "offer",
    ops.DECISION: "decision",
    ops.ASSIGN: "assign",
    ops.WITHDRAW: "withdraw",
    ops.SETTLE: "settle",
    ops.IRREGULARITY: "irregularity",
    ops.PROGRESSIVE: "progressive",
    ops.ROUND_END: "round_end",
    ops.SHOE_LOADED: "shoe_loaded",
    ops.DRAW: "draw",
    ops.CUT_CARD: "cut_card",
    ops.SHOE_ENDED: "shoe_ended",
    ops.HOLE_CHECK: "hole_card_check",
    ops.READER_CHECK: "reader_check",
    ops.FAULT: "fault",
    ops.REPAIRED: "repaired",
}


def expected(rows: list[Row], source: str) -> Iterator[dict[str, Any]]:
    """The contract's lines for rows, without seq and ts."""
    dealer = next((NAMES.dealers[row.aux] for row in rows if row.op == ops.OPEN), "")
    for n, row in enumerate(rows):
        if row.op not in TYPES or (row.op in J.SHOE_OPS) != (source == landing.SHOE):
            continue
        if row.op in (ops.OPEN, ops.DEALER_CHANGE):
            dealer = NAMES.dealers[row.aux]
        line: dict[str, Any] = {"table": NAMES.table, "type": TYPES[row.op]}
        if row.op in _IN_ROUND:
            line["round"] = str(row.round) if row.round else None
            line |= round_fields(row, following(rows, n, ops.IRREGULAR_CARD))
        else:
            line |= shoe_fields(row) if source == landing.SHOE else table_fields(row, dealer)
        meters = following(rows, n, ops.METER) if row.op == ops.PROGRESSIVE else []
        shows = [{"meter": ("primary", "secondary")[meter.flags], "meter_cents": meter.cents} for meter in meters]
        for shown in shows or [{}]:
            yield {name: value for name, value in (line | shown).items() if value is not None}


def following(rows: list[Row], n: int, op: int) -> list[Row]:
    end = n + 1
    while end < len(rows) and rows[end].op == op:
        end += 1
    return rows[n + 1 : end]


def parsed(log: Log, clocks: TableClocks, source: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in landing.source_lines(log, NAMES, clocks, source).tobytes().splitlines()]


def instant(event: dict[str, Any]) -> int:
    return round(datetime.fromisoformat(event["ts"]).timestamp() * 1000)


@given(st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_every_field_of_every_type(seed: int) -> None:
    rows = random_rows(Random(seed), 120)
    log = from_rows(rows)
    for source in landing.SOURCES:
        events = parsed(log, EXACT, source)
        assert [event.pop("seq") for event in events] == list(range(1, len(events) + 1))
        times = [event.pop("ts") for event in events]
        assert all(len(ts) == 29 and ts.endswith("+08:00") for ts in times)
        assert events == list(expected(rows, source))


def test_random_rows_cover_every_type() -> None:
    log = from_rows(random_rows(Random(1), 2000))
    types = {event["type"] for source in landing.SOURCES for event in parsed(log, EXACT, source)}
    assert types == set(TYPES.values())


def test_the_supervisor_on_duty_rules() -> None:
    times = [START - 1, START, START + 59_999, START + 60_000]
    events = parsed(from_rows([Row(ops.IRREGULARITY, ms=ms) for ms in times]), EXACT, landing.TERMINAL)
    assert [event["by"] for event in events] == ["B. Lee", "B. Lee", "B. Lee", "F. Öz"]


def test_lines_are_compact_and_begin_with_the_common_fields() -> None:
    log = from_rows(random_rows(Random(2), 500))
    for source in landing.SOURCES:
        for line in some(landing.source_lines(log, NAMES, EXACT, source).tobytes().decode().splitlines()):
            event = json.loads(line)
            assert json.dumps(event, ensure_ascii=False, separators=(",", ":")) == line
            names = list(event)
            assert names[:4] == ["table", "seq", "ts", "type"]
            assert "round" not in names[5:]


@given(st.integers(0, 2**32), st.integers(-60_000, 60_000), st.floats(-200, 200))
@settings(max_examples=50, deadline=None)
def test_times_run_by_the_sources_own_clock(seed: int, offset_ms: int, drift_ppm: float) -> None:
    rows = random_rows(Random(seed), 80)
    clocks = EXACT._replace(terminal=SimulatedClock(offset_ms, drift_ppm))
    times = [instant(event) for event in parsed(from_rows(rows), clocks, landing.TERMINAL)]
    assert all(a < b for a, b in pairwise(times))
    own = [row for row in rows if row.op in TYPES and row.op not in J.SHOE_OPS]
    first = own[0].ms if own else START
    assert not own or abs(times[0] - (first + offset_ms + drift_ppm * (first - START) / 1e6)) <= 0.5


def test_a_source_without_events_has_no_lines() -> None:
    log = from_rows([Row(ops.CLOSE, ms=START)])
    assert len(landing.source_lines(log, NAMES, EXACT, landing.SHOE)) == 0


NEW_YORK, MELBOURNE, LORD_HOWE = "America/New_York", "Australia/Melbourne", "Australia/Lord_Howe"


@pytest.mark.parametrize(
    ("timezone", "change", "before", "after"),
    [
        (NEW_YORK, "2026-11-01T06:00Z", "2026-11-01T01:59:59.990-04:00", "2026-11-01T01:00:00.010-05:00"),
        (NEW_YORK, "2026-03-08T07:00Z", "2026-03-08T01:59:59.990-05:00", "2026-03-08T03:00:00.010-04:00"),
        (MELBOURNE, "2026-04-04T16:00Z", "2026-04-05T02:59:59.990+11:00", "2026-04-05T02:00:00.010+10:00"),
        (LORD_HOWE, "2026-04-04T15:00Z", "2026-04-05T01:59:59.990+11:00", "2026-04-05T01:30:00.010+10:30"),
    ],
)
def test_clocks_put_forward_or_back(timezone: str, change: str, before: str, after: str) -> None:
    at = instant({"ts": change})
    hours = [at + n * 3_600_000 for n in range(-12, 12)]
    rows = [Row(ops.BETS_CLOSED, round=1, ms=ms) for ms in sorted([*hours, at - 10, at + 10])]
    events = parsed(from_rows(rows), TableClocks(ZoneInfo(timezone), hours[0]), landing.TERMINAL)
    assert [instant(event) for event in events] == [row.ms for row in rows]
    zone = ZoneInfo(timezone)
    for event, row in zip(events, rows, strict=True):
        local = datetime.fromtimestamp(row.ms / 1000, UTC).astimezone(zone)
        assert event["ts"] == local.isoformat(timespec="milliseconds")
    assert {before, after} <= {event["ts"] for event in events}
    assert len(offsets(zone, hours[0], hours[-1]).minutes) == 2


def played(book: str, rounds: int, seed: int) -> tuple[Log, Names]:
    """Settled rounds of one table as a log; where the cards lay is not known."""
    rng = Random(seed)
    setup = generator.plain_setup(book)
    events = generator.settle_all(setup, list(generator.rounds(setup, rng, rounds, stacked=False)), rng)
    encoded = encode_events(event for round_ in events for event in round_)
    log = J.empty(len(encoded.tape.op))
    for name in Tape._fields:
        getattr(log, name)[:] = getattr(encoded.tape, name)
    log.round[:] = np.repeat(np.arange(1, rounds + 1), np.diff(encoded.offsets))
    log.ms[:] = START + 1500 * np.arange(len(log.ms))
    names = Names("P21-04", encoded.patrons, encoded.shoes, encoded.sets, encoded.dealers, [(0, "B. Lee")])
    return log, names


@pytest.mark.parametrize("book", ["md-pontoon21", "mbs-pontoon"])
def test_lines_read_back_are_the_log(book: str) -> None:
    log, names = played(book, 60, 3)
    events: list[dict[str, Any]] = []
    for source in landing.SOURCES:
        data = landing.source_lines(log, names, EXACT, source).tobytes()
        events += [json.loads(line) for line in data.splitlines()]
    tape = encode_events(sorted(events, key=lambda event: str(event["ts"]))).tape
    for name, column in tape._asdict().items():
        np.testing.assert_array_equal(column, getattr(log, name), name)


# Files.


def read_events(path: Path) -> list[dict[str, Any]]:
    """The events of a landing file in any form; of Parquet, without nulls."""
    if path.suffix == ".parquet":
        return [{k: v for k, v in row.items() if v is not None} for row in pl.read_parquet(path).to_dicts()]
    if path.suffix == ".zst":
        assert path.read_bytes()[:4] == b"\x28\xb5\x2f\xfd"
        lines = pl.scan_csv(path, has_header=False, separator="\x01", quote_char=None).collect().to_series().to_list()
    else:
        data = path.read_bytes()
        lines = (gzip.decompress(data) if path.suffix == ".gz" else data).decode().splitlines()
    return [json.loads(line) for line in lines]


def with_lists(event: dict[str, Any]) -> dict[str, Any]:
    """A terminal's event as Parquet has it: what may be one or several is a list."""
    several = {name: [event[name]] for name in ("by", "ruling", "n") if not isinstance(event.get(name, []), list)}
    return event | several


FORMS: Final = [landing.Form(parts, form) for parts in (1, 3) for form in landing.ENDINGS]


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_hold_the_same_events(tmp_path: Path, form: landing.Form) -> None:
    log = from_rows(random_rows(Random(4), 600))
    paths = landing.write(tmp_path, DAY, log, NAMES, SKEWED, form)
    assert [path.parent for path in paths] == [tmp_path / "2026-11-16" / "P21-04"] * 2 * form.parts
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == sorted(paths)
    for source in landing.SOURCES:
        own = [path for path in paths if path.name.startswith(source)]
        numbers = [""] if form.parts == 1 else ["-1", "-2", "-3"]
        assert [path.name for path in own] == [f"{source}{n}{landing.ENDINGS[form.compression]}" for n in numbers]
        events = parsed(log, SKEWED, source)
        if form.compression == "parquet" and source == landing.TERMINAL:
            events = [with_lists(event) for event in events]
        assert [event for path in own for event in read_events(path)] == events


@pytest.mark.parametrize("form", FORMS)
def test_the_same_log_gives_the_same_bytes(tmp_path: Path, form: landing.Form) -> None:
    log = from_rows(random_rows(Random(5), 300))
    first = landing.write(tmp_path / "a", DAY, log, NAMES, SKEWED, form)
    second = landing.write(tmp_path / "b", DAY, log, NAMES, SKEWED, form)
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_more_parts_than_lines(tmp_path: Path) -> None:
    log = from_rows([Row(ops.OPEN, seat=6, aux=1, ms=START), Row(ops.CLOSE, ms=START + 1)])
    paths = landing.write(tmp_path, DAY, log, NAMES, EXACT, landing.Form(4))
    assert len(paths) == 8
    assert [event["type"] for path in paths for event in read_events(path)] == ["open", "close"]
