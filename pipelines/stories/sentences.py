"""Stories in words: what each supposes, what it leaves, and what speaks for and against it."""

from collections.abc import Sequence
from typing import Final

from pipelines.stories.suppose import IN_ERROR, MISSED, NO_CARDS, NOT_DEALT, ONE_CARD, UNWAGERED, WRONG_BOX, Line
from pipelines.stories.weigh import Story
from replay import ops
from replay.audit import Reporter
from replay.engine import layout as L
from replay.wording import money

AS_LOGGED: Final = "As logged"
REORDERED: Final = "As logged, with lines of two devices in another order, which the clocks leave open"
BY_SEQUENCE: Final = "The shoe's clock is unknown here; the cards were dealt in the order in which they left the shoe"
UNLOGGED: Final = "nobody logged it"
NO_FINDING: Final = "no finding"

_THEN: Final = {
    ops.DEAD_HAND: "the hand was dead",
    ops.USE_NEXT: "it came after all other cards",
    ops.REMOVE_CARD: "put into the discards",
}


def supposes(story: Story) -> str:
    """Say what a story supposes, with what nobody can tell from it, in a sentence."""
    unlogged = f"; {UNLOGGED}" if any(each.line for each in story.alternatives) else ""
    return f"{_alone(story)}{or_else(story)}{unlogged}"


def or_else(story: Story) -> str:
    """Say what may have happened instead of a story without a difference to cards or payments; nothing if nothing."""
    return "".join(f"; or {_lower(_alone(each))}" for each in story.also)


def _alone(story: Story) -> str:
    if story.line:
        return _misdeal(story.line)
    if not story.candidate.timed:
        return BY_SEQUENCE
    return REORDERED if story.candidate.cost else AS_LOGGED


def _misdeal(line: Line) -> str:
    box, then = _boxes(line), _THEN.get(line.rulings)
    if line.code == ONE_CARD:
        which = "first" if line.missed == 1 else "second"
        hit = line.rulings & ops.USE_NEXT
        later = ", which it got with its first hit" if hit else f", {then}" if then else ", which it got later"
        return f"Box {line.seat} was skipped for its {which} card{later}"
    if line.code == NO_CARDS:
        return f"Box {line.seat} was skipped for both cards, " + (then or "which it got later")
    if line.code == MISSED:
        return "The dealer missed the dealer's own card and took it later"
    if line.code == NOT_DEALT:
        return f"A hit of {box} was not dealt" + (f", {then}" if then else "")
    if line.code == WRONG_BOX:
        cards = {1: "first cards", 2: "second cards", 3: "cards"}[line.passes]
        return f"The {cards} of box {line.seat} and box {line.others[0]} were exchanged"
    if line.code == UNWAGERED:
        return f"{box.capitalize()} was dealt in without a wager and its cards were removed"
    if line.code == IN_ERROR:
        card = f"Card {_either(line.cards)} of the shoe"
        return f"{card} was drawn in error and {then}" if then else f"{card} was dealt to {box} as one card too many"
    return "Something else went wrong"


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]


def _boxes(line: Line) -> str:
    """Name the box of a line, or all that it may have been."""
    return f"box {_either((line.seat,) if line.seat else line.others)}"


def _either(numbers: Sequence[int]) -> str:
    *others, last = map(str, numbers or (0,))
    return f"{', '.join(others)} or {last}" if others else last


def leaves(story: Story, reporter: Reporter) -> list[str]:
    """List what a story leaves: its findings, each in a sentence."""
    return [_finding(reporter, line) for line in story.findings]


def _finding(reporter: Reporter, line: L.I64) -> str:
    found = reporter.described(line)
    return f"{found.code}: {found.message}"


def against(story: Story) -> list[str]:
    """List what speaks against a story."""
    found = []
    if len(story.findings):
        found.append(f"It leaves {len(story.findings)} finding{'s' if len(story.findings) != 1 else ''}.")
    if story.unusual:
        found.append("Cards were drawn at unusual moments for it.")
    if story.elsewhere:
        found.append("The camera saw cards in other places.")
    if not story.candidate.timed:
        found.append("It supposes that the shoe's clock stepped.")
    elif story.candidate.cost:
        found.append("It takes lines in another order than their times show.")
    if story.candidate.supposed:
        found.append("Nobody logged what it supposes.")
    return found


def variance(story: Story) -> int:
    """Add up what a story says was overpaid, in cents; below zero, underpaid."""
    return int(story.settlements[:, L.S_VARIANCE].sum())


def listed(stories: list[Story], reporter: Reporter) -> str:
    """Say what the possibilities are, and what each would mean."""
    parts = []
    for story in stories:
        found = leaves(story, reporter)
        cost = variance(story)
        meaning = f"{len(found)} finding{'s' if len(found) != 1 else ''}" if found else NO_FINDING
        amount = f", {'overpaid' if cost > 0 else 'underpaid'} {money(abs(cost))}" if cost else ""
        parts.append(f"{supposes(story)} ({story.weight:.0%}; {meaning}{amount})")
    return ". ".join(parts)
