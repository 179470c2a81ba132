"""An event's fields checked against its declaration, as the columns hold them."""

from collections.abc import Mapping
from typing import Any, Final

from replay.contract.events import HEAD, EventType
from replay.contract.forms import ORDINALS, fitted
from replay.contract.stored import KEYS, LIST, column_of, form_of

_KEYS: Final = frozenset(KEYS)
_MOST_SHOWN: Final = 80  # characters of a value in a reason

# Values by column, with the event's ``type``.
Fields = dict[str, int | str]


class FieldError(ValueError):
    """A field that does not fit its declaration: its name, what was found and what was expected."""


def read_fields(event: EventType, given: Mapping[str, Any], is_line: bool = True) -> Fields:
    """Return the fields of an event of that type; one that is its own and does not fit is an error.

    An event that is no line of a file may lack what every line has, and have what no line has.
    """
    own = [field for field in event.fields if field.is_logged or not is_line]
    found: Fields = {"type": event.name}
    for field in own:
        value = given.get(field.name)
        fits = None if value is None else fitted(field.form, value)
        if fits is None and (value is not None or (field.is_required and (is_line or field not in HEAD))):
            raise FieldError(f"{field.name}: found {shown(value)}, expected {field.form.says}")
        if fits is not None:
            found[_column(event, field.name, fits)] = fits
    for name in _KEYS.intersection(given).difference(field.name for field in own):
        fits = None if given[name] is None else fitted(form_of(event, name), given[name])
        if fits is not None:
            found[_column(event, name, fits)] = fits
    return found


def _column(event: EventType, name: str, value: int | str) -> str:
    """Name of the column of a value; several ordinals have a column of their own."""
    column = column_of(event, name)
    return column + LIST if isinstance(value, str) and form_of(event, name).kind == ORDINALS else column


def shown(value: Any) -> str:
    """Return a value as a reason quotes it."""
    if value is None:
        return "nothing"
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
