"""Prints what readers, lake, documents, notation, tape and simulator make of a field ``jams`` of ``shoe_ended``.

``test_contract`` runs it in a tree whose declarations have that field.
"""

import json

import numpy as np

from pipelines.ingest.careful import read_line
from pipelines.ingest.read import read_file
from pipelines.ingest.scan import scan
from pipelines.judge.events import field_columns
from replay import notation, ops
from replay.columns import Lines
from replay.contract import json_schema, page
from replay.contract.events import EVENT_OF
from replay.encode import encode, encode_events
from replay.simulator import landing, lines
from replay.simulator.clocks import Offsets
from replay.simulator.log import Names, Row, from_rows
from warehouse.schemas import DATASETS

HEAD = {"table": "T1", "seq": 1, "ts": "2026-01-06T00:21:49Z", "type": "shoe_ended", "shoe": "S1", "remaining": 44}
GOOD, BAD = (json.dumps(HEAD | {"jams": jams}).encode() for jams in (3, 256))
NOTED = "rulebook md-pontoon21\ndecks 6\nshoe S1\nshoe ends 44 jams 3\n"


def written() -> bytes:
    """The line that the simulator writes for a row of its log."""
    log = from_rows([Row(ops.SHOE_ENDED, card=3, cents=1, aux=44)])
    names = Names("T1", [""], ["", "S1"], [""], [""], [])
    times = np.array([1_767_658_909_000])
    return lines.lines(log, np.zeros(1, np.int64), times, Offsets(times, np.zeros(1, np.int64)), names).tobytes()


def uses() -> dict[str, object]:
    """By place: what it makes of the field."""
    fast = scan(np.frombuffer(GOOD + b"\n", np.uint8), "shoe", "T1")
    read = read_file(GOOD, "shoe.ndjson", "shoe", "T1", {"T1"})
    events, script = DATASETS["events"], notation.load(NOTED)
    tape = encode(Lines(read.columns, read.words), np.zeros(1, np.int64), read.columns.number("ts")).table
    return {
        "fast": [bool(fast.rows.is_read.all()), read.columns.number("jams").tolist()],
        "careful": [read_line(GOOD, "shoe", "T1", ["T1"])["jams"], read_line(BAD, "shoe", "T1", ["T1"])[0]],  # type: ignore[call-overload,index]
        "lake": [str(events.arrow.field("jams").type), events.descriptions["jams"]],
        "stored": field_columns(read.columns, read.words, np.asarray, "shoe")["jams"].to_pylist(),
        "schema": json_schema.of_type(EVENT_OF["shoe_ended"])["properties"]["jams"],
        "page": [row for row in page.page().splitlines() if row.startswith("| `jams`")],
        "noted": [event for event in script.events if event["type"] == "shoe_ended"],
        "noted again": notation.load(notation.dump(script)).events == script.events,
        "tape": [tape.card.tolist(), encode_events(script.events).table.card.tolist()],
        "simulator": [json.loads(written()), str(landing.schema("shoe")["jams"])],
    }


if __name__ == "__main__":
    print(json.dumps(uses()))
