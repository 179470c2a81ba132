"""Simulated landing zones as columns, read the plain way, and audited in the order that the alignment gives."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np

from pipelines.align.align import Alignment
from pipelines.stories.doubt import as_far_as_certain
from pipelines.stories.replayed import replay_day
from pipelines.stories.stories import tell
from replay import floor
from replay.audit import Judged, Reporter, judge
from replay.columns import (
    ABSENT,
    I64,
    NUMBERS,
    SEEDS,
    SOURCES,
    TEXTS,
    TYPE_OF,
    Columns,
    Lines,
)
from replay.compile_rules import compile_rules
from replay.encode import encode
from tests.replay import zone_reader

Event = dict[str, Any]


@dataclass
class TableDay:
    """A table's lines, as columns and as they came, in the same order."""

    lines: Lines
    events: list[Event]


def table_day(folder: Path, without: str = "") -> TableDay:
    """The lines of a table's folder; of lines with the same number the first stands."""
    found: dict[tuple[int, str, int], Event] = {}
    for number, source in enumerate(SOURCES):
        for path in sorted(folder.glob(f"{source}*.ndjson")) if source != without else []:
            for event in map(json.loads, path.read_text().splitlines()):
                found.setdefault((number, _device(event), event["seq"]), event)
    keys = sorted(found)
    return from_events([(SOURCES[key[0]], found[key]) for key in keys])


def from_events(events: Iterable[tuple[str, Event]]) -> TableDay:
    """Events with their sources as columns, in the order given."""
    given = list(events)
    words: dict[str, int] = {word: number for number, word in enumerate(SEEDS)}
    rows = len(given)
    numbers = np.full((len(NUMBERS), rows), ABSENT, np.int64)
    texts = np.zeros((len(TEXTS), rows), np.int32)
    for row, (_, event) in enumerate(given):
        for place, name in enumerate(NUMBERS):
            numbers[place, row] = _number(name, event)
        for place, name in enumerate(TEXTS):
            texts[place, row] = words.setdefault(_text(name, event), len(words))
    columns = Columns(
        file=np.zeros(rows, np.int32),
        line=np.arange(1, rows + 1, dtype=np.int32),
        source=np.array([SOURCES.index(source) for source, _ in given], np.uint8),
        type=np.array([TYPE_OF[event["type"]] for _, event in given], np.uint8),
        offset_minutes=np.zeros(rows, np.int16),
        numbers=numbers,
        texts=texts,
        stream=np.array([words.setdefault(_device(event), len(words)) for _, event in given], np.int32),
    )
    return TableDay(Lines(columns, list(words)), [event for _, event in given])


def _device(event: Mapping[str, Any]) -> str:
    return "" if event["type"] in ("fault", "repaired") else str(event.get("device") or "")


def _number(name: str, event: Mapping[str, Any]) -> int:
    value = event.get(name)
    if value is None or isinstance(value, list):
        return ABSENT
    if name in ("ts", "until"):
        return round(datetime.fromisoformat(value).timestamp() * 1000)
    return round(value * 1e6) if name == "confidence" else int(value)


def _text(name: str, event: Mapping[str, Any]) -> str:
    if name == "n_list":
        return json.dumps(event["n"], separators=(",", ":")) if isinstance(event.get("n"), list) else ""
    value = event.get(name)
    if value is None:
        return ""
    if isinstance(value, list) or name in ("ruling", "bettors", "refused_by"):
        return json.dumps(value if isinstance(value, list) else [value], separators=(",", ":"))
    return str(value)


def uncertainty(lines: Lines, aligned: Alignment) -> I64:
    """By row: how far its device's clock may be off there, in ms, as the rows of ``clocks`` have it."""
    columns, found = lines.columns, np.zeros(len(lines), np.int64)
    for clock in aligned.clocks:
        own = columns.source == SOURCES.index(clock.source)
        own &= columns.stream == lines.words.index(clock.device or "")
        for row in clock.rows:
            inside = own & (columns.number("seq") >= row.since_seq) & (columns.number("seq") <= row.until_seq)
            found[inside] = row.uncertainty_ms
    return found


def takes_hole_card(table: floor.Table) -> bool:
    """Return whether the dealer of a table takes a second card in the initial deal."""
    return bool(compile_rules(table).hole_card)


def audited(zone: Path) -> Counter[tuple[Any, ...]]:
    """Rows of truth.parquet that an audit of every table's day finds: in the order of the likeliest stories."""
    plan = floor.read(zone / "floor.toml")
    found: Counter[tuple[Any, ...]] = Counter()
    for day, table in zone_reader.table_days(zone):
        found.update(findings(plan, table, day, table_day(zone / day.isoformat() / table)))
    return found


def findings(plan: floor.Floor, table: str, day: date, given: TableDay) -> Counter[tuple[Any, ...]]:
    """The findings of one table's day."""
    judged = told(plan, plan.table(table, day), given.lines)
    reporter = Reporter(judged.table, judged.encoded)
    return Counter(zone_reader._row(day, judged.table, finding) for finding in reporter.findings(judged, day))


def told(plan: floor.Floor, table: floor.Table, lines: Lines) -> Judged:
    """Judge a table's day as the pipeline does, as far as it is certain."""
    day = replay_day(plan, table, lines)
    stories = tell(day.court, day.aligned.stepped, plan.audit)
    changed = stories.applied(day.shown.ordered)
    judged = day.judged if changed is None else judge(plan, table, encode(*changed))
    return as_far_as_certain(judged, stories.rounds, day.shown.lost, day.aligned.untimed)
