"""Weights of the stories of a round, and the findings that are certain."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pipelines.stories import prices
from pipelines.stories.trial import Candidate
from replay import codes
from replay.columns import I64
from replay.engine import layout as L

Key = tuple[int, ...]

_FINDING = [L.F_SLOT, L.F_SEAT, L.F_BETTOR, L.F_KIND, L.F_HAND, L.F_COST, L.F_CARD, L.F_A]
_WAGER = [L.S_SEAT, L.S_BETTOR, L.S_FOR, L.S_KIND, L.S_HAND]
_DUE = [L.S_PAID, L.S_TAKEN, L.S_VERDICT]


class Story(NamedTuple):
    """A candidate with what it leaves, and its share of all weight."""

    candidate: Candidate
    cost: int
    findings: I64
    settlements: I64
    unusual: bool = False  # cards were drawn at unusual moments for it
    weight: float = 0.0
    elsewhere: int = 0  # what cards cost that the camera saw in other places, in thousandths of a nat

    @property
    def unexplained(self) -> bool:
        """Whether the camera saw too many cards in other places than it has them."""
        return self.elsewhere >= prices.in_thousandths(prices.UNEXPLAINED)


class Weighed(NamedTuple):
    """A round's stories, the likeliest first, and what may be said of it."""

    stories: list[Story]
    certain: dict[Key, float]  # findings that stand, with the share of all weight in which they hold
    open: bool  # whether something may have happened that is not certain
    unsettled: set[Key]  # wagers whose stories differ


def key(finding: I64) -> Key:
    """Name what a finding is about, the same in every story."""
    return tuple(int(finding[n]) for n in _FINDING)


def wager(settlement: I64) -> Key:
    """Name a wager."""
    return tuple(int(settlement[n]) for n in _WAGER)


def _misdeal(finding: I64) -> Key:
    """Name what a finding is about; of a misdeal, without when it was noticed, which does not show where cards lie."""
    code = int(prices.code_of(finding[None])[0])
    if not codes.CODES[code].name.startswith("deal."):
        return key(finding)
    return -code, int(finding[L.F_SEAT]), int(finding[L.F_HAND])


def weigh(stories: list[Story], threshold: float, seen: bool = False) -> Weighed:
    """Give every story its share of the weight, and find what is certain; ``seen`` says that a camera saw the cards."""
    kept = _told(stories)
    best = kept[0]
    name_of = _misdeal if seen else key
    held = [{name_of(finding) for finding in story.findings} for story in kept]
    full = {name_of(finding): key(finding) for finding in best.findings}
    certain: dict[Key, float] = {}
    doubtful = False
    for name in set().union(*held):
        share = sum(story.weight for story, names in zip(kept, held, strict=True) if name in names)
        accusing = max(story.weight for story, names in zip(kept, held, strict=True) if name in names)
        innocent = max(
            (story.weight for story, names in zip(kept, held, strict=True) if name not in names), default=0.0
        )
        if not best.unexplained and share >= threshold and innocent < prices.INNOCENT * accusing and name in held[0]:
            certain[full[name]] = share
        elif share > 1 - threshold:
            doubtful = True
    due = {wager(line): tuple(int(line[n]) for n in _DUE) for line in best.settlements}
    unsettled: set[Key] = set()
    for story in kept[1:]:
        if story.weight < 1 - threshold:
            continue
        other = {wager(line): tuple(int(line[n]) for n in _DUE) for line in story.settlements}
        unsettled |= {name for name in due.keys() | other.keys() if due.get(name) != other.get(name)}
    return Weighed(kept, certain, doubtful or best.unexplained or best.candidate.unknown, unsettled)


def _told(stories: list[Story]) -> list[Story]:
    """Sort stories by weight, of those with the same outcome the likeliest; leave out those that hardly count."""
    by_outcome: dict[tuple[object, ...], Story] = {}
    for story in sorted(stories, key=lambda story: story.cost):
        found = tuple(sorted(key(finding) for finding in story.findings))
        due = tuple(sorted((*wager(line), *(int(line[n]) for n in _DUE)) for line in story.settlements))
        by_outcome.setdefault((found, due), story)
    told = list(by_outcome.values())
    least = told[0].cost
    weights: npt.NDArray[np.float64] = np.exp([(least - story.cost) / 1000 for story in told])
    weights /= weights.sum()
    kept = [story._replace(weight=float(weight)) for story, weight in zip(told, weights, strict=True)]
    kept = [story for story in kept if story.weight >= prices.LEAST] or kept[:1]
    total = sum(story.weight for story in kept)
    return [story._replace(weight=story.weight / total) for story in kept]
