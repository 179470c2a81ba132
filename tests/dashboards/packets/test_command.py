"""``audit21 dispute`` as people use it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipelines.cli import app
from tests.dashboards.packets.tables import round_id
from warehouse.lake import Lake
from warehouse.retention import holds


@pytest.fixture
def own(lake: Lake, tmp_path: Path) -> Path:
    """A lake to write holds into."""
    shutil.copytree(lake.path, tmp_path / "lake")
    return tmp_path / "lake"


def test_a_packet_is_written_and_its_round_is_held(own: Path, tmp_path: Path) -> None:
    (tmp_path / "case.toml").write_text('number = "2026-017"\nreceived = 2026-01-06\nseat = 8\n')
    (tmp_path / "days.toml").write_text('[md-pontoon21]\n"answer in writing" = 10\n')
    options = ["--case", str(tmp_path / "case.toml"), "--deadlines", str(tmp_path / "days.toml"), "--redact"]
    command = ["dispute", round_id("eight"), "--lake", str(own), "--out", str(tmp_path / "out"), *options]
    done = CliRunner().invoke(app, [*command, "--prepared-by", "S. Lind"])
    assert done.exit_code == 0, done.output
    names = [Path(line).name for line in done.output.split()]
    assert names == ["P21-08_2026-01-05_eight-redacted.pdf", "P21-08_2026-01-05_eight-redacted.zip"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(names)
    hold = holds.in_force(own)[round_id("eight")]
    assert (hold.by, hold.why) == ("S. Lind", "dispute 2026-017")


def test_no_hold_is_placed_where_none_is_wanted(own: Path, tmp_path: Path) -> None:
    command = ["dispute", round_id("3"), "--lake", str(own), "--out", str(tmp_path / "out"), "--no-hold"]
    assert CliRunner().invoke(app, command).exit_code == 0
    assert not holds.history(own)


@pytest.mark.parametrize(
    ("asked", "more", "said"),
    [
        (round_id("none"), [], "has no round none"),
        (round_id("3"), ["--as-of", "2020-01-01"], "has no snapshot 2020-01-01"),
        (round_id("3"), ["--case", "nowhere.toml"], "nowhere.toml"),
        (round_id("3"), ["--deadlines", "nowhere.toml"], "nowhere.toml"),
    ],
)
def test_bad_input_is_told_in_one_line(own: Path, tmp_path: Path, asked: str, more: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["dispute", asked, "--lake", str(own), "--out", str(tmp_path / "out"), *more])
    assert done.exit_code == 2
    assert said in done.output and len(done.output.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()
    assert not holds.history(own)


def test_a_folder_that_is_no_lake_is_bad_input(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["dispute", round_id("3"), "--lake", str(tmp_path), "--out", str(tmp_path / "out")])
    assert done.exit_code == 2 and "is no lake" in done.output


def test_a_packet_needs_neither_dagster_nor_the_camera_s_software() -> None:
    """They would take more time than the packet itself."""
    code = "import sys, pipelines.cli, dashboards.packets.bundle; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"dagster", "cv2", "onnxruntime", "duckdb", "jsonschema"} & set(loaded)
