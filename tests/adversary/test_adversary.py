"""The adversary's landing zones pass its own check, which shares no rules code with its play."""

from pathlib import Path

import pytest

from tests.adversary.__main__ import parse, run
from tests.adversary.books import BOOKS
from tests.adversary.check import check_zone
from tests.adversary.misdeals import IRREGULAR, MISDEALS

KINDS = {
    "clean": (),
    "misdealt": ("--misdeals", "0.3"),
    "irregular": ("--irregular", "0.3"),
    "hostile": ("--clocks", "hostile", "--late-keying", "--camera"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_zone_passes_self_check(tmp_path: Path, kind: str) -> None:
    rounds = run(parse([str(tmp_path / "zone"), "--rounds", "150", "--seed", "5", *KINDS[kind]]))
    checked = check_zone(tmp_path / "zone")
    assert checked.complaints == []
    assert checked.rounds == rounds == 150 * len(BOOKS)
    assert set(checked.seen) == set(BOOKS)
    seen = {name for counts in checked.seen.values() for name in counts}
    assert {"hit", "double", "split", "surrender", "insurance", "rescue"} <= seen
    assert set(MISDEALS if kind == "misdealt" else ()) <= seen
    assert set(IRREGULAR if kind == "irregular" else ()) <= seen


def test_self_check_notices_a_wrong_payment(tmp_path: Path) -> None:
    """Change one amount in a terminal's file and expect complaints about that round."""
    run(parse([str(tmp_path / "zone"), "--rounds", "20", "--seed", "5", "--tables", "1"]))
    path = next((tmp_path / "zone").glob("*/*/terminal.ndjson"))
    lines = path.read_text().splitlines(keepends=True)
    place = next(n for n, line in enumerate(lines) if '"settle"' in line and '"taken_cents":0' not in line)
    lines[place] = lines[place].replace('"taken_cents":', '"taken_cents":1')
    path.write_text("".join(lines))
    assert check_zone(tmp_path / "zone").complaints


def test_same_options_give_same_bytes(tmp_path: Path) -> None:
    options = ["--rounds", "20", "--seed", "7", "--clocks", "hostile", "--misdeals", "0.2", "--camera"]
    for name in ("one", "two"):
        run(parse([str(tmp_path / name), *options]))
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*.ndjson"))
    assert len(files) == 3 * len(BOOKS)
    assert all((tmp_path / "one" / each).read_bytes() == (tmp_path / "two" / each).read_bytes() for each in files)
