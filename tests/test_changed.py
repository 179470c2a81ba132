"""Selection of the tests affected by a change."""

from pathlib import Path

import pytest

from tests.changed import affected

FILES = {
    "tests/replay/test_tape.py": "from replay import tape\n",
    "tests/replay/test_cards.py": "import replay.cards\n",
    "tests/judge/test_rows.py": "def test_one():\n    from pipelines.judge.rows import row\n",
    "tests/judge/helper.py": "from replay import tape\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (["replay/tape.py"], ["tests/replay/test_tape.py"]),
        (["replay/cards.py", "README.md"], ["tests/replay/test_cards.py"]),
        (["replay/__init__.py"], ["tests/replay/test_tape.py"]),
        (["pipelines/judge/rows.py"], ["tests/judge/test_rows.py"]),
        (["tests/judge/test_rows.py", "tests/judge/helper.py"], ["tests/judge/test_rows.py"]),
        (["README.md"], []),
    ],
)
def test_tests_import_what_changed_or_changed_themselves(tree: Path, changed: list[str], expected: list[str]) -> None:
    assert affected(changed, tree) == expected
