"""JSON Schema of the events, for those who write landing files."""

from typing import Any, Final

from replay.contract import forms
from replay.contract.events import EVENT_OF, EventType, Field
from replay.contract.forms import ValueForm

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_TIME: Final = r"^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$"
_SYMBOL: Final = rf"^(community-)?\d{{1,{forms.MOST_DIGITS}}}$"
_DOLLARS: Final = {"type": "integer", "minimum": 0, "maximum": 10**forms.MOST_DIGITS - 1}
_HAND_ZONE: Final = r"^seat[1-9]\d?\.hand[1-9]\d{0,2}$"


def document(*names: str) -> dict[str, Any]:
    """Return the schema of a line, of one of some types or of any."""
    types = names or tuple(EVENT_OF)
    return {
        "$schema": DIALECT,
        "title": "A line of a landing file",
        "type": "object",
        "required": ["type"],
        "properties": {"type": {"enum": list(types)}},
        "allOf": [
            {"if": {"properties": {"type": {"const": name}}}, "then": {"$ref": f"#/$defs/{name}"}} for name in types
        ],
        "$defs": {name: of_type(EVENT_OF[name]) for name in types},
    }


def of_type(event: EventType) -> dict[str, Any]:
    """Return the schema of a type of event."""
    fields = [field for field in event.fields if field.is_logged]
    return {
        "description": f"{event.source}: {event.doc}",
        "type": "object",
        "required": ["type", *(field.name for field in fields if field.is_required)],
        "properties": {"type": {"const": event.name}, **{field.name: _property(field) for field in fields}},
    }


def _property(field: Field) -> dict[str, Any]:
    found = _value(field.form)
    if not field.is_required:
        found = {"anyOf": [found, {"type": "null"}]}
    unit = f", in {field.form.unit}" if field.form.unit else ""
    return {"description": field.doc + unit, **found}


def _value(form: ValueForm) -> dict[str, Any]:
    whole = {"type": "integer", "minimum": form.low, "maximum": form.high}
    word: dict[str, Any] = {"enum": list(form.words)} if form.words else {"type": "string"}
    if form.kind in (forms.MEMBERS, forms.ORDINALS):
        return _one_or_several(whole)
    if form.kind in (forms.PEOPLE, forms.RULINGS):
        return _one_or_several(word)
    known: dict[int, dict[str, Any]] = {
        forms.WHOLE: whole,
        forms.TRUTH: {"type": "boolean"},
        forms.TIME: {"type": "string", "format": "date-time", "pattern": _TIME},
        forms.SHARE: {"type": "number", "minimum": 0, "maximum": 1},
        forms.NAME: {"type": "string", "minLength": 1},
        forms.SYMBOL: {"anyOf": [word, {"type": "string", "pattern": _SYMBOL}, _DOLLARS]},
        forms.ZONE: {"anyOf": [word, {"type": "string", "pattern": _HAND_ZONE}]},
    }
    return known.get(form.kind, word)


def _one_or_several(item: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [item, {"type": "array", "items": item}]}
