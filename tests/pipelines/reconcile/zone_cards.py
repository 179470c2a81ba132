"""The cards, sightings and rounds of a simulated zone, with the true clocks and the engine's own placing."""

import json
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from pipelines.reconcile.places import with_doubled, with_first_places
from replay import floor, ops
from replay.audit import Audit, audit
from replay.engine import layout as L
from tests.replay import zone_reader

CARDS = pl.Schema(
    {
        "table": pl.String,
        "round": pl.String,
        "row": pl.Int64,
        "shoe": pl.String,
        "n": pl.Int64,
        "card": pl.String,
        "zone": pl.String,
        "position": pl.Int16,
        "ms": pl.Int64,
    }
)
ACTS = pl.Schema(
    {
        "table": pl.String,
        "round": pl.String,
        "row": pl.Int64,
        "seat": pl.Int16,
        "hand": pl.Int16,
        "act": pl.String,
    }
)
SIGHTINGS = pl.Schema(
    {
        "table": pl.String,
        "seq": pl.Int64,
        "zone": pl.String,
        "order": pl.Int16,
        "face": pl.String,
        "card": pl.String,
        "confidence": pl.Float64,
        "sideways": pl.Boolean,
        "ms": pl.Int64,
        "until_ms": pl.Int64,
    }
)
ROUNDS = pl.Schema(
    {
        "table": pl.String(),
        "round": pl.String(),
        "boxes": pl.List(pl.Int16),
        "codes": pl.List(pl.String),
        "started_ms": pl.Int64(),
        "ended_ms": pl.Int64(),
        "decided_ms": pl.Int64(),
    }
)


@dataclass(frozen=True)
class TableDay:
    """One table's day, as the reconciliation takes it."""

    cards: pl.DataFrame
    sightings: pl.DataFrame
    rounds: pl.DataFrame


class _Clock:
    """Turns what a source's clock shows into true milliseconds."""

    def __init__(self, zone: Path, day: date, table: str) -> None:
        prop = floor.read(zone / "floor.toml").property
        starts = datetime.combine(day, time.fromisoformat(prop["gaming_day_starts"]), ZoneInfo(prop["timezone"]))
        self.begin = starts.timestamp() * 1000
        clocks = pl.read_parquet(zone / "clocks.parquet").filter(gaming_day=day, table=table)
        self.off: dict[str, tuple[int, float]] = {
            source: (offset, drift) for source, offset, drift in clocks.drop("gaming_day", "table").rows()
        }

    def ms(self, source: str, text: str) -> int:
        offset, drift = self.off[source]
        shown = datetime.fromisoformat(text).timestamp() * 1000
        return round((shown - offset + self.begin * drift / 1e6) / (1 + drift / 1e6))


def table_day(zone: Path, day: date, table: str) -> TableDay:
    """Read and judge a table's day."""
    clock = _Clock(zone, day, table)
    judged = audit(floor.read(zone / "floor.toml"), table, day, zone_reader.events(zone, day, table))
    rounds = _rounds(judged, clock)
    acts = _acts(judged)
    drawn = with_doubled(with_first_places(_cards(judged, clock), acts), acts)
    path = zone / day.isoformat() / table / "camera.ndjson"
    lines = path.read_text().splitlines() if path.exists() else []
    seen = {line["seq"]: line for line in map(json.loads, reversed(lines))}
    rows = [
        {**line, "ms": clock.ms("camera", line["ts"]), "until_ms": clock.ms("camera", line["until"])}
        for line in sorted(seen.values(), key=lambda line: line["seq"])
    ]
    sightings = pl.DataFrame([{name: row[name] for name in SIGHTINGS} for row in rows], schema=SIGHTINGS)
    return TableDay(drawn, _in_rounds(sightings, rounds), rounds)


def _in_rounds(sightings: pl.DataFrame, rounds: pl.DataFrame) -> pl.DataFrame:
    started = rounds.select("table", "round", "ended_ms", ms="started_ms").sort("ms")
    found = sightings.sort("ms").join_asof(started, on="ms", by="table", check_sortedness=False)
    inside = pl.when(pl.col("ms") <= pl.col("ended_ms") + 500).then("round")
    return found.with_columns(round=inside).drop("ended_ms").sort("seq")


def _zone(role: int, seat: int, hand: int) -> str | None:
    if role == L.TO_BOX:
        return f"seat{seat}.hand{hand}"
    return {L.TO_DEALER: "dealer", L.REMOVED: "discard", L.BURNED: "burn"}.get(role)


def _cards(judged: Audit, clock: _Clock) -> pl.DataFrame:
    encoded = judged.encoded
    place: dict[int, tuple[Any, ...]] = {}
    for number, name in enumerate(encoded.rounds):
        for row in range(encoded.offsets[number], encoded.offsets[number + 1]):
            if encoded.tape.op[row] == ops.DRAW:
                role, seat, hand, position = (int(value) for value in judged.verdicts.zones[row])
                place[int(encoded.source[row])] = name, _zone(role, seat, hand), position or None
    rows = []
    for index, event in enumerate(encoded.events):
        if event["type"] == "draw":
            name, zone, position = place.get(index, (None, "burn", None))
            drawn = event["shoe"], event["n"], event["card"]
            rows.append((judged.table.id, name, index, *drawn, zone, position, clock.ms("shoe", event["ts"])))
    return pl.DataFrame(rows, schema=CARDS, orient="row")


def _acts(judged: Audit) -> pl.DataFrame:
    rows = []
    for index, event in enumerate(judged.encoded.events):
        refuses = event["type"] == "irregularity" and "refuse" in str(event["ruling"])
        if event["type"] == "decision" and event["action"] in ("double", "split"):
            act, hand = event["action"], event.get("hand") or 1
        elif refuses and event["code"].startswith("play."):
            act, hand = "refuse", event.get("hand")
        else:
            continue
        rows.append((judged.table.id, event["round"], index, event.get("seat"), hand, act))
    return pl.DataFrame(rows, schema=ACTS, orient="row")


def _rounds(judged: Audit, clock: _Clock) -> pl.DataFrame:
    found: dict[str, dict[str, Any]] = {}
    for event in judged.encoded.events:
        name = event.get("round")
        if name is None:
            continue
        ms = clock.ms("terminal", event["ts"])
        line = found.setdefault(
            name,
            {
                "boxes": set(),
                "codes": set(),
                "started_ms": ms,
                "decided_ms": None,
                "table": judged.table.id,
                "round": name,
            },
        )
        line["ended_ms"] = ms
        if event["type"] == "decision" and judged.rules.hole_card:
            line["decided_ms"] = ms
        if event["type"] == "wager" and event["kind"] == "main":
            line["boxes"].add(event["seat"])
        if event["type"] == "irregularity":
            line["codes"].add(event["code"])
    rows = [{**line, "boxes": sorted(line["boxes"]), "codes": sorted(line["codes"])} for line in found.values()]
    return pl.DataFrame([{name: row[name] for name in ROUNDS} for row in rows], schema=ROUNDS)
