"""Matching of findings and stories with the truth: the one place where that is decided.

A finding is true if the truth expects its code at its box in its round, or its code for its shoe or file. Findings
about evidence that is irregular by design are set aside; rounds with ``evidence.ambiguous`` are counted.

Misdeals that put every card in the same place and pay the same are the same to every observer, and so is, without a
camera, a card too many that changes no payment wherever it went. The audit tells them as one story, in one sentence
with all of them ("second card of box 6 missed, or exchanged with box 7"). A finding or a story is true if any of them
is what happened; ``alone`` counts the rounds in which the finding tells of nothing else.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from tests.bench.campaign_truth import MONEY, Happened, Misdeal, Truth

AMBIGUOUS: Final = "evidence.ambiguous"
BACKDATED: Final = "evidence.backdated"
# True of the evidence whatever happened in the rounds: clocks are off, steps and outages are part of the zones.
ASIDE: Final = frozenset({AMBIGUOUS, "evidence.clock-skew", "evidence.sequence-gap", "evidence.source-missing"})


class Finding(NamedTuple):
    """The columns of a finding that are matched."""

    table: str
    round_id: str | None
    shoe: str | None
    path: str | None
    code: str
    seat: int | None
    certainty: float = 1.0
    message: str = ""


class Supposed(NamedTuple):
    """A misdeal that a story supposes, or a finding that it leaves instead."""

    code: str | None = None
    seats: frozenset[int] = frozenset()  # any of which it may have been
    cards: frozenset[int] = frozenset()  # ordinals in the shoe
    discards: bool = False  # whether those cards went to the discards

    def is_one(self, misdeal: Misdeal | None) -> bool:
        """Return whether it is this misdeal, or none where there is none.

        A card too many is known by where it went. Which of several cards was discarded does not count.
        """
        if misdeal is None:
            return self.code is None or not self.code.startswith("deal.")
        if not misdeal.cards:
            return any(misdeal.is_at(self.code, seat) for seat in self.seats or {None})
        there = bool(self.cards & misdeal.cards) and not self.discards if misdeal.seats else self.discards
        return self.code in misdeal.codes and there


class Story(NamedTuple):
    """The columns of a candidate story that are matched."""

    rank: int
    weight: float
    leaves: tuple[str, ...] = ()  # codes of the findings that it leaves
    summary: str = ""
    told: tuple[Supposed, ...] = (Supposed(),)  # what it supposes, then what nobody can tell from that

    def supposes(self, misdeal: Misdeal | None) -> bool:
        """Return whether it tells of this misdeal, or of none where there is none."""
        return any(each.is_one(misdeal) for each in self.told)


class Verdict(NamedTuple):
    """The audit of a round compared with the truth."""

    accused: bool  # of something that did not happen
    ambiguous: bool
    named: bool  # the misdeal is a finding
    alone: bool  # ... which tells of nothing else
    listed: bool  # the misdeal is a finding, or supposed by one of the stories that are told
    called_clean: bool  # no finding, not ambiguous
    against_others: bool  # a false finding about the money of a box at which nothing went wrong
    against_box: bool  # ... of the box at which something else went wrong


def is_aside(truth: Truth, finding: Finding) -> bool:
    """Return whether a finding is about evidence that is irregular by design."""
    stepped = finding.code == BACKDATED and finding.table in truth.stepped_back
    return finding.code in ASIDE or stepped


def names(misdeal: Misdeal | None, finding: Finding, stories: Sequence[Story]) -> bool:
    """Return whether a finding names a misdeal, by itself or by the story that it comes from, the first."""
    if misdeal is None:
        return False
    if stories and finding.code in {each.code for each in stories[0].told}:
        return stories[0].supposes(misdeal)
    return misdeal.is_at(finding.code, finding.seat)


def is_true(truth: Truth, finding: Finding, stories: Sequence[Story] = ()) -> bool:
    """Return whether the truth expects a finding; ``stories`` are those of its round."""
    if finding.round_id is not None:
        happened = truth.round(finding.round_id)
        if names(happened.misdeal, finding, stories):
            return True
        expected = happened.irregular
        if stories and finding.code in {each.code for each in stories[0].told}:
            codes = {each.code for each in stories[0].told}
            return any(each.codes & codes for each in expected)
    else:
        about = (finding.shoe, finding.path, finding.table)
        expected = tuple(each for name in about if name for each in truth.elsewhere.get(name, ()))
    return any(each.fits(finding.code, finding.seat) for each in expected)


def is_true_story(happened: Happened, story: Story) -> bool:
    """Return whether a story supposes the misdeal that happened, or none if none did, and leaves the true findings."""
    left = [code for code in story.leaves if code not in {each.code for each in story.told}]
    known = frozenset[str]().union(*(each.codes for each in happened.irregular))
    codes = {each.code for each in story.told}
    complete = all(each.codes & {*left, *codes} for each in happened.irregular)
    return story.supposes(happened.misdeal) and complete and all(code in known for code in left)


def compare(truth: Truth, happened: Happened, findings: Sequence[Finding], stories: Sequence[Story]) -> Verdict:
    """Compare the findings and stories of a round with what happened in it."""
    false = [each for each in findings if not is_aside(truth, each) and not is_true(truth, each, stories)]
    money = [each for each in false if each.code in MONEY]
    named = any(names(happened.misdeal, each, stories) for each in findings)
    told = happened.misdeal is not None and any(story.supposes(happened.misdeal) for story in stories)
    return Verdict(
        accused=any(not each.code.startswith("evidence.") for each in false),
        ambiguous=any(each.code == AMBIGUOUS for each in findings),
        named=named,
        alone=named and (not stories or len(stories[0].told) == 1),
        listed=named or told,
        called_clean=all(is_aside(truth, each) and each.code != AMBIGUOUS for each in findings),
        against_others=any(each.seat not in happened.seats for each in money),
        against_box=any(each.seat in happened.seats for each in money),
    )
