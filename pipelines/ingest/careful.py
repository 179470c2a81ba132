"""A line read with care: the authority on which lines are good, and why the others are not."""

import json
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from replay.columns import TYPES_OF
from replay.contract.events import EVENT_OF
from replay.contract.read import FieldError, Fields, read_fields, shown
from replay.times import offset_minutes

BOM: Final = b"\xef\xbb\xbf"

_MOST_REASON: Final = 300


class Rejected(NamedTuple):
    """A line that is not good, and why."""

    reason: str


class _Refused(ValueError):
    """Why a line is not good."""


def read_line(raw: bytes, source: str, table: str, known: Collection[str]) -> Fields | Rejected:
    """One line of a table's source; ``known`` are the tables of floor.toml."""
    try:
        if not raw.strip(b" \t\r\n"):
            raise _Refused("empty line")
        if table not in known:
            raise _Refused(f"table: floor.toml does not know {shown(table)}")
        event = _parsed(raw)
    except _Refused as refused:
        return _rejected(refused)
    return read_event(event, source, table, known)


def read_event(event: Mapping[str, Any], source: str, table: str, known: Collection[str]) -> Fields | Rejected:
    """The same for a line that is no JSON any more, or never was."""
    try:
        if table not in known:
            raise _Refused(f"table: floor.toml does not know {shown(table)}")
        _check_table(event.get("table"), table, known)
        return _read(event, source)
    except _Refused as refused:
        return _rejected(refused)


def _rejected(refused: _Refused) -> Rejected:
    reason = str(refused)
    return Rejected(reason if len(reason) <= _MOST_REASON else f"{reason[:_MOST_REASON]}…")


def _parsed(raw: bytes) -> dict[str, Any]:
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise _Refused(f"not UTF-8: byte {error.start + 1} of the line is 0x{raw[error.start]:02x}") from None
    try:
        event = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_no_constant)
        if "\\u" in text:
            json.dumps(event, ensure_ascii=False).encode()  # half a surrogate pair is no text
    except _Refused:
        raise
    except json.JSONDecodeError as error:
        raise _Refused(f"not JSON: {error.msg.removesuffix(' at')} at character {error.pos + 1}") from None
    except UnicodeEncodeError:
        raise _Refused("not JSON: a text has half of a surrogate pair") from None
    except RecursionError:
        raise _Refused("not JSON that a line can hold: nested too deep") from None
    except ValueError:
        raise _Refused("not JSON that a line can hold: a number with thousands of digits") from None
    if not isinstance(event, dict):
        raise _Refused(f'found {shown(event)}, expected an object such as {{"table": ...}}')
    return event


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        times = Counter(name for name, _ in pairs)
        twice = next(name for name, _ in pairs if times[name] > 1)
        raise _Refused(f"{shown(twice)} stands twice in the line, expected once")
    return found


def _no_constant(name: str) -> Any:
    raise _Refused(f"not JSON: found {name}, expected a number")


def _check_table(found: Any, table: str, known: Collection[str]) -> None:
    if found == table:
        return
    if isinstance(found, str) and found not in known:
        raise _Refused(f"table: found {shown(found)}, which floor.toml does not know")
    raise _Refused(f"table: found {shown(found)}, expected {shown(table)} as in the folder's name")


def _read(event: Mapping[str, Any], source: str) -> Fields:
    kind = event.get("type")
    if kind not in TYPES_OF[source]:
        raise _Refused(f"type: found {shown(kind)}, expected one of {', '.join(TYPES_OF[source])}")
    try:
        fields = read_fields(EVENT_OF[kind], event)
    except FieldError as error:
        raise _Refused(str(error)) from None
    fields["offset_minutes"] = offset_minutes(event["ts"])
    return fields
