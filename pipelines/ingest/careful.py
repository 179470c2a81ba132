"""A line read with care: the authority on which lines are good, and why the others are not."""

import json
from collections import Counter
from collections.abc import Collection
from typing import Any, Final, NamedTuple

from pipelines.ingest.fields import KEYS, MEMBERS, OWN, fitted, form_of
from replay import tape
from replay.columns import TYPES_OF
from replay.times import offset_minutes

BOM: Final = b"\xef\xbb\xbf"

_KEYS: Final = frozenset(KEYS)
_MOST_SHOWN: Final = 80  # characters of a value in a reason
_MOST_REASON: Final = 300

# A good line's fields as the columns hold them, with its ``type`` and the ``offset_minutes`` of its ``ts``.
Fields = dict[str, int | str]


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
            raise _Refused(f"table: floor.toml does not know {_shown(table)}")
        event = _parsed(raw)
        _check_table(event.get("table"), table, known)
        return _read(event, source)
    except _Refused as refused:
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
        raise _Refused(f'found {_shown(event)}, expected an object such as {{"table": ...}}')
    return event


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        times = Counter(name for name, _ in pairs)
        twice = next(name for name, _ in pairs if times[name] > 1)
        raise _Refused(f"{_shown(twice)} stands twice in the line, expected once")
    return found


def _no_constant(name: str) -> Any:
    raise _Refused(f"not JSON: found {name}, expected a number")


def _check_table(found: Any, table: str, known: Collection[str]) -> None:
    if found == table:
        return
    if isinstance(found, str) and found not in known:
        raise _Refused(f"table: found {_shown(found)}, which floor.toml does not know")
    raise _Refused(f"table: found {_shown(found)}, expected {_shown(table)} as in the folder's name")


def _read(event: dict[str, Any], source: str) -> Fields:
    kind = event.get("type")
    if kind not in TYPES_OF[source]:
        raise _Refused(f"type: found {_shown(kind)}, expected one of {', '.join(TYPES_OF[source])}")
    fields: Fields = {}
    for name, form in OWN[kind].items():
        given = event.get(name)
        value = None if given is None else fitted(form, given)
        if value is None and (form.required or given is not None):
            raise _Refused(f"{name}: found {_shown(given)}, expected {form.says}")
        _keep(fields, name, value)
    for name in _KEYS.intersection(event).difference(OWN[kind]):
        _keep(fields, name, None if event[name] is None else fitted(form_of(kind, name), event[name]))
    fields["offset_minutes"] = offset_minutes(event["ts"])
    if source != "camera":
        _check_tape(kind, event)
    return fields


def _keep(fields: Fields, name: str, value: int | str | None) -> None:
    if name == "n" and isinstance(value, str):
        name = "n_list"
    elif name == "card" and isinstance(value, int):
        name = "missed_card"
    if value is not None:
        fields[name] = value


def _check_tape(kind: str, event: dict[str, Any]) -> None:
    """Whether the engine can take the line; fields that its type does not use are not its business."""
    own = {name: event[name] for name in OWN[kind] if event.get(name) is not None}
    for name, value in own.items():
        if OWN[kind][name].what == MEMBERS and not isinstance(value, list):
            own[name] = [value]
    try:
        tape.encode([own | {"ts": own["ts"].upper()}])
    except tape.TapeError as error:
        raise _Refused(str(error)) from None


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
