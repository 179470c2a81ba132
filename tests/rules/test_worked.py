"""The worked rounds: what every wager pays and which findings there are, worked out by hand from the rule texts."""

from collections import Counter

import pytest

from tests.rules.worked import Worked, every_round, problems, run

ROUNDS = every_round()


def _name(worked: Worked) -> str:
    return f"{worked.file.removesuffix('.txt')}:{worked.title}"


@pytest.mark.parametrize("worked", ROUNDS, ids=_name)
def test_engine_agrees_with(worked: Worked) -> None:
    found = problems(worked, run(worked))
    told = "\n  ".join(found)
    assert not found, f"{worked.file}, {worked.title}:\n  {told}\n\n{worked.text.strip()}"


def test_there_are_enough_worked_rounds() -> None:
    assert len(ROUNDS) >= 250


def test_titles_are_unique_within_a_rulebook() -> None:
    counts = Counter((worked.file.partition("/")[0], worked.title) for worked in ROUNDS)
    assert [title for title, times in counts.items() if times > 1] == []
