"""Settings in floor.toml that a rulebook does not allow, and that therefore change nothing."""

from collections.abc import Mapping
from random import Random
from typing import Any, Final, NamedTuple

from replay.simulator.plant.base import Truth

CODE: Final = "floor.not-permitted"
WEIGHT: Final = 0.02  # how often a table has such a setting
_OPTIONS, _READINGS = "options", "readings"


class RefusedSetting(NamedTuple):
    """Something that floor.toml may ask for in vain, and the clause against it, where one speaks of it."""

    group: str
    name: str
    value: Any
    clause: str


_MARYLAND: Final = (
    RefusedSetting(_OPTIONS, "bettors_per_box", 2, "2.B(2)"),  # one area for one player
    RefusedSetting(_OPTIONS, "burn_first_card", False, "7.B(3)"),
    RefusedSetting(_OPTIONS, "hole_card", False, "7.E(4)"),
    RefusedSetting(_OPTIONS, "settle_order", "left-to-right", "7.R"),
    RefusedSetting(_OPTIONS, "bonus_spin", "E", "6.G(2)"),
    RefusedSetting(_OPTIONS, "mid_shoe_entry", "minimum", ""),
    RefusedSetting(_OPTIONS, "pair", True, ""),
    RefusedSetting(_READINGS, "split_two_card_21", "lose", "7.P"),
    RefusedSetting(_READINGS, "super_bonus_steps", "literal", ""),
)
_SETTINGS: Final[Mapping[str, tuple[RefusedSetting, ...]]] = {
    "md-pontoon21": _MARYLAND,
    "md-spanish21": _MARYLAND,
    "ma-pontoon21": (
        RefusedSetting(_OPTIONS, "max_hands_per_box", 3, "10(c)"),
        RefusedSetting(_OPTIONS, "resplit_aces", False, "10(c)"),
        RefusedSetting(_OPTIONS, "settle_order", "right-to-left", "5(e)"),
        RefusedSetting(_OPTIONS, "bettors_per_box", 4, "13(a)"),
        RefusedSetting(_OPTIONS, "match_min_cents", 100, "6(b)"),
        RefusedSetting(_OPTIONS, "bonus_spin", "A", ""),
        RefusedSetting(_READINGS, "share_per", "box", "5(g)/50-share"),
    ),
    "mbs-pontoon": (
        RefusedSetting(_OPTIONS, "hole_card", True, "3.18"),
        RefusedSetting(_OPTIONS, "resplit_aces", True, "3.22.1"),
        RefusedSetting(_OPTIONS, "max_hands_per_box", 3, "3.21"),
        RefusedSetting(_OPTIONS, "burn_first_card", False, "5.21"),
        RefusedSetting(_OPTIONS, "match", True, ""),
        RefusedSetting(_READINGS, "split_two_card_21", "push", "3.20.1"),
        RefusedSetting(_READINGS, "surrender_binds", "box", "3.24.3.2"),
    ),
    "div15-pontoon": (
        RefusedSetting(_OPTIONS, "hole_card", True, "8.5"),
        RefusedSetting(_OPTIONS, "max_hands_per_box", 4, "13.4(a)"),
        RefusedSetting(_OPTIONS, "resplit_aces", True, "13.4(b)"),
        RefusedSetting(_OPTIONS, "mid_shoe_entry", "forbid", ""),
        RefusedSetting(_READINGS, "undoubled_bettor_odds", "even", "12.6"),
        RefusedSetting(_READINGS, "surrender_binds", "bettor", "9.6"),
    ),
}


def ask_in_vain(data: dict[str, Any], table: str, rng: Random) -> Truth | None:
    """Put a setting that is not permitted into every entry of a table of floor.toml's data.

    Returns the finding that each of the table's days has to give; None where the table sets all of them already.
    """
    entries = [entry for entry in data["table"] if entry["id"] == table]
    taken = {(group, name) for entry in entries for group in (_OPTIONS, _READINGS) for name in entry.get(group, {})}
    books = {entry["rulebook"] for entry in entries}
    if len(books) != 1:
        return None
    fit = [setting for setting in _SETTINGS[books.pop()] if (setting.group, setting.name) not in taken]
    if not fit:
        return None
    chosen = rng.choice(fit)
    for entry in entries:
        entry[chosen.group] = {**entry.get(chosen.group, {}), chosen.name: chosen.value}
    return found(chosen.clause)


def found(clause: str) -> Truth:
    """What each day of a table with such a setting shows."""
    return Truth(CODE, None, None, None, None, None, None, 0, clause, None)
