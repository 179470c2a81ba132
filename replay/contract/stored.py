"""Columns of the fields: events of several types share a column where a field of theirs has the same name."""

from typing import Final, NamedTuple

from replay.contract import forms
from replay.contract.events import EVENTS, SOURCES, EventType, Field
from replay.contract.forms import ValueForm

LIST: Final = "_list"  # ends the name of the column of several ordinals


class Column(NamedTuple):
    """A column: what it may hold and what it means, by all types of event that have it."""

    form: ValueForm
    doc: str
    is_required: bool  # on all lines


def columns_of(*sources: str) -> dict[str, Column]:
    """Return the columns of the fields that events of some sources have, in the order of the declarations."""
    events = [event for event in EVENTS if event.source in sources]
    having: dict[str, list[Field]] = {}
    for event in events:
        for field in event.fields:
            having.setdefault(field.column, []).append(field)
            if field.form.kind == forms.ORDINALS:
                several = field.form._replace(kind=forms.SEVERAL)
                having[field.column + LIST] = [Field(field.name, several, f"{field.doc}, of several")]
    return {name: _column(fields, len(events)) for name, fields in having.items()}


def _column(fields: list[Field], events: int) -> Column:
    known = [field.form for field in fields]
    single = [form._replace(kind=forms.WHOLE) if form.kind == forms.ORDINALS else form for form in known]
    doc = "; ".join(dict.fromkeys(field.doc for field in fields))
    return Column(forms.merged(single), doc, sum(field.is_required for field in fields) == events)


COLUMNS: Final = columns_of(*SOURCES)
# By column: the name of its field on a line.
FIELD_OF: Final = {
    column: field.name
    for event in EVENTS
    for field in event.fields
    for column in (field.column, *([field.column + LIST] if field.form.kind == forms.ORDINALS else []))
}
KEYS: Final = ("type", *dict.fromkeys(field.name for event in EVENTS for field in event.fields if field.is_logged))

_NO_ROUND: Final = frozenset({"round"})  # a line outside rounds is in none, whatever it says


def stored_columns(*sources: str) -> dict[str, Column]:
    """Return the columns of the fields that lines of some sources have, but for the table's."""
    logged = {field.column for event in EVENTS for field in event.fields if field.is_logged}
    return {
        name: column
        for name, column in columns_of(*sources).items()
        if name != "table" and (name in logged or name.endswith(LIST))
    }


def form_of(event: EventType, name: str) -> ValueForm:
    """Return what a field may hold on a line of that type.

    A field that the type does not have is kept where it fits its column, and ignored where it does not.
    """
    own = event.field(name)
    if own is not None:
        return own.form
    return forms.NONE if name in _NO_ROUND or name not in COLUMNS else COLUMNS[name].form


def column_of(event: EventType, name: str) -> str:
    """Return the name of the column that a field of a line goes to."""
    own = event.field(name)
    return name if own is None else own.column
