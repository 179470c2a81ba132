"""Accepted lines as rows of ``events`` and ``sightings``."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pipelines.judge import arrow as A
from pipelines.judge.day import JudgedDay
from replay.columns import ABSENT, I32, I64, SHOE, SOURCES, TERMINAL, TYPES
from replay.meanings import people
from warehouse.schemas import DATASETS

_LISTS: Final[dict[str, Any]] = {
    "by": (people, pa.string()),
    "ruling": (A.read_list, pa.string()),
    "bettors": (A.read_list, pa.int64()),
    "refused_by": (A.read_list, pa.int64()),
    "n_list": (A.read_list, pa.int64()),
}
_SMALL: Final = ("seat", "bettor", "hand", "for_bettor", "missed_card")
_NUMBERS: Final = (
    *("cents", "paid_cents", "taken_cents", "prize_cents", "meter_cents", "n", "decks", "cards", "tens_removed"),
    *("from_top", "from_bottom", "remaining"),
)
_TEXTS: Final = (
    *("round", "kind", "action", "patron", "dealer", "decks_id", "shoe", "what", "state", "code", "system", "symbol"),
    *("meter", "card", "face", "shuffle", "from", "result"),
)


def events(day: JudgedDay, round_of: I64, paths: Sequence[str], hashes: Sequence[str]) -> pa.Table:
    """Lines of terminal and shoe; ``round_of`` has for each line the round it lies in, -1 for none."""
    c, words = day.lines.columns, day.lines.words
    rows = np.concatenate([np.flatnonzero((c.source == each) & (c.file >= 0)) for each in (SHOE, TERMINAL)])  # by name
    runs = _runs(rows)

    def of(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.concatenate([column[run] for run in runs])

    columns = {
        "place": A.numbers(of(day.place)),
        "source": A.names(of(c.source), SOURCES, none=-1),
        "device": A.names(of(c.text("device")), words),
        "seq": A.numbers(of(c.number("seq"))),
        "ts": A.moments(of(c.number("ts"))),
        "utc_offset_minutes": pa.array(of(c.offset_minutes)),
        "corrected": A.moments(of(day.corrected)),
        "type": A.names(of(c.type), TYPES, none=-1),
        "round_id": A.names(of(round_of), day.round_ids, none=-1),
        "exposed": A.truths(of(c.number("exposed"))),
        **{name: A.numbers(of(c.number(name)), pa.int16()) for name in _SMALL},
        **{name: A.numbers(of(c.number(name))) for name in _NUMBERS},
        **{name: A.names(of(c.text(name)), words) for name in _TEXTS},
        **{name: A.lists(of(c.text(name)), words, *how) for name, how in _LISTS.items()},
        **_origin(of(c.file), of(c.line), paths, hashes),
    }
    found = A.table(day.day, day.table_id, len(rows), **columns)
    return found.select(DATASETS["events"].arrow.names)


def _runs(rows: I64) -> list[slice]:
    """Rows as slices, which copy faster: a source's lines follow each other."""
    breaks = np.flatnonzero(np.diff(rows) != 1) + 1
    return [slice(int(run[0]), int(run[-1]) + 1) for run in np.split(rows, breaks) if len(run)] or [slice(0)]


def _origin(files: I32, line: I32, paths: Sequence[str], hashes: Sequence[str]) -> dict[str, Any]:
    return {
        "path": A.names(files, paths, none=-1),
        "line": pa.array(line),
        "file_sha256": A.names(files, hashes, none=-1),
    }


def sightings(day: JudgedDay, round_of: I64, paths: Sequence[str], hashes: Sequence[str]) -> pa.Table:
    """Lines of the camera, in the order of time."""
    rows = day.sightings
    rows = rows[np.lexsort((day.lines.columns.number("seq")[rows], day.corrected[rows]))]
    c, words = day.lines.columns.take(rows), day.lines.words
    until, sure = c.number("until"), c.number("confidence")
    shift = day.corrected[rows] - c.number("ts")  # a sighting is short: its end is off by as much as its beginning
    absent = until == ABSENT
    found = A.table(
        day.day,
        day.table_id,
        len(rows),
        camera=A.names(c.text("camera"), words),
        device=A.names(c.text("device"), words),
        seq=A.numbers(c.number("seq")),
        ts=A.moments(c.number("ts")),
        corrected=A.moments(day.corrected[rows]),
        until=A.moments(np.where(absent, 0, until + shift), absent),
        zone=A.names(c.text("zone"), words),
        order=A.numbers(c.number("order"), pa.int16()),
        face=A.names(c.text("face"), words),
        card=A.names(c.text("card"), words),
        confidence=pa.array(np.where(sure == ABSENT, 0, sure) / 1e6, mask=sure == ABSENT),
        sideways=A.truths(c.number("sideways")),
        frame=pa.nulls(len(rows), pa.int64()),
        round_id=A.names(round_of[rows], day.round_ids, none=-1),
        **_origin(c.file, c.line, paths, hashes),
    )
    return found.select(DATASETS["sightings"].arrow.names)
