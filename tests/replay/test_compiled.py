"""The compiled engine and the same source uncompiled say the same, to the last field."""

import os
import pickle
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tests import generator
from tests.generator import BOOKS, Event

ROOT = Path(__file__).parents[2]
SETUPS, ROUNDS = 3, 100  # of either kind: clean, and irregular
Case = tuple[dict[str, Any], list[Event]]


def cases() -> list[Case]:
    """Tables of all rulebooks with their rounds, every other one irregular."""
    made: list[Case] = []
    for book in BOOKS:
        for number in range(SETUPS):
            rng = Random(f"compiled {book} {number}")
            setup = generator.random_setup(book, rng)
            settled = generator.settle_all(setup, list(generator.rounds(setup, rng, 2 * ROUNDS)), rng)
            settled[1::2] = [generator.mutated(events, rng, rng.randint(1, 6)) for events in settled[1::2]]
            made.append((setup.data, [event for events in settled for event in events]))
    return made


def judged(made: list[Case]) -> dict[str, Any]:
    """The columns of all verdicts, and the records for people, by case and name."""
    columns: dict[str, Any] = {}
    for number, (data, events) in enumerate(made):
        result = generator.from_data(data).audit(events, trace=True)
        for name, value in result.verdicts._asdict().items():
            columns[f"{number}.{name}"] = np.asarray(value)
        columns[f"{number}.people"] = np.array([repr(result.settlements), repr(result.findings)])
    return columns


def test_compiled_and_uncompiled_agree(tmp_path: Path) -> None:
    made = cases()
    given, found = tmp_path / "cases.pickle", tmp_path / "verdicts.npz"
    given.write_bytes(pickle.dumps(made))
    command = [sys.executable, "-m", "tests.replay.test_compiled", str(given), str(found)]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=True, timeout=300)
    compiled = judged(made)
    with np.load(found) as uncompiled:
        assert sorted(uncompiled) == sorted(compiled)
        for name, column in compiled.items():
            np.testing.assert_array_equal(uncompiled[name], column, err_msg=name)
    assert sum(len(column) for name, column in compiled.items() if name.endswith(".findings")) > 1000


if __name__ == "__main__":
    np.savez(sys.argv[2], **judged(pickle.loads(Path(sys.argv[1]).read_bytes())))
