"""The compiled engine and the same source uncompiled say the same, to the last field."""

import importlib.util
import os
import pickle
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

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


def _function(folder: Path) -> Any:
    spec = importlib.util.spec_from_file_location("twice", folder / "twice.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.twice


def test_checkouts_of_the_same_sources_share_compiled_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = "from replay.compiled import entry\n@entry\ndef twice(n):\n    return {} * n\n"
    hits = []
    for name, factor in (("one", 2), ("same", 2), ("changed", 3)):
        folder = tmp_path / name / "package"
        folder.mkdir(parents=True)
        (folder / "twice.py").write_text(source.format(factor))
        twice = _function(folder)
        assert twice(21) == factor * 21
        hits.append(sum(twice.stats.cache_hits.values()))
    assert hits == [0, 1, 0]


if __name__ == "__main__":
    np.savez(sys.argv[2], **judged(pickle.loads(Path(sys.argv[1]).read_bytes())))
