"""The page replay/EVENTS.md: every type of event with its fields, for people."""

from collections.abc import Iterator
from typing import Final

from replay.contract import forms
from replay.contract.events import EVENTS, HEAD, SOURCES, EventType, Field, Slot
from replay.tape import COLUMNS

_HEAD: Final = """# Events

The events that landing files can hold. `audit21 contract --markdown` writes this page from the declarations in
`replay/contract/events.py`, `audit21 contract --json-schema` a JSON Schema to check lines with before they are sent.

A line goes to quarantine if a required field is missing, or if a field of its type has a value that does not fit;
`null` counts as missing. A field that its type does not have is never a reason. *On the tape* is the column in which
the engine finds the value.

Every line has `type`, one of those below, and

"""
_COLUMNS: Final = "| field | required | value | meaning | on the tape |\n|---|---|---|---|---|"


def page() -> str:
    """Return the page as Markdown."""
    lines = [_HEAD + _COLUMNS, *map(_row, HEAD), ""]
    for source in SOURCES:
        lines.append(f"## {source}\n")
        for event in EVENTS:
            if event.source == source:
                lines += _section(event)
    return "\n".join(lines).rstrip() + "\n"


def _section(event: EventType) -> Iterator[str]:
    yield f"### {event.name}\n\n{event.doc[0].upper()}{event.doc[1:]}.\n"
    own = [field for field in event.fields if field not in HEAD and field.is_logged]
    if own:
        yield _COLUMNS
    yield from map(_row, own)
    if own:
        yield ""


def _row(field: Field) -> str:
    required = "yes" if field.is_required else ""
    return f"| `{field.name}` | {required} | {value(field)} | {field.doc} | {place(field.slot)} |"


def value(field: Field) -> str:
    """Return what a field may hold, in a few words."""
    form = field.form
    if form.kind == forms.WHOLE:
        most = "" if form.high == forms.MOST else f" to {form.high}"
        least = "any" if form.low == -forms.MOST else f"{form.low}{most or ' or more'}"
        return f"{least}{f', {form.unit}' if form.unit else ''}"
    return form.says.removeprefix("one of ")


def place(slot: Slot | None) -> str:
    """Return where a field stands on the tape, empty for none."""
    if slot is None:
        return ""
    flag = f", flag {slot.flag}" if slot.flag else ""
    further = ", on a row of its own" if slot.row else ""
    return f"`{COLUMNS[slot.column]}`{flag}{further}"
