"""Writes a table-day's lines and returns its truth as data frames."""

import json
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import polars as pl

from tests.adversary.clocks import Clock, make_clock
from tests.adversary.tape import Event, Tape

EASTERN = timezone(timedelta(hours=-5))


@dataclass
class Outage:
    """Lines of one source lost between two true times."""

    source: str
    from_ms: int
    until_ms: int
    kind: str  # lost: seq goes on at the device; off: the device was off and seq does not jump
    lines: int = 0


@dataclass
class DayTruth:
    """The truth of one table-day, frame by frame."""

    frames: dict[str, pl.DataFrame] = field(default_factory=dict)


class Stamper:
    """Formats millisecond stamps as RFC 3339 with one cached text per second."""

    def __init__(self, utc: bool) -> None:
        self.zone, self.suffix = (UTC, "Z") if utc else (EASTERN, "-05:00")
        self.cache: dict[int, str] = {}

    def text(self, stamp_ms: int) -> str:
        """Return the stamp as text."""
        second, ms = divmod(stamp_ms, 1000)
        head = self.cache.get(second)
        if head is None:
            head = datetime.fromtimestamp(second, self.zone).strftime("%Y-%m-%dT%H:%M:%S")
            self.cache[second] = head
        return f"{head}.{ms:03d}{self.suffix}"


@dataclass
class Written:
    """Lines of one source: per event its seq and stamp, and whether the line was lost."""

    seq: list[int]
    stamp: list[int]
    lost: list[bool]


def write_source(
    path: Path, table: str, events: list[Event], clock: Clock, outages: list[Outage], utc: bool
) -> Written:
    """Write one source's file; lines inside an outage are left out."""
    stamps = clock.stamps([e[0] for e in events])
    text, dump = Stamper(utc).text, json.JSONEncoder(separators=(",", ":")).encode
    seqs, losts, lines, seq = [], [], [], 0
    for (t, kind, fields), stamp in zip(events, stamps, strict=True):
        outage = next((o for o in outages if o.from_ms <= t < o.until_ms), None)
        if outage is None or outage.kind == "lost":
            seq += 1
        seqs.append(seq if outage is None or outage.kind == "lost" else -1)
        losts.append(outage is not None)
        if outage is not None:
            outage.lines += 1
            continue
        if kind == "seen":
            fields = {"camera": f"{table}-C1", **fields, "until": text(stamp + max(0, fields["until"] - t))}
        fields.pop("#", None)
        body = dump(fields)
        more = "," + body[1:] if len(body) > 2 else "}"
        lines.append(f'{{"table":"{table}","seq":{seq},"ts":"{text(stamp)}","type":"{kind}"{more}\n')
    path.write_text("".join(lines))
    return Written(seqs, stamps, losts)


def split_sources(tape: Tape) -> tuple[dict[str, list[Event]], dict[int, int]]:
    """Return the events by source, and for each tape index of a shoe event its index among the shoe's."""
    by_source: dict[str, list[Event]] = {"terminal": [], "shoe": []}
    place: dict[int, int] = {}
    for i, event in enumerate(tape.events):
        if "#" in event[2]:
            place[i] = len(by_source["shoe"])
            by_source["shoe"].append(event)
        else:
            by_source["terminal"].append(event)
    if tape.camera:
        by_source["camera"] = sorted(tape.seen, key=lambda e: e[0])
    return by_source, place


def make_outages(
    specs: list[tuple[str, float, int]],
    off: bool,
    by_source: dict[str, list[Event]],
    span: tuple[int, int],
    rng: random.Random,
) -> list[Outage]:
    """Return outage windows at random moments, away from the day's ends and not in an idle stretch."""
    start, end = span
    margin = (end - start) // 10
    out: list[Outage] = []
    for source, minutes, count in specs:
        length = int(minutes * 60000)
        for _ in range(count):
            for _ in range(20):
                at = rng.randrange(start + margin, max(start + margin + 1, end - margin - length))
                if any(at <= e[0] < at + length for e in by_source[source]):
                    break
            out.append(Outage(source, at, at + length, "off" if off else "lost"))
    return out


