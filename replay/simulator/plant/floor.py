"""Settings in floor.toml that a rulebook does not allow, and that therefore change nothing."""

from random import Random
from typing import Any, Final

from replay.library import Library
from replay.presentation import presentation
from replay.simulator.plant.base import Truth

CODE: Final = "floor.not-permitted"
WEIGHT: Final = 0.02  # how often a table has such a setting
_OPTIONS, _READINGS = "options", "readings"


def ask_in_vain(data: dict[str, Any], table: str, rng: Random, books: Library) -> Truth | None:
    """Put a setting that is not permitted into every entry of a table of floor.toml's data.

    Returns the finding that each of the table's days has to give; None where the table sets all of them already.
    """
    entries = [entry for entry in data["table"] if entry["id"] == table]
    taken = {(group, name) for entry in entries for group in (_OPTIONS, _READINGS) for name in entry.get(group, {})}
    names = {entry["rulebook"] for entry in entries}
    if len(names) != 1:
        return None
    refused = presentation(books.find(names.pop())).refused
    fit = [setting for setting in refused if (setting.group, setting.name) not in taken]
    if not fit:
        return None
    chosen = rng.choice(fit)
    for entry in entries:
        entry[chosen.group] = {**entry.get(chosen.group, {}), chosen.name: chosen.value}
    return found(chosen.clause)


def found(clause: str) -> Truth:
    """Return the findings of each day of a table with such a setting."""
    return Truth(CODE, None, None, None, None, None, None, 0, clause, None)
