"""The worked rounds: what every wager pays and which findings there are, worked out by hand from the rule texts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.rules.worked import Worked, every_round, problems, run

# Where Maryland's second text differs from its first, which it otherwise repeats word for word.
SPANISH_21 = (
    ("rulebook md-pontoon21", "rulebook md-spanish21"),
    ("1.10", "1"),  # 6.G(2)
    ("12.F(1)(a)", "12.E(6)(a)(i)"),
    ("12.F(1)(b)", "12.E(6)(a)(ii)"),
    ("12.F(1)(c)", "12.E(6)(a)(iii)"),
    ("12.F(1)(d)", "12.E(6)(a)(iv)"),
)
NOT_IN_SPANISH_21 = (
    "boxes 8",  # 2.A: seven
    "boxes 9",
    "2.B(8)",  # one clause less
    " match +",  # 12.A(4)(a) has other odds
    " match 6",
)


def sister_rounds() -> Iterator[Worked]:
    """Maryland's worked rounds once more, for its second text."""
    for worked in every_round():
        lines = [*worked.lines, *(" ".join(("expect", e.place, e.kind, e.amount, e.clause)) for e in worked.wagers)]
        told = "\n".join((*lines, *(e.clause for e in worked.findings)))
        if worked.file.startswith("md-pontoon21") and not any(word in told for word in NOT_IN_SPANISH_21):
            yield Worked(
                f"md-spanish21 as {worked.file}",
                worked.title,
                [_spanish(line) for line in worked.lines],
                [replace(e, amount=_spanish(e.amount), clause=_spanish(e.clause)) for e in worked.wagers],
                worked.findings,
            )


def _spanish(text: str) -> str:
    for old, new in SPANISH_21:
        text = text.replace(old, new)
    return text


ROUNDS = [*every_round(), *sister_rounds()]


def _name(worked: Worked) -> str:
    return f"{worked.file.removesuffix('.txt')}:{worked.title}"


@pytest.mark.parametrize("worked", ROUNDS, ids=_name)
def test_engine_agrees_with(worked: Worked) -> None:
    found = problems(worked, run(worked))
    told = "\n  ".join(found)
    assert not found, f"{worked.file}, {worked.title}:\n  {told}\n\n{worked.text.strip()}"


def test_there_are_enough_worked_rounds() -> None:
    assert len(every_round()) >= 250


def test_titles_are_unique_within_a_rulebook() -> None:
    counts = Counter((worked.file.partition("/")[0], worked.title) for worked in every_round())
    assert [title for title, times in counts.items() if times > 1] == []
