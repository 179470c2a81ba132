"""Weights of the stories of a round, and the findings that are certain."""

import math
from typing import NamedTuple

import numpy as np

from pipelines.stories import prices
from pipelines.stories.suppose import IN_ERROR, UNWAGERED, Line
from pipelines.stories.trial import Candidate
from replay import codes
from replay.columns import I64
from replay.engine import layout as L

Key = tuple[int, ...]
Name = tuple[object, ...]

_COUNT = codes.NUMBER["deal.count-mismatch"]
_TOO_MANY = (IN_ERROR, UNWAGERED)  # misdeals that draw cards too many
_FINDING = [L.F_SLOT, L.F_SEAT, L.F_BETTOR, L.F_KIND, L.F_HAND, L.F_COST, L.F_CARD, L.F_A]
_WAGER = [L.S_SEAT, L.S_BETTOR, L.S_FOR, L.S_KIND, L.S_HAND]
_DUE = [L.S_PAID, L.S_TAKEN, L.S_VERDICT]


class Story(NamedTuple):
    """A candidate with what it leaves, and its share of all weight."""

    candidate: Candidate
    cost: int
    findings: I64
    settlements: I64
    cards: I64  # ordinal and place of each, 0 for what was not played
    unusual: bool = False  # cards were drawn at unusual moments for it
    weight: float = 0.0
    elsewhere: int = 0  # what cards cost that the camera saw in other places, in thousandths of a nat
    also: tuple["Story", ...] = ()  # stories that nobody can tell from it, the likeliest first
    ways: tuple[Line, ...] = ()  # misdeals of the same kind that have its outcome, with other cards or boxes

    @property
    def alternatives(self) -> tuple["Story", ...]:
        """The story, and those that nobody can tell from it."""
        return (self, *self.also)

    @property
    def line(self) -> Line | None:
        """The line that it supposes, wherever that was noticed, with all cards and boxes that it may have been."""
        if not self.candidate.supposed:
            return None
        first = self.candidate.supposed[0]._replace(at=0)
        cards = tuple(sorted({card for line in (first, *self.ways) for card in line.cards}))
        boxes = sorted({box for line in (first, *self.ways) for box in ((line.seat,) if line.seat else line.others)})
        if first.code == UNWAGERED and len(boxes) > 1:
            first = first._replace(seat=0, others=tuple(boxes))
        return first._replace(cards=cards)

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
        """Return whether something else happened: cards vanish, or errors of play or at other boxes are left."""
        code, line = prices.code_of(self.findings), self.line
        left = prices.BY_CARDS[code] & (code != line.code) if line else code == _COUNT
        if line:  # a misdealt box may be paid wrongly on top
            own = np.isin(self.findings[:, L.F_SEAT], [box for box in (line.seat, *line.others) if box])
            left &= ~(own & prices.OF_MONEY[code])
        return bool(left.any())


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


def _subject(finding: I64) -> Key:
    """Name what a finding is about; of a misdeal, without when it was noticed and at which card."""
    code = int(prices.code_of(finding[None])[0])
    if not codes.CODES[code].name.startswith("deal."):
        return key(finding)
    return -code, int(finding[L.F_SEAT]), int(finding[L.F_HAND])


def weigh(stories: list[Story], threshold: float, stepped: bool = False) -> Weighed:
    """Give every story its share of the weight, and find what is certain.

    Of a round beside which a clock ``stepped``, it is only inferred which cards are its own: they accuse nobody.
    """
    kept = _told(stories)
    weights, best = np.array([story.weight for story in kept]), kept[0]
    held = [{_subject(finding) for finding in story.findings} for story in kept]
    certain: dict[Key, float] = {}
    doubtful = explains_nothing = best.unexplained or best.incomplete or (stepped and best.leaves_cards)
    # That cards vanished accuses nobody, where it is known which cards there were.
    lost = best.findings[prices.code_of(best.findings) == _COUNT]
    vanished = set() if stepped else {_subject(finding) for finding in lost}
    for name in set().union(*held):
        accused = np.array([name in names for names in held])
        share = float(weights[accused].sum())
        innocent = weights[~accused].max(initial=0.0)
        stands = share >= threshold and innocent < prices.INNOCENT * weights[accused].max() and name in held[0]
        if stands and (not explains_nothing or name in vanished):
            certain |= {key(finding): share for finding in best.findings if _subject(finding) == name}
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
    """Sort stories by weight, those that nobody can tell apart as one; leave out those that hardly count.

    Their misdeals add up. Of several orders of the same lines the likeliest counts.
    """
    least = min(story.cost for story in stories)
    groups: list[dict[Name, Story]] = []
    known: dict[Name, dict[Name, Story]] = {}
    for story in sorted(stories, key=lambda story: story.cost):
        names, weight = _outcomes(story), math.exp((least - story.cost) / 1000)
        same = next((known[name] for name in names if name in known), None)
        if same is None:
            groups.append(same := {})
        for name in names:
            known.setdefault(name, same)
        first = same.setdefault(_way(story), story)
        if first is story or story.line is not None:
            ways = (*first.ways, story.line) if story.line else ()
            same[_way(story)] = first._replace(weight=first.weight + weight, ways=ways)
    ranked = sorted(map(_together, groups), key=lambda story: -story.weight)
    total = sum(story.weight for story in ranked)
    kept = [story for story in ranked if story.weight >= prices.LEAST * total]
    total = sum(story.weight for story in kept)
    return [story._replace(weight=story.weight / total) for story in kept]


def _way(story: Story) -> Name:
    """Name what a story supposes as it is told: cards too many of one kind together, and so empty boxes."""
    line = story.line
    if line is None or line.code not in _TOO_MANY:
        return (line,)
    return line.code, line.code == IN_ERROR and line.seat, len(line.cards)


def _together(same: dict[Name, Story]) -> Story:
    """Tell stories as one, by the likeliest; by one that names no box where that is not much less likely."""
    ranked = sorted(same.values(), key=lambda story: -story.weight)
    least = prices.INNOCENT * ranked[0].weight
    of_nobody = [story for story in ranked if story.weight >= least and not (story.line and story.line.seat)]
    first = (of_nobody or ranked)[0]
    others = [story for story in ranked if story is not first]
    total = sum(story.weight for story in same.values())
    also = tuple(story for story in others[: prices.MOST - 1] if story.weight >= prices.ALSO * total)
    return first._replace(weight=total, also=also)


def _outcomes(story: Story) -> list[Name]:
    """Name the outcome of a story: where every card went, what is due and what is left to explain.

    Where cards too many change no payment, it is all the same which they were and where they went: such stories share
    the second name.
    """
    due = tuple(sorted((*wager(line), *(int(line[n]) for n in _DUE)) for line in story.settlements))
    code, line = prices.code_of(story.findings), story.line
    astray = (story.cards[:, 1] == 0) | np.isin(story.cards[:, 0], line.cards if line and line.code == IN_ERROR else ())
    own = code == line.code if line else prices.ASTRAY[code] & astray.any()
    left = tuple(sorted(key(finding) for finding in story.findings[~own]))
    too_many = line.code in _TOO_MANY if line else own.any()
    return [(left, due, story.cards.tobytes()), *([(left, due, int(astray.sum()))] if too_many else [])]
