"""Decoding of a line of cards, from the readings and from the order in which a deck is spread.

A card at its expected place in the sequence needs weaker evidence than a card out of sequence; a clear reading
outweighs any sequence. The cards are the states of a hidden Markov chain.
"""

from functools import cache
from typing import Final

import numpy as np

from replay.cards import RANKS
from vision.enrolment.places import CardLine, Values
from vision.reading.index import SUITS

_NEXT: Final = 0.95  # chance that the next card is the one that the sequence wants
_TEN: Final = 0.01  # chance of a ten between a nine and a jack
_SAME_SUIT: Final = 0.03  # of another card of the suit; the rest is for cards of other suits
_TENS: Final = RANKS.index("T")
_STATES: Final = len(RANKS) * len(SUITS)  # suit by suit


def decode(line: CardLine) -> tuple[list[str], list[float]]:
    """The likeliest card at each place, and the chance that it is that card."""
    seen = np.array([(place.suits[:, None] + place.ranks).ravel() for place in line.places])
    both = [_posterior(seen, _transitions(is_falling)) for is_falling in (False, True)]
    chances, _ = max(both, key=lambda each: each[1])
    best = chances.argmax(axis=1)
    return [_name(int(state)) for state in best], chances[np.arange(len(best)), best].tolist()


def _name(state: int) -> str:
    return RANKS[state % len(RANKS)] + SUITS[state // len(RANKS)]


def _posterior(seen: Values, moves: Values) -> tuple[Values, float]:
    """The chance of each card at each place, by the forward-backward algorithm, and the log-likelihood of it all."""
    likely = np.exp(seen - seen.max(axis=1, keepdims=True))
    forward, backward = np.empty_like(likely), np.ones_like(likely)
    told = 0.0
    before = np.full(_STATES, 1 / _STATES)
    for n, each in enumerate(likely):
        forward[n] = (before @ moves if n else before) * each
        total = float(forward[n].sum())
        told += float(np.log(total))
        before = forward[n] = forward[n] / total
    for n in range(len(likely) - 2, -1, -1):
        backward[n] = moves @ (likely[n + 1] * backward[n + 1])
        backward[n] /= backward[n].sum()
    chances = forward * backward
    return chances / chances.sum(axis=1, keepdims=True), told


@cache
def _transitions(is_falling: bool) -> Values:
    """The chance of each card after each: ranks rise, or fall, and begin anew with any suit."""
    count = len(RANKS)
    ranks = [rank for rank in range(count) if rank != _TENS]
    wanted = {rank: ranks[(n + 1) % len(ranks)] for n, rank in enumerate(ranks)} | {_TENS: _TENS + 1}
    moves = np.full((_STATES, _STATES), (1 - _NEXT - _TEN - _SAME_SUIT) / _STATES)
    for suit in range(len(SUITS)):
        own = slice(suit * count, (suit + 1) * count)
        moves[own, own] += _SAME_SUIT / count
        for rank, following in wanted.items():
            begins_anew = following < rank
            after = range(len(SUITS)) if begins_anew else [suit]
            for other in after:
                moves[suit * count + rank, other * count + following] += _NEXT / len(after)
        moves[suit * count + _TENS - 1, suit * count + _TENS] += _TEN
    moves /= moves.sum(axis=1, keepdims=True)
    if is_falling:
        moves = moves.T / moves.T.sum(axis=1, keepdims=True)
    return moves
