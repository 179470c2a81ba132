"""Cards, hand totals and bonus hands."""

from collections.abc import Sequence

RANKS = "A23456789JQK"
SUITS = "SHDC"
VALUE = {r: min(i + 1, 10) for i, r in enumerate(RANKS)}
DECK = [r + s for r in RANKS for s in SUITS]
TEN_VALUE = frozenset("JQK")
STRONG = frozenset("AJQK")


def total(cards: Sequence[str], low_aces: int = 0) -> tuple[int, bool]:
    """Return the hand's total and whether it is soft; low_aces aces must count 1."""
    hard = aces = 0
    for card in cards:
        rank = card[0]
        hard += VALUE[rank]
        if rank == "A":
            aces += 1
    if aces > low_aces and hard <= 11:
        return hard + 10, True
    return hard, False


def two_card_21(cards: Sequence[str]) -> bool:
    """Tell whether the hand is exactly an ace and a ten-value card."""
    if len(cards) != 2:
        return False
    a, b = cards[0][0], cards[1][0]
    return (a == "A" and b in TEN_VALUE) or (b == "A" and a in TEN_VALUE)


def bonus_odds(cards: Sequence[str]) -> tuple[int, int]:
    """Return the odds (numerator, denominator) that a winning 21 earns by its cards; 1 to 1 if none."""
    count = len(cards)
    if count >= 7:
        return 3, 1
    if count == 6:
        return 2, 1
    if count == 5:
        return 3, 2
    if count == 3:
        ranks = sorted(c[0] for c in cards)
        if ranks == ["6", "7", "8"] or ranks == ["7", "7", "7"]:
            suits = {c[1] for c in cards}
            if len(suits) > 1:
                return 3, 2
            return (3, 1) if "S" in suits else (2, 1)
    return 1, 1
