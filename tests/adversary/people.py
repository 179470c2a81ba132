"""Dealers with their habits and players with their strategies."""

import random
from dataclasses import dataclass

from tests.adversary.cards import STRONG, VALUE

PACES = {"dense": (100, 350), "usual": (150, 900), "sparse": (1500, 2500)}


@dataclass(frozen=True)
class Dealer:
    """A dealer's name and habits."""

    name: str
    draws_before_keying: float  # share of hits drawn before they are keyed
    takes_busts_at_once: bool
    logs_zero: bool
    logs_offers: bool
    stands_on_21: bool  # keys "stand" on 21 where the hand waits for the dealer
    wager_first: bool
    deals_idle_second: bool  # deals the second card also where nothing is open
    from_right: bool
    keys_late: bool
    paces: tuple[str, ...]


def make_dealer(name: str, seed: int, late_keying: bool) -> Dealer:
    """Return the dealer of that name; the habits depend on the seed and the name alone."""
    rng = random.Random(f"{seed}/dealer/{name}")
    paces = rng.choice((("usual",), ("usual",), ("dense",), ("sparse",), ("dense", "usual"), ("usual", "sparse")))
    return Dealer(
        name=name,
        draws_before_keying=rng.choice((0.0, 0.0, 1.0, 1.0, 0.5)),
        takes_busts_at_once=rng.random() < 0.5,
        logs_zero=rng.random() < 0.4,
        logs_offers=rng.random() < 0.35,
        stands_on_21=rng.random() < 0.4,
        wager_first=rng.random() < 0.7,
        deals_idle_second=rng.random() < 0.25,
        from_right=rng.random() < 0.5,
        keys_late=late_keying and rng.random() < 0.5,
        paces=paces,
    )


@dataclass(frozen=True)
class Style:
    """A player's strategy, as probabilities and thresholds."""

    name: str
    stand_strong: int  # stands from this hard total against 7 to A
    stand_weak: int  # and against 2 to 6
    stand_soft: int
    double: float
    split: float
    surrender: float
    insure: float
    rescue: float
    side: float


STYLES = (
    Style("book", 17, 13, 18, 0.9, 0.6, 0.3, 0.05, 0.3, 0.2),
    Style("timid", 14, 12, 17, 0.2, 0.2, 0.5, 0.7, 0.6, 0.1),
    Style("drawer", 18, 17, 19, 0.02, 0.15, 0.02, 0.1, 0.0, 0.3),
    Style("gambler", 16, 14, 18, 0.95, 0.95, 0.02, 0.5, 0.1, 0.9),
    Style("regular", 17, 15, 18, 0.5, 0.5, 0.1, 0.3, 0.2, 0.5),
)


def choose(style: Style, rank: str, points: int, soft: bool, up: str, legal: set[str], rng: random.Random) -> str:
    """Return the player's action; rank is the pair's rank ("" if none), up the dealer's up card's rank."""
    strong = up in STRONG or VALUE[up] >= 7
    if "surrender" in legal and not soft and (14 <= points <= 17) and strong and rng.random() < style.surrender:
        return "surrender"
    if "split" in legal:
        eager = 1.0 if rank in "A8" else 0.75 if rank in "23679" else 0.25
        if rng.random() < style.split * eager:
            return "split"
    if "double" in legal:
        keen = 1.0 if not soft and 9 <= points <= 11 else 0.12 if soft and points < 19 else 0.03 if points < 17 else 0.0
        if rng.random() < style.double * keen:
            return "double"
    if points <= 11 or "stand" not in legal:
        return "hit"
    limit = style.stand_soft if soft else style.stand_strong if strong else style.stand_weak
    return "hit" if points < limit else "stand"
