"""The round in the plain-text notation, with the burns and shoe changes since the round before."""

import tomllib
from datetime import date
from typing import Any, Final

from dashboards.packets.gather import Dossier
from replay.notation import dump
from replay.notation_values import Script

_OF_A_DEVICE: Final = ("fault", "repaired")  # elsewhere a device says only which of several wrote the line


def notation(dossier: Dossier) -> str:
    """The text; where the notation cannot say an event, a remark tells which and why."""
    events = [dict(dossier.event(step)) for step in dossier.account.steps]
    floor = _floor(dossier)
    try:
        return dump(Script(floor, tuple(_event(event) for event in events)))
    except ValueError as error:
        return f"# This round cannot be written in the notation: {error}\n"


def _event(event: dict[str, Any]) -> dict[str, Any]:
    said = event["type"] in _OF_A_DEVICE
    return {name: value for name, value in event.items() if said or name != "device"}


def _floor(dossier: Dossier) -> dict[str, Any]:
    """The floor of this one table, as floor.toml has it."""
    place = dossier.place
    data = tomllib.loads(place.raw(dossier.round["floor_sha256"]).read_text(encoding="utf-8"))
    entries = [entry for entry in data["table"] if entry["id"] == place.table and _since(entry) <= place.day]
    table = max(entries, key=_since)
    used = {value for system in table.get("progressive", {}).values() for value in system.values()}
    meters = [meter for meter in data.get("meter", []) if meter["id"] in used]
    name = data.get("property", {}).get("name")
    named = {"property": {"name": name}} if name else {}
    return {**named, "table": [table | {"from": place.day}], **({"meter": meters} if meters else {})}


def _since(entry: dict[str, Any]) -> date:
    """The day from which an entry of floor.toml is in force."""
    since: date = entry.get("from", date.min)
    return since
