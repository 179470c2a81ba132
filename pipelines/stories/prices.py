"""Chances of everything that a story can suppose, in a round of an ordinary night.

A story's weight is the product of these chances over what it supposes: every finding that it leaves, every misdeal that
nobody logged, every card that its clocks put in an unusual place. Only ratios matter. A property that knows its own
figures sets ``[audit.prices]`` in floor.toml by code.
"""

import math
from collections.abc import Mapping
from typing import Final

import numpy as np

from replay import codes, situations
from replay.columns import I64, Mask
from replay.engine import layout as L

# Chance of a finding at one place of a round (a wager, a decision, a card), by code or by its first part. A misdeal
# that explains two independent errors is weighed against them; one that explains a single payment is hardly believed.
CHANCES: Final[dict[str, float]] = {
    "": 1e-4,  # of one wager being paid wrongly, of one card against the rules
    "play": 1.5e-4,  # an illegal decision that the dealer allowed, a decision that was not keyed
    "dealer": 1.5e-4,  # the dealer's own hand
    # A misdeal of one kind at one place, which nobody logged. Exchanged cards are no exception, although some pair of
    # boxes nearly always explains a payment: where one does, nobody is accused of that payment on a guess.
    "deal": 1.2e-6,
    "deal.count-mismatch": 1e-9,  # cards cannot vanish: says that the story explains nothing
    "round": 1e-5,
}
NEAR_STEP: Final = 0.5  # that a clock is off beside a round in which it stepped, or in a row of odd rounds
MOST: Final = 5  # stories told of a round, and ways to tell one
ALSO: Final = 0.001  # share of a story's weight from which another way to tell it is told beside it
LEAST: Final = 1e-5  # stories below that share of all weight are not told
# What the camera says. How often it reads a card wrong is learned from the day itself.
ELSEWHERE: Final = 2e-6  # of a card that is read right and put into a wrong place, one of some fifty
HIDDEN: Final = 0.05  # of a card that lies on the felt and is never seen: a hand, a sleeve or a drink covers it
READINGS: Final = 500  # with fewer in a day its error rate is hardly known, and taken to be one in so many
UNRELIABLE: Final = 0.1  # a camera that reads more than this share wrong is not heard
CONTRADICTED: Final = 1e-4  # sightings less likely than this make a round suspect
UNEXPLAINED: Final = 1e-12  # the likeliest story whose sightings are less likely than this is not the true one
INNOCENT: Final = 0.1  # share of an accusing story's weight from which an innocent one stands against it


def in_thousandths(chance: float) -> int:
    """Price a chance: minus its logarithm, in thousandths."""
    return round(-1000 * math.log(chance))


def costs(given: Mapping[str, float] | None = None) -> I64:
    """Price every code: minus the logarithm of its chance, in thousandths."""
    chances = {**CHANCES, **(given or {})}
    found = []
    for code in codes.CODES:
        chance = chances.get(code.name, chances.get(code.name.partition(".")[0], chances[""]))
        found.append(in_thousandths(chance))
    return np.array(found, np.int64)


_OF_SLOT: Final = np.array(codes.OF_SLOT, np.int64)


def code_of(findings: I64) -> I64:
    """Say the code of every finding of the engine."""
    found: I64 = _OF_SLOT[findings[:, L.F_SLOT]]
    return found


def _starting(*parts: str) -> Mask:
    """Mark codes by how they begin."""
    return np.array([code.name.startswith(parts) for code in codes.CODES] + [False] * 256)[:256]


# Findings that hang on the order between lines of two devices: nothing without a clock.
BY_CLOCK: Final = np.array(
    [
        name.startswith(
            (
                *("settlement.out-of-order", "reader.not-used", "wager.insurance-not-open/reader"),
                *("play.illegal-assign", "play.illegal-rescue"),
            )
        )
        and not name.endswith(("collect-first", "right-to-left", "match-seats"))
        for name in situations.NAMES
    ]
)
BY_ORDER: Final = _starting(
    *("settlement.", "deal.", "dealer.", "play.", "reader.", "wager.insurance", "wager.late", "shoe.burn-missed"),
    *("shoe.ended-mid-round", "progressive.trigger", "progressive.late-wager", "round.void-required"),
)
OF_MONEY: Final = _starting("settlement.")
ASTRAY: Final = _starting("dealer.drew")  # the dealer laid a card too many on the own hand
BY_CARDS: Final = _starting(
    *("settlement.", "play.", "dealer.", "deal.count", "deal.player-one-card", "reader.contradicts", "reader.misused"),
    *("reader.not-used", "wager.insurance-not-open", "progressive.trigger"),
)
