"""Weights of the stories of a round, and the findings that are certain."""

import math
from typing import NamedTuple

import numpy as np

from pipelines.stories import prices
from pipelines.stories.trial import Candidate
from replay import codes
from replay.columns import I64
from replay.engine import layout as L

Key = tuple[int, ...]

_COUNT = codes.NUMBER["deal.count-mismatch"]
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

    @property
    def leaves_cards(self) -> bool:
        """Whether it leaves findings that other cards could explain."""
        return bool(prices.BY_CARDS[prices.code_of(self.findings)].any())

    @property
    def incomplete(self) -> bool:
        """Whether cards vanish in it, or its misdeal leaves errors at other boxes: something else happened."""
        code = prices.code_of(self.findings)
        boxes = {box for line in self.candidate.supposed for box in (line.seat, line.other) if box}
        left = prices.BY_CARDS[code] & ~np.isin(self.findings[:, L.F_SEAT], list(boxes))
        return bool((code == _COUNT).any() or (self.candidate.supposed and left.any()))


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


def weigh(stories: list[Story], threshold: float, seen: bool = False, stepped: bool = False) -> Weighed:
    """Give every story its share of the weight, and find what is certain; ``seen`` says that a camera saw the cards.

    Of a round beside which a clock ``stepped``, it is only inferred which cards are its own: they accuse nobody.
    """
    kept = _told(stories)
    weights, best = np.array([story.weight for story in kept]), kept[0]
    name_of = _misdeal if seen else key
    held = [{name_of(finding) for finding in story.findings} for story in kept]
    full = {name_of(finding): key(finding) for finding in best.findings}
    certain: dict[Key, float] = {}
    doubtful = explains_nothing = best.unexplained or best.incomplete or (stepped and best.leaves_cards)
    # That cards vanished accuses nobody, where it is known which cards there were.
    vanished = {name_of(finding) for finding in best.findings[prices.code_of(best.findings) == _COUNT] if not stepped}
    for name in set().union(*held):
        accused = np.array([name in names for names in held])
        share = float(weights[accused].sum())
        innocent = weights[~accused].max(initial=0.0)
        stands = share >= threshold and innocent < prices.INNOCENT * weights[accused].max() and name in held[0]
        if stands and (
            not explains_nothing or (name in vanished and not stepped)
        ):  # that cards vanished accuses nobody
            certain[full[name]] = share
        elif share > 1 - threshold:
            doubtful = True
    due = [{wager(line): tuple(int(line[n]) for n in _DUE) for line in story.settlements} for story in kept]
    unsettled = {
        name
        for name in set().union(*due)
        if weights[[each.get(name) != due[0].get(name) for each in due]].sum() >= 1 - threshold
    }
    return Weighed(kept, certain, doubtful, unsettled)


def _told(stories: list[Story]) -> list[Story]:
    """Sort stories by weight, those that say the same as one; leave out those that hardly count.

    Misdeals at several places add up. Of several orders of the same lines the likeliest counts.
    """
    least = min(story.cost for story in stories)
    told: dict[tuple[object, ...], Story] = {}
    for story in sorted(stories, key=lambda story: story.cost):
        name, weight = _name(story), math.exp((least - story.cost) / 1000)
        known = told.get(name)
        if known is None:
            told[name] = story._replace(weight=weight)
        elif story.candidate.supposed:
            told[name] = known._replace(weight=known.weight + weight)
    ranked = sorted(told.values(), key=lambda story: -story.weight)
    total = sum(story.weight for story in ranked)
    kept = [story for story in ranked if story.weight >= prices.LEAST * total]
    total = sum(story.weight for story in kept)
    return [story._replace(weight=story.weight / total) for story in kept]


def _name(story: Story) -> tuple[object, ...]:
    """Name what a story says: the misdeal and its boxes, what it leaves and what is due."""
    found = tuple(sorted(key(finding) for finding in story.findings))
    due = tuple(sorted((*wager(line), *(int(line[n]) for n in _DUE)) for line in story.settlements))
    supposed = tuple((line.code, line.seat, line.other) for line in story.candidate.supposed)
    return supposed, found, due
