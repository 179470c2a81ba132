"""Explanations that were considered for a round whose events had to be inferred, in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from replay.narrative import words
from replay.wording import money

TITLE: Final = "Also considered"
AMBIGUOUS: Final = "Several explanations are possible; none is certain. The steps shown are those of explanation 1."
INFERRED: Final = "What happened was inferred from the evidence. The audit goes by explanation 1."
NO_OTHER: Final = "What happened was inferred from the evidence. No other explanation has a noticeable weight."
FURTHER: Final = "Further explanations together: {share}."
NO_FINDING: Final = "No finding"
NO_VARIANCE: Final = "no variance"


@dataclass(frozen=True)
class Left:
    """A finding that an explanation leaves."""

    code: str
    message: str


@dataclass(frozen=True)
class ConsideredCandidate:
    """An explanation of what happened, its share of the weight of all, and what follows from it."""

    rank: int
    weight: float
    weight_words: str
    standing: str  # Chosen, Most likely; empty for the others
    summary: str
    leaves: tuple[Left, ...]
    variance_cents: int
    variance_words: str
    against: tuple[str, ...]


@dataclass(frozen=True)
class Considered:
    """The explanations of a round, the likeliest first; none where nothing had to be inferred."""

    is_ambiguous: bool
    lead: str
    candidates: tuple[ConsideredCandidate, ...]
    rest: str  # the weight of explanations that are not listed


def considered(stories: Sequence[Mapping[str, Any]], is_ambiguous: bool) -> Considered:
    """Put a round's rows of ``stories`` into words; ``is_ambiguous`` where none of them is certain."""
    listed = sorted(stories, key=lambda story: int(story["rank"]))
    rest = 1 - sum(story["weight"] for story in listed)
    lead = AMBIGUOUS if is_ambiguous else (INFERRED if len(listed) > 1 else NO_OTHER)
    return Considered(
        is_ambiguous=is_ambiguous,
        lead=lead if listed else "",
        candidates=tuple(_candidate(story, is_ambiguous) for story in listed),
        rest=FURTHER.format(share=words.share_text(rest)) if listed and rest >= 0.0005 else "",
    )


def _candidate(story: Mapping[str, Any], is_ambiguous: bool) -> ConsideredCandidate:
    variance = story["variance_cents"]
    first = "Most likely" if is_ambiguous else "Chosen"
    return ConsideredCandidate(
        rank=story["rank"],
        weight=story["weight"],
        weight_words=words.share_text(story["weight"]),
        standing=first if story["rank"] == 1 else "",
        summary=story["summary"],
        leaves=tuple(map(_left, story["leaves_codes"], story["leaves"])),
        variance_cents=variance,
        variance_words=f"{'overpaid' if variance > 0 else 'underpaid'} {money(abs(variance))}"
        if variance
        else NO_VARIANCE,
        against=tuple(story["against"]),
    )


def _left(code: str, finding: str) -> Left:
    return Left(code, finding.removeprefix(f"{code}: "))
