"""``audit21 run``, ``verify``, ``signoff`` and ``explain`` on a lake, as a person runs them."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import polars as pl
import pytest

from tests.pipelines.zones import made

SCRIPT = Path(sys.executable).with_name("audit21")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a zone, and a lake that was made of it."""
    folder = tmp_path_factory.mktemp("run")
    made(folder / "zone", tables=5, rounds=20, days=2, irregularities=0.3, camera=True)
    done = call(folder, "run", "zone", "--lake", "lake")
    assert (done.returncode, done.stderr) == (0, "")
    (folder / "first.txt").write_text(done.stdout)
    return folder


def call(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "AUDIT21_KEY": str(folder / "key.pem")}
    return subprocess.run(
        [SCRIPT, *arguments], capture_output=True, text=True, check=False, cwd=folder, env=environment
    )


def test_the_summary_is_for_a_supervisor(place: Path) -> None:
    said = (place / "first.txt").read_text()
    assert "2026-01-05 to 2026-01-06 (2 days), 5 tables, 200 rounds, snapshot 2" in said
    verified = re.search(r"verified  (\d+) rounds \(.*?\), (\d+) undetermined", said)
    assert verified
    assert int(verified[1]) + int(verified[2]) == 200
    assert int(verified[2]) <= 5  # rounds with several explanations
    assert "Review first" in said
    with duckdb.connect(str(place / "lake" / "audit21.duckdb"), read_only=True) as catalog:
        counted = catalog.execute("SELECT severity, count(*) FROM findings GROUP BY severity").fetchall()
    found = dict(counted)
    assert f"findings: {found['high']} high, {found['medium']} medium, {found['low']} low" in said
    planted = pl.read_parquet(place / "zone" / "truth.parquet").filter(severity="high")
    assert len(planted) - int(verified[2]) <= found["high"] <= len(planted)


def test_a_repeated_run_does_nothing_and_says_so_in_json(place: Path) -> None:
    done = call(place, "run", "zone", "--lake", "lake", "--json")
    said = json.loads(done.stdout)
    assert (done.returncode, said["done"], said["problems"], said["snapshot"]) == (0, {}, [], 2)
    lines = said["lines"]
    assert lines["lines"] == lines["accepted"] + lines["repeated"] + lines["quarantined"] > 0
    quiet = call(place, "run", "zone", "--lake", "lake", "--quiet")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")


def test_the_catalog_adds_up(place: Path) -> None:
    with duckdb.connect(str(place / "lake" / "audit21.duckdb"), read_only=True) as catalog:
        rows = catalog.execute("SELECT sum(rounds), sum(findings) FROM day_summary").fetchone()
        money = catalog.execute("SELECT count(*), sum(variance_cents) FROM findings").fetchone()
        checked = catalog.execute("SELECT sum(variance_cents) FROM settlements").fetchone()
    assert rows is not None and money is not None and checked is not None
    assert (rows[0], rows[1]) == (200, money[0])
    assert money[1] == checked[0]


def test_a_round_is_told_from_the_evidence(place: Path) -> None:
    truth = pl.read_parquet(place / "zone" / "truth.parquet")
    wrong = truth.filter(pl.col("code") == "settlement.overpaid").row(0, named=True)
    done = call(place, "explain", wrong["round_id"], "--lake", "lake")
    assert done.returncode == 0
    assert "settlement.overpaid" in done.stdout
    assert f"{wrong['variance_cents'] / 100:,.2f}" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "nowhere", "--lake", "lake"], "nowhere: no such landing zone"),
        (["run", "zone", "--lake", "lake", "--day", "2027-01-01"], "no such gaming day; there are 2026-01-05"),
        (["run", "zone", "--lake", "lake", "--table", "X9"], "no table X9; there are"),
        (["explain", "nonsense", "--lake", "lake"], "nonsense: no round; expected"),
        (["explain", "P21-01/2026-01-05/999", "--lake", "lake"], "has no round 999 on 2026-01-05"),
        (["explain", "P21-01/2030-01-05/1", "--lake", "lake"], "2030-01-05 is not in the lake"),
        (["verify", "nowhere"], "nowhere: no lake"),
        (["verify", "lake", "--checkpoint", "none.txt"], "none.txt: no such file"),
        (["signoff", "2030-01-01", "--lake", "lake", "--by", "A"], "2030-01-01 is not published"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(place: Path, arguments: list[str], said: str) -> None:
    done = call(place, *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


def test_an_invalid_floor_is_named(place: Path, tmp_path: Path) -> None:
    (tmp_path / "zone").mkdir()
    (tmp_path / "zone" / "floor.toml").write_text('[[table]]\nid = "P1"\n')
    done = call(tmp_path, "run", "zone", "--lake", "lake")
    assert done.returncode == 2
    assert "zone/floor.toml: table P1: rulebook is None" in done.stderr


def test_one_table_alone_leaves_the_others_as_they_are(place: Path, tmp_path: Path) -> None:
    shutil.copytree(place, tmp_path / "copy")
    before = _rows(tmp_path / "copy")
    done = call(tmp_path / "copy", "run", "zone", "--lake", "lake", "--day", "2026-01-05", "--table", "P21-01")
    assert done.returncode == 0
    assert "2026-01-05 audited (asked for)" in done.stdout
    assert _rows(tmp_path / "copy") == before
    again = call(tmp_path / "copy", "run", "zone", "--lake", "lake", "--json")
    assert json.loads(again.stdout)["done"] == {}


def _rows(place: Path) -> list[tuple[object, ...]]:
    with duckdb.connect(str(place / "lake" / "audit21.duckdb"), read_only=True) as catalog:
        return catalog.execute("SELECT * FROM table_day ORDER BY ALL").fetchall()


def test_verify_finds_a_changed_byte_and_dropped_days(place: Path, tmp_path: Path) -> None:
    shutil.copytree(place / "lake", tmp_path / "lake")
    assert call(tmp_path, "verify", "lake").returncode == 0
    newest = sorted((tmp_path / "lake" / "evidence" / "checkpoints").iterdir())[-1]
    kept = shutil.copy(newest, tmp_path / "kept.txt")
    assert call(tmp_path, "verify", "lake", "--checkpoint", str(kept)).returncode == 0
    raw = sorted((tmp_path / "lake" / "raw").iterdir())[0]
    raw.chmod(0o644)
    raw.write_bytes(raw.read_bytes().replace(b"1", b"2", 1))
    done = call(tmp_path, "verify", "lake")
    assert done.returncode == 1
    assert raw.name in done.stdout
