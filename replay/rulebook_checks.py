"""Checks of a rulebook's TOML: every key is known, every value of its kind, and every reference leads somewhere."""

import re
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Final, NamedTuple

from replay import ops, settings, situations
from replay.kinds import Flag, Kind, ListOf, Text, Whole, Words, toml
from replay.settings import OPTION, Setting

EFFECTS: Final = ("settles", "checks", "rules", "defines", "configures", "unobservable")
# Names that clauses may cite beside the engine's situations: what only the camera can show.
CAMERA_CODES: Final = frozenset(
    {"evidence.card-disagreement", "evidence.zone-disagreement", "evidence.sideways-disagreement"}
)
_RULING: Final = Words(*ops.RULING_BITS)
_CLAUSE: Final = (
    Setting("topic", Text()),
    Setting("says", Text()),
    Setting("does", Words(*EFFECTS)),
    Setting("cites", ListOf(Text()), ()),
    Setting("via", ListOf(Text()), ()),
    Setting("prescribes", ListOf(ListOf(_RULING), 4), ()),
    Setting("permits", ListOf(_RULING), ()),
    Setting("handles", ListOf(Text()), ()),
    Setting("report", Flag(), False),
    Setting("why", Text(), ""),
    Setting("was", Words(*EFFECTS), ""),
)
_TOP: Final = (
    Setting("id", Text()),
    Setting("title", Text()),
    Setting("jurisdiction", Text()),
    Setting("version", Text()),
    Setting("currency", Text()),
)
_PARTS: Final = ("parameters", "options", "readings", "clauses")
_CLAUSE_KEYS: Final = (*(each.name for each in _CLAUSE), "sets")
_READING: Final = (
    Setting("default", Text()),
    Setting("permitted", ListOf(Text())),
    Setting("clause", Text()),
    Setting("why", Text()),
)
_ID: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_ACTS: Final = ("settles", "checks", "rules")
# Payments cite the clause that states their odds or amounts.
_NEEDS_CLAUSE: Final = ("odds.", "super_bonus", "bonus_spin.", "bsx16.")
_MOST_SHOWN: Final = 60
_FEW: Final = 12

Row = Mapping[str, Any]


class Problem(NamedTuple):
    """Something wrong in a rulebook: under which keys, and what."""

    path: tuple[str, ...]
    message: str


def problems(data: Row) -> Iterator[Problem]:
    """Everything wrong with the data of a rulebook: its form first; what rests on the form only where that is right."""
    for checks in ((_form,), (_parameters, _options, _readings, _references), (_offers,)):
        found = [problem for check in checks for problem in check(data)]
        yield from found
        if found:
            return


def nearest(name: str, known: Collection[str]) -> str:
    """Suggest names in place of an unknown one: the most similar, or all where they are few."""
    alike = get_close_matches(name, known, 1, 0.5)
    if alike:
        return f"did you mean {alike[0]!r}?"
    return f"expected one of {', '.join(sorted(known))}" if len(known) <= _FEW else "see replay/RULEBOOKS.md"


# The form: keys, and values by themselves.


def _form(data: Row) -> Iterator[Problem]:
    yield from _unknown((), data, (*(each.name for each in _TOP), *_PARTS), "part of a rulebook")
    yield from _values((), data, _TOP)
    if isinstance(data.get("id"), str) and not _ID.fullmatch(data["id"]):
        yield Problem(("id",), f"id is {_shown(data['id'])}, expected small letters and digits, joined by '-'")
    for part in _PARTS:
        if not isinstance(data.get(part, {}), Mapping):
            yield Problem((part,), f"{part} is {_shown(data[part])}, expected [{part}]")
            return
        rows = data.get(part, {}).items() if part != "parameters" else ()
        yield from (
            Problem((part, name), f"{name} is {_shown(row)}, expected values by name")
            for name, row in rows
            if not isinstance(row, Mapping)
        )
    if not data.get("clauses"):
        yield Problem((), "has no [clauses]")
    for key, row in data.get("clauses", {}).items():
        if isinstance(row, Mapping):
            yield from _clause(("clauses", key), row)


