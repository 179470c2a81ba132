"""Irregularity lines that a story supposes: the engine lays the cards as the line says, and reports nothing else."""

import pytest

from tests.replay import inferred_rounds
from tests.rules.worked import Worked, problems


@pytest.mark.parametrize("worked", inferred_rounds.every_round(), ids=inferred_rounds.name)
def test_engine_agrees_with(worked: Worked) -> None:
    found = problems(worked, inferred_rounds.supposed(worked))
    told = "\n  ".join(found)
    assert not found, f"{worked.file}, {worked.title}:\n  {told}\n\n{worked.text.strip()}"
