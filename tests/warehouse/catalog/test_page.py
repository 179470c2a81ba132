"""CATALOG.md: its lists are current and its queries work as they stand there."""

import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from tests.warehouse.catalog import rows
from tests.warehouse.catalog.rows import DAY, a_round, finding, wager
from warehouse import catalog
from warehouse.catalog import page


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    lake = tmp_path / "lake"
    played = a_round("P1", "1", 0, 1, verdict="wrong", over_cents=500)
    wrong = wager(played["round_id"], "overpaid") | {"actual_paid_cents": 500, "variance_cents": 500}
    files = rows.store(
        lake,
        {
            "rounds": [played],
            "settlements": [wrong, wager(played["round_id"]) | {"seat": 2}],
            "findings": [finding("P1", "settlement.overpaid", "high", variance_cents=500)],
        },
    )
    catalog.build(lake, files, 1, None)
    return lake


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_lists_are_current() -> None:
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.MARK in text
    assert text == page.current(text), "run: python -m warehouse.catalog.page"


def test_the_queries_work(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(lake.parent)
    with duckdb.connect("lake/audit21.duckdb", read_only=True) as con:
        dealers, wrong, export = [con.execute(query).fetchall() for query in blocks("sql")]
    assert dealers == [("Ann", "USD", 1, 1.0, 5.0, 0.0)]
    assert [row[:6] for row in wrong] == [(f"P1/{DAY}/1", "Ann", 1, 1, "main", 500)]
    assert export == [(1,)]
    assert "settlement.overpaid,high,,USD,1,500,0" in Path("findings.csv").read_text(encoding="utf-8")


def test_the_program_works(lake: Path) -> None:
    (program,) = blocks("python")
    done = subprocess.run([sys.executable, "-c", program], cwd=lake.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "P1" in done.stdout and "500" in done.stdout
