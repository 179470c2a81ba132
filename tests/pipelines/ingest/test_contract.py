"""The JSON Schema, the page, the command and a field added by a line: all follow from the declarations of events."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from typer.testing import CliRunner

from pipelines.cli import app
from pipelines.ingest.careful import Rejected, read_line
from replay import ops
from replay.contract import forms, json_schema, page
from replay.contract.events import EVENTS, FLAGS, EventType, Field
from replay.tape import COLUMNS, Tape, TapeError, check
from tests.pipelines.ingest.rows import Row

ROOT = Path(__file__).parents[3]
TS = "2026-01-06T00:21:49.210-05:00"
# What some field may hold and others may not.
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, 2, 3, 15, 16, 31, 32, 250, 251, 255, 256, 4095, 4096, 65535, 65536),
    *(-1, 2**53, 2**53 + 1, -(2**53), -(2**53) - 1, 2**40, 2**40 + 1, 0.5, 1.5, -0.5),
    *("", "x", "main", "super-bonus", "hit", "2S", "XX", "up", "ok", "blackjack", "machine", "discards", "open"),
    *(TS, "2026-01-06", "2026-01-06T00:21:49", "2026-01-06 00:21:49z", "2026-01-06T00:21:49+25:00"),
    *("dealer", "seat3.hand1", "seat0.hand1", "seat3", "1000", "community-100", "jackpot", "community-", "primary"),
    *(
        "refuse",
        "shoe.ten-found",
        "bsx16",
        "insurance",
        "shoe",
        [],
        [1],
        [0],
        [1, 3],
        [16],
        [32],
        ["refuse"],
        ["x"],
        {},
    ),
    *([1, "x"], ["refuse", "x"], [True], [[]]),
)


def plain(field: Field) -> Any:
    """A value that the field may hold."""
    usual = {forms.WHOLE: field.form.high, forms.TIME: TS, forms.NAME: "7", forms.TEXT: "T1"}
    return usual[field.form.kind] if field.form.kind in usual else field.form.words[0]


def shortest(event: EventType) -> Row:
    """A line with the fields that it must have."""
    return {"type": event.name} | {field.name: plain(field) for field in event.fields if field.is_required}


def is_read(event: EventType, line: Row) -> bool:
    return not isinstance(read_line(json.dumps(line).encode(), event.source, "T1", ("T1",)), Rejected)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.name)
def test_the_json_schema_admits_the_lines_that_are_read(event: EventType) -> None:
    schema = json_schema.document(event.name)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    line = shortest(event)
    assert is_read(event, line) and validator.is_valid(line)
    tried = [field.name for field in event.fields if field.is_logged and field.name != "table"]
    verdicts = set()
    for name in tried:
        for value in VALUES:
            changed = line | {name: value}
            verdicts.add(is_read(event, changed))
            assert validator.is_valid(changed) == is_read(event, changed), (name, value)
    assert verdicts == {True, False}
    for field in event.fields:
        if field.is_required:
            short = {name: value for name, value in line.items() if name != field.name}
            assert not validator.is_valid(short) and not is_read(event, short)


def test_the_whole_schema_tells_types_apart() -> None:
    validator = jsonschema.Draft202012Validator(json_schema.document())
    for event in EVENTS:
        assert validator.is_valid(shortest(event))
    assert not validator.is_valid(shortest(EVENTS[0]) | {"type": "heartbeat"})
    assert not validator.is_valid({"table": "T1", "seq": 1, "ts": TS})
    assert not validator.is_valid(shortest(EVENTS[0]) | {"decks": 256})


def test_the_page_of_events_is_up_to_date() -> None:
    found = (ROOT / "replay" / "EVENTS.md").read_text(encoding="utf-8")
    assert found == page.page(), "run: audit21 contract --markdown > replay/EVENTS.md"


def test_the_command_lists_fields_and_writes_the_schema() -> None:
    run = CliRunner().invoke
    shown = run(app, ["contract", "wager", "--width", "120"])
    assert shown.exit_code == 0
    assert "for_bettor" in shown.stdout and "required" in shown.stdout and "tens_removed" not in shown.stdout
    written = run(app, ["contract", "--json-schema"])
    assert written.exit_code == 0 and json.loads(written.stdout) == json_schema.document()
    assert run(app, ["contract", "--markdown"]).stdout == page.page()
    refused = run(app, ["contract", "wagers"])
    assert refused.exit_code == 2 and "found 'wagers', expected a type of event: open, inspection" in refused.stderr


@pytest.mark.parametrize("event", EVENTS, ids=[event.name for event in EVENTS])
def test_each_field_has_a_column_of_the_tape_to_itself_but_for_flags(event: EventType) -> None:
    slots = [field.slot for field in event.fields if field.slot is not None and not field.slot.row]
    places = [(slot.column, slot.flag) for slot in slots]
    flagged = {slot.column for slot in slots if slot.flag}
    assert len(set(places)) == len(places) and not flagged & {slot.column for slot in slots if not slot.flag}
    assert flagged <= {FLAGS} and all(slot.flag & (slot.flag - 1) == 0 for slot in slots)


def test_the_highest_kinds_of_a_tape_follow_from_the_declarations() -> None:
    known = {
        ops.WAGER: ops.BSX16,
        ops.SETTLE: ops.SUPER_SHARE,
        ops.DECISION: ops.RESCUE,
        ops.OFFER: ops.OFFER_SURRENDER,
    }
    for op, top in known.items():
        ones: Any = [np.ones(1, np.int64)] * len(COLUMNS)
        tape = Tape._make(ones)._replace(op=np.array([op], np.uint8), kind=np.array([top], np.uint8))
        check(tape, np.array([0, 1]))
        with pytest.raises(TapeError, match=f"kind: row 0 has {top + 1}, which operation {op} cannot have"):
            check(tape._replace(kind=np.array([top + 1], np.uint8)), np.array([0, 1]))


NEW_FIELD = '        _may("jams", forms.whole(0, 255), "jams of the shoe until its end", _unless(0, CARD)),\n'
AFTER = '        _must("remaining", _CARDS, "cards left in the shoe", Slot(AUX)),\n'
USES = Path(__file__).with_name("uses_of_a_field.py")


def test_a_new_field_of_an_event_is_one_line(tmp_path: Path) -> None:
    for room in ("replay", "pipelines", "warehouse", "vision"):
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__", "*.onnx", "*.webp"))
    declarations = tmp_path / "replay" / "contract" / "events.py"
    text = declarations.read_text(encoding="utf-8")
    assert text.count(AFTER) == 1
    declarations.write_text(text.replace(AFTER, AFTER + NEW_FIELD), encoding="utf-8")
    # In a process of its own, as modules read the declarations when they are imported; uncompiled, as code has changed.
    alone = os.environ | {"PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, USES], cwd=tmp_path, env=alone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    logged = {"type": "shoe_ended", "shoe": "S1", "remaining": 44, "jams": 3}
    assert found["fast"] == [True, [3]]
    assert found["careful"] == [3, "jams: found 256, expected a whole number from 0 to 255"]
    assert found["lake"] == ["int64", "jams of the shoe until its end"]
    assert found["stored"] == [3]
    number = {"type": "integer", "minimum": 0, "maximum": 255}
    expected = {"description": "jams of the shoe until its end", "anyOf": [number, {"type": "null"}]}
    assert found["schema"] == expected
    assert found["page"] == ["| `jams` |  | 0 to 255 | jams of the shoe until its end | `card` |"]
    assert found["noted"] == [{"source": "shoe", **logged}] and found["noted again"]
    assert found["tape"] == [[3], [0, 3]]
    assert {name: found["simulator"][0][name] for name in logged} == logged
    assert found["simulator"][1] == "Int64"