def write_day(
    out: Path,
    table: str,
    day: str,
    tape: Tape,
    rounds: list[dict[str, Any]],
    breaks: list[tuple[int, int]],
    mode: str,
    specs: list[tuple[str, float, int]],
    off: bool,
    rng: random.Random,
) -> DayTruth:
    """Write the files of one table-day and return its truth."""
    folder = out / day / table
    folder.mkdir(parents=True, exist_ok=True)
    by_source, place = split_sources(tape)
    span = (tape.events[0][0], tape.events[-1][0])
    outages = make_outages(specs, off, by_source, span, rng)
    key = {"table": table, "gaming_day": day}
    clocks, order, written = [], [], {}
    for source, events in by_source.items():
        clock = make_clock(mode, source, span, breaks, rng)
        mine = [o for o in outages if o.source == source]
        w = write_source(folder / f"{source}.ndjson", table, events, clock, mine, source == "shoe")
        written[source] = w
        clocks += [
            {
                **key,
                "source": source,
                "from_true_ms": p.from_ms,
                "until_true_ms": p.until_ms,
                "offset_ms": p.offset_ms,
                "drift_ppm": p.drift_ppm,
                "jitter_ms": clock.jitter_ms,
            }
            for p in clock.pieces
        ]
        frame = pl.DataFrame({"seq": w.seq, "true_ms": [e[0] for e in events], "lost": w.lost}, schema=_ORDER)
        order.append(frame.select(*_lit(key), pl.lit(source).alias("source"), pl.all()))
    truth = DayTruth()
    truth.frames["clocks"] = pl.DataFrame(clocks, schema=_CLOCKS)
    truth.frames["order"] = pl.concat(order)
    truth.frames["outages"] = pl.DataFrame(
        [
            {
                **key,
                "source": o.source,
                "from_true_ms": o.from_ms,
                "until_true_ms": o.until_ms,
                "kind": o.kind,
                "lines": o.lines,
            }
            for o in outages
        ],
        schema=_OUTAGES,
    )
    truth.frames["rounds"] = pl.DataFrame([{**key, **r} for r in rounds], schema=_ROUNDS)
    truth.frames["cards"] = _cards(tape, key, written["shoe"], place)
    return truth


def _cards(tape: Tape, key: dict[str, str], shoe: Written, place: dict[int, int]) -> pl.DataFrame:
    """Return the truth of every card drawn."""
    at = [place[c.index] for c in tape.cards]
    cards = tape.cards
    frame = pl.DataFrame(
        {
            "shoe": [c.shoe for c in cards],
            "n": [c.n for c in cards],
            "card": [c.card for c in cards],
            "round": [c.round for c in cards],
            "zone": [c.zone for c in cards],
            "position": [c.position for c in cards],
            "final_zone": [c.ended for c in cards],
            "true_ms": [c.t for c in cards],
            "drawn_line_ms": [None if shoe.lost[i] else shoe.stamp[i] for i in at],
        },
        schema={
            "shoe": pl.String,
            "n": pl.Int64,
            "card": pl.String,
            "round": pl.String,
            "zone": pl.String,
            "position": pl.Int64,
            "final_zone": pl.String,
            "true_ms": pl.Int64,
            "drawn_line_ms": pl.Int64,
        },
    )
    return frame.select(*_lit(key), pl.all())


def _lit(key: dict[str, str]) -> list[pl.Expr]:
    """Return the key columns as literals."""
    return [pl.lit(v).alias(k) for k, v in key.items()]


_ORDER = {"seq": pl.Int64, "true_ms": pl.Int64, "lost": pl.Boolean}
_KEY = {"table": pl.String, "gaming_day": pl.String}
_SPAN = {"from_true_ms": pl.Int64, "until_true_ms": pl.Int64}
_CLOCKS = {
    **_KEY,
    "source": pl.String,
    **_SPAN,
    "offset_ms": pl.Float64,
    "drift_ppm": pl.Float64,
    "jitter_ms": pl.Int64,
}
_OUTAGES = {**_KEY, "source": pl.String, **_SPAN, "kind": pl.String, "lines": pl.Int64}
_ROUNDS = {
    **_KEY,
    "round": pl.String,
    "class": pl.String,
    "seat": pl.Int64,
    "variant": pl.String,
    "note": pl.String,
    "error_cents": pl.Int64,
    "error_by_box": pl.String,
    "dealer": pl.String,
    "rulebook": pl.String,
    "shoe": pl.String,
    "from_true_ms": pl.Int64,
    "until_true_ms": pl.Int64,
}
