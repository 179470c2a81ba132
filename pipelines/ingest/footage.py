"""What films show, as the lines that a camera would have logged."""

import json
from collections.abc import Collection, Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from pipelines.ingest.read import FileLines, read_file
from pipelines.watch.films import FilmFile
from pipelines.watch.sidecar import moment
from pipelines.watch.watched import Watched
from replay.times import time_ms

_FORM: Final = "seen.ndjson"
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
        lines.append((film, read_file(_text(watched, table, first), _FORM, _SOURCE, table, known)))
    return lines


def _text(watched: Watched, table: str, first: int) -> bytes:
    rows = [
        {
            "table": table,
            "seq": first + number,
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
        for number, seen in enumerate(watched.seen)
    ]
    return b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows)


def with_frames(sightings: pa.Table, found: Sequence[tuple[FilmFile, Watched]]) -> pa.Table:
    """Rows of ``sightings`` with the frame that shows each: a film's lines are its sightings in order."""
    if not found:
        return sightings
    frames = np.zeros(len(sightings), np.int64)
    is_film = np.zeros(len(sightings), np.bool_)
    path = np.array(sightings["path"].to_pylist(), object)
    line = sightings["line"].to_numpy()
    for film, watched in found:
        rows = np.flatnonzero(path == film.path)
        is_film[rows] = True
        frames[rows] = np.array([seen.frame for seen in watched.seen], np.int64)[line[rows] - 1]
    place = sightings.schema.get_field_index("frame")
    return sightings.set_column(place, sightings.schema.field("frame"), pa.array(frames, mask=~is_film))