def _clause(path: tuple[str, ...], row: Row) -> Iterator[Problem]:
    yield from _unknown(path, row, _CLAUSE_KEYS, "key of a clause")
    yield from _values(path, row, _CLAUSE)
    if not isinstance(row.get("sets", {}), Mapping):
        yield Problem((*path, "sets"), f"sets is {_shown(row['sets'])}, expected values by name")
        return
    if row.get("does") in _ACTS and not (row.get("sets") or row.get("cites") or row.get("via")):
        yield Problem(path, f"{row['does']} nothing; give it sets, cites or via")
    if (row.get("does") == "unobservable" or row.get("was")) and not row.get("why"):
        yield Problem(path, "needs a why")
    if not row.get("cites"):
        yield from (
            Problem((*path, key), f"{key} without cites: nothing that it is about")
            for key in ("prescribes", "permits", "handles", *(() if row.get("via") else ("report",)))
            if row.get(key)
        )


def _unknown(path: tuple[str, ...], row: Row, known: Collection[str], what: str) -> Iterator[Problem]:
    for name in row:
        if name not in known:
            yield Problem((*path, name), f"{name!r} is no {what}; {nearest(name, known)}")


def _values(path: tuple[str, ...], row: Row, declared: tuple[Setting, ...]) -> Iterator[Problem]:
    """List what is missing, or not of its kind."""
    for each in declared:
        if each.name in row:
            yield from _value((*path, each.name), each.kind, row[each.name])
        elif each.is_required:
            yield Problem(path, f"has no {each.name}, expected {each.kind.expected()}")


def _value(path: tuple[str, ...], kind: Kind, value: Any) -> Iterator[Problem]:
    if not kind.allows(value):
        hint = ""
        if isinstance(kind, Words) and isinstance(value, str):
            alike = get_close_matches(value, [choice for choice in kind.choices if isinstance(choice, str)], 1)
            hint = f"; did you mean {alike[0]!r}?" if alike else ""
        yield Problem(path, f"{path[-1]} is {_shown(value)}, expected {kind.expected()}{hint}")


