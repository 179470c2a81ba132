"""Cards recognised in footage, as the columns that a camera's lines would fill."""

import json
from collections.abc import Collection, Sequence
from typing import Any, Final

from pipelines.ingest.careful import Rejected, read_event
from pipelines.ingest.read import FileLines, Quarantined
from pipelines.watch.films import FilmFile
from pipelines.watch.sidecar import moment
from pipelines.watch.watched import SeenCard, Watched
from replay.columns import CAMERA, SEED_OF, TYPE_OF, Columns, put
from replay.times import time_ms

_SOURCE: Final = "camera"


def read_films(
    found: Sequence[tuple[FilmFile, Watched]], table: str, known: Collection[str]
) -> list[tuple[FilmFile, FileLines]]:
    """The films' lines; those of one camera are numbered on from film to film, in the order in which they begin."""
    numbered: dict[str, int] = {}
    lines = []
    for film, watched in sorted(found, key=lambda each: (time_ms(each[1].start) or 0, each[0].path)):
        first = numbered.get(watched.device, 1)
        numbered[watched.device] = first + len(watched.seen)
        lines.append((film, _lines(watched, table, first, known)))
    return lines


def _lines(watched: Watched, table: str, first: int, known: Collection[str]) -> FileLines:
    """A film's sightings, numbered from ``first`` on; a line of the film is its sighting in order."""
    columns, words = Columns.blank(len(watched.seen)), dict(SEED_OF)
    bad = []
    for row, seen in enumerate(watched.seen):
        event = _event(watched, seen, table, first + row)
        fields = read_event(event, _SOURCE, table, known)
        if isinstance(fields, Rejected):
            bad.append(Quarantined(row + 1, fields.reason, json.dumps(event, separators=(",", ":")).encode()))
            continue
        put(columns, row, fields | {"frame": seen.frame}, words)
        columns.type[row], columns.offset_minutes[row] = TYPE_OF["seen"], fields["offset_minutes"]
        columns.line[row] = row + 1
    columns.file[:], columns.source[:], columns.stream[:] = 0, CAMERA, columns.text("device")
    return FileLines(columns.take(columns.line > 0), list(words), bad, len(watched.seen))


def _event(watched: Watched, seen: SeenCard, table: str, seq: int) -> dict[str, Any]:
    return {
        "table": table,
        "seq": seq,
        "ts": moment(watched.start, seen.time_ms),
        "type": "seen",
        "device": watched.device,
        "camera": watched.camera,
        "zone": seen.zone,
        "order": seen.order,
        "face": seen.face,
        "card": seen.card,
        "confidence": seen.confidence,
        "sideways": seen.sideways,
        "until": moment(watched.start, seen.until_ms),
    }
