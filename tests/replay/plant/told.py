"""Single rounds, told card by card, for planters to work on."""

from replay import cards, ops
from replay.simulator import log as J
from replay.simulator.log import Row
from replay.simulator.plant import REGISTRY, Truth
from replay.simulator.plant.base import NONE
from tests.generator import Setup
from tests.replay.plant import harness as H

ACTIONS = {name: number for number, name in enumerate(ops.ACTIONS)}


def stake(box: int, cents: int, kind: int = ops.MAIN, bettor: int = 1, hand: int = 1) -> Row:
    return Row(ops.WAGER, box, bettor, hand, kind, cents=cents)


def dealt(text: str) -> list[Row]:
    """Cards such as ``1:AS 1.2:8C d:9H``."""
    rows = []
    for where, name in (word.split(":") for word in text.split()):
        box, _, hand = where.partition(".")
        zone = J.ZONE_DEALER if box == "d" else int(box) * J.ZONE_HANDS + int(hand or 1)
        rows.append(Row(ops.DRAW, card=cards.parse(name), zone=zone))
    return rows


def turn(box: int, *steps: str, hand: int = 1) -> list[Row]:
    """A hand's turn: actions, each with the card it brings, as in ``hit 9C``; then it is done with."""
    rows: list[Row] = []
    for step in steps:
        action, _, card = step.partition(" ")
        rows.append(Row(ops.DECISION, box, 1, hand, ACTIONS[action]))
        rows += dealt(f"{box}.{hand}:{card}" if card else "")
    return [*rows, Row(J.MOMENT, box, 0, hand, J.AT_HAND)]


def a_round(wagers: list[Row], initial: str, play: list[Row], second: str = "", further: str = "") -> list[Row]:
    """A round: wagers, the initial deal, the players' part, the dealer's second card where it comes late, and more."""
    return [
        *wagers,
        Row(ops.BETS_CLOSED),
        *dealt(initial),
        *(Row(J.MOMENT, kind=which) for which in (J.AT_DEALT, J.AT_TURNS)),
        *play,
        *dealt(second),
        Row(J.MOMENT, kind=J.AT_SECOND),
        *dealt(further),
        Row(J.MOMENT, kind=J.AT_END),
        Row(ops.ROUND_END),
    ]


def outcomes(act: str, setup: Setup, rows: list[Row], handling: int = NONE) -> set[tuple[Truth, ...]]:
    """List all that a planter makes of a round by chance; each has to be found."""
    planter = next(each for planters in REGISTRY.values() for each in planters if each.act.__name__ == act)
    truths = set()
    for seed in range(8):
        result = H.plant(planter, H.tell(setup, rows, seed), handling)
        if result is not None:
            H.assert_same(result, f"{act} seed {seed}")
            truths.add(tuple(result.truth))
    return truths


def told(truths: set[tuple[Truth, ...]]) -> set[tuple[str, str, int]]:
    """Codes, clauses and variances of all findings."""
    return {(truth.code, truth.clause, truth.variance_cents) for each in truths for truth in each}