def _shown(value: Any) -> str:
    text = toml(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


# Parameters, options and readings.


def _parameters(data: Row) -> Iterator[Problem]:
    set_by: dict[str, str] = {}
    for path, name, value in _all_set(data):
        kind = settings.parameter(name)
        if kind is None:
            yield Problem((*path, name), f"{name!r} is no parameter; {nearest(name, settings.PARAMETERS)}")
        else:
            yield from _value((*path, name), kind, value)
        if name in set_by:
            yield Problem((*path, name), f"{name} is set a second time, after {set_by[name]}")
        if path == ("parameters",) and name.startswith(_NEEDS_CLAUSE):
            yield Problem((*path, name), f"{name} has to be set by a clause: payments cite the one that states it")
        set_by[name] = path[-1]
    for name, setting in settings.PARAMETERS.items():
        if setting.is_required and name not in set_by:
            yield Problem((), f"no clause sets {name}, which has no default; expected {setting.kind.expected()}")


def _all_set(data: Row) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """Every parameter with its value, and where it is set."""
    for name, value in data.get("parameters", {}).items():
        yield ("parameters",), name, value
    for key, row in data["clauses"].items():
        for name, value in row.get("sets", {}).items():
            yield ("clauses", key, "sets"), name, value


def _options(data: Row) -> Iterator[Problem]:
    for name, row in data.get("options", {}).items():
        path, option = ("options", name), settings.OPTIONS.get(name)
        if option is None:
            yield Problem(path, f"{name!r} is no option; {nearest(name, settings.OPTIONS)}")
            continue
        yield from _unknown(path, row, ("default", "permitted"), "key of an option")
        yield from _values(path, row, (Setting("default", option.kind),))
        permitted = row.get("permitted")
        if isinstance(permitted, Mapping) and isinstance(option.kind, Whole):
            bound = Whole(option.kind.low, option.kind.high)
            yield from _unknown((*path, "permitted"), permitted, ("min", "max"), "bound")
            yield from _values((*path, "permitted"), permitted, (Setting("min", bound), Setting("max", bound, None)))
        else:
            yield from _values(path, row, (Setting("permitted", ListOf(option.kind)),))


def _readings(data: Row) -> Iterator[Problem]:
    for name, row in data.get("readings", {}).items():
        path, reading = ("readings", name), settings.READINGS.get(name)
        if reading is None:
            yield Problem(path, f"{name!r} is no reading; {nearest(name, settings.READINGS)}")
            continue
        yield from _unknown(path, row, [each.name for each in _READING], "key of a reading")
        kinds = {"default": reading.kind, "permitted": ListOf(reading.kind)}
        declared = tuple(Setting(each.name, kinds.get(each.name, each.kind)) for each in _READING)
        found = list(_values(path, row, declared))
        yield from found
        if not found and row["default"] not in row["permitted"]:
            yield Problem(path, f"default is {row['default']!r}, which is not among permitted")
        if not found and row["clause"] not in data["clauses"]:
            yield Problem(path, f"clause is {row['clause']!r}, which is no clause here")


# What refers to something else.


def _references(data: Row) -> Iterator[Problem]:
    known = set(situations.NAMES) | {situations.code(number) for number in range(situations.COUNT)} | CAMERA_CODES
    cited_by: dict[str, str] = {}
    for key, row in data["clauses"].items():
        path = ("clauses", key)
        for cited in row.get("cites", ()):
            if cited not in known:
                yield Problem(
                    (*path, "cites"), f"cites {cited!r}, which is no situation and no code; {nearest(cited, known)}"
                )
            if cited in cited_by:
                yield Problem((*path, "cites"), f"{cited} is cited a second time, after {cited_by[cited]}")
            cited_by[cited] = key
        for handled in row.get("handles", ()):
            if handled not in row["cites"] and handled not in {cited.partition("/")[0] for cited in row["cites"]}:
                yield Problem((*path, "handles"), f"handles {handled!r}, which it does not cite")
        for other in row.get("via", ()):
            if other not in data["clauses"]:
                yield Problem((*path, "via"), f"via {other!r}, which is no clause; {nearest(other, data['clauses'])}")


def _offers(data: Row) -> Iterator[Problem]:
    """Check that what the rulebook offers or leaves to the operator is stated in full."""
    values = {name: value for _, name, value in _all_set(data)}
    options = data.get("options", {})
    for name, setting in settings.PARAMETERS.items():
        if values.get(name) == OPTION and setting.option not in options:
            yield Problem((), f"{name} is {OPTION!r}, and [options] has no {setting.option}")
    share = {"players": "player", "wagers": "wager"}[values["super_bonus.share_to"]]
    reading = data.get("readings", {}).get("share_per", {"default": settings.READINGS["share_per"].default})
    if reading["default"] != share:
        told = f"default of share_per is {reading['default']!r}, expected {share!r}: super_bonus.share_to is "
        yield Problem(("readings", "share_per"), f"{told}{values['super_bonus.share_to']!r}")
    for name, needed in _needs(values, options):
        if needed not in values:
            yield Problem(("options", name), f"{name} may be offered, and no clause sets {needed}")


def _needs(values: Row, options: Row) -> Iterator[tuple[str, str]]:
    """Parameters without which a table could offer a wager that nothing pays: option and parameter."""

    def offered(name: str) -> list[Any]:
        row = options.get(name, {"default": False, "permitted": []})
        return [value for value in (row["default"], *row["permitted"]) if value is not False]

    if offered("pair"):
        yield "pair", "odds.pair"
    if offered("match"):
        per_box = [
            name for name in settings.PARAMETERS if name.startswith("odds.match.") and name[11:13] not in ("6.", "8.")
        ]
        decks = {6 if number <= 6 else 8 for number in values["decks"]}
        per_card = [f"odds.match.{number}.{suit}" for number in sorted(decks) for suit in ("suited", "unsuited")]
        stated = per_box if any(name in values for name in per_box) else per_card
        yield from (("match", name) for name in stated)
    if offered("bsx16"):
        yield "bsx16", "bsx16.stakes_cents"
    for letter in dict.fromkeys(offered("bonus_spin")):
        yield "bonus_spin", "bonus_spin.stakes_cents"
        yield from (("bonus_spin", f"bonus_spin.{letter}.{name}") for name in settings.OF_A_PAYTABLE)
