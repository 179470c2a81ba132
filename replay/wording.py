"""Words for amounts, cards, places and times: how every room writes them."""

import re
from collections.abc import Sequence
from typing import Final

KIND_NAMES: Final = {
    "main": "main wager",
    "split": "split wager",
    "double": "double wager",
    "insurance": "insurance",
    "pair": "pair wager",
    "match": "match wager",
    "bonus-spin": "Bonus Spin",
    "bsx16": "Bonus Spin Xtreme",
    "super-bonus": "Super Bonus",
    "super-bonus-share": "Super Bonus share",
}

_SUITS: Final = str.maketrans("SHDC", "♠♥♦♣")
_PLAIN: Final = str.maketrans("♠♥♦♣", "SHDC")
_ZONE: Final = re.compile(r"seat(\d+)\.hand(\d+)")
_ZONE_NAMES: Final = {"dealer": "the dealer's cards", "discard": "the discards", "burn": "the burn cards"}
_MINUTE_MS: Final = 60_000


def money(cents: int) -> str:
    """Format cents as an amount: ``1,234.50``."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100:,}.{abs(cents) % 100:02d}"


def card_text(name: str) -> str:
    """Format a card: ``7♠``, ``10♦``."""
    return name[:-1].replace("T", "10") + name[-1].translate(_SUITS)


def cards_text(names: Sequence[str]) -> str:
    """Format cards in a row."""
    return " ".join(map(card_text, names))


def without_suits(text: str) -> str:
    """Write suits as letters, for terminals that cannot draw them."""
    return text.translate(_PLAIN)


def place_text(seat: int | None, hand: int | None = None, bettor: int | None = None) -> str:
    """Name a place: ``box 3``, ``box 3 hand 2``, ``box 3 bettor 2``; first hands and bettors are not mentioned."""
    if not seat:
        return "the table"
    text = f"box {seat}"
    text += f" hand {hand}" if hand and hand > 1 else ""
    return text + (f" bettor {bettor}" if bettor and bettor > 1 else "")


def zone_text(zone: str) -> str:
    """Name a zone of the felt: ``box 3 hand 2``, ``the dealer's cards``."""
    if box := _ZONE.fullmatch(zone):
        return place_text(int(box[1]), int(box[2]))
    return _ZONE_NAMES.get(zone, zone)


def span_text(ms: int) -> str:
    """Format a duration in whole seconds, or in minutes from one minute on."""
    count, unit = (round(ms / 1000), "second") if ms < _MINUTE_MS else (round(ms / _MINUTE_MS), "minute")
    return f"{count:,} {unit}{'' if count == 1 else 's'}"


def payment_text(payment: tuple[int, int]) -> str:
    """Name a payment and a collection, both in cents: ``a payment of 15.00``."""
    paid, taken = payment
    if taken and not paid:
        return f"a collection of {money(taken)}"
    return f"a payment of {money(paid)}" + (f" and a collection of {money(taken)}" if taken else "")


def capital(text: str) -> str:
    """Capitalise the first letter."""
    return text[:1].upper() + text[1:]
