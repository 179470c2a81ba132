"""Handlings that findings of each code can have, by what rulebooks prescribe."""

from collections.abc import Iterable
from typing import Final

from replay import codes
from replay.rulebook_file import Clause, Rulebook

# Codes whose finding is itself that the floor did otherwise than prescribed.
_NEVER_RIGHT: Final = {
    "round.void-required": ("not-prescribed", "unreported"),
    "round.void-unjustified": ("not-prescribed", "none"),
    "shoe.decks-withdrawn-reused": ("not-prescribed",),
}


def matrix(books: Iterable[Rulebook]) -> list[tuple[str, str, str]]:
    """Code, evidence it needs, and the handlings it can have in one of some rulebooks or another."""
    found: dict[str, set[str]] = {code.name: set() for code in codes.CODES}
    for book in books:
        for clause in book.clauses:
            for cited in clause.cites:
                code = cited.partition("/")[0]
                if code in found:
                    found[code] |= _handlings(clause, cited)
    rows = []
    for each in codes.CODES:
        handlings = found[each.name] - ({"unreported"} if each.evidence == codes.REPORTED else set())
        shown = _NEVER_RIGHT.get(each.name) or [h for h in _HANDLINGS if h in handlings] or ["none"]
        rows.append((each.name, each.evidence, ", ".join(shown)))
    return rows


_HANDLINGS: Final = ("as-prescribed", "not-prescribed", "unreported", "none")


def _handlings(clause: Clause, cited: str) -> set[str]:
    about = not clause.handles or cited in clause.handles or cited.partition("/")[0] in clause.handles
    if not clause.prescribes or not about:
        return {"none"}
    return {"as-prescribed", "not-prescribed"} | ({"unreported"} if clause.report else set())
