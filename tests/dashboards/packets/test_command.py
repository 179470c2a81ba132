"""``audit21 dispute`` as people use it."""

import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dashboards.packets.stored import case_file
from pipelines.cli import app
from tests.dashboards.packets.tables import round_id
from tests.dashboards.packets.test_packet import text_of
from tests.warehouse.cases.conftest import emptied
from warehouse.cases import activity, cases, disputes
from warehouse.cases.database import Database
from warehouse.cases.dispute import Dispute
from warehouse.lake import Lake
from warehouse.retention import holds

NOW = datetime(2026, 1, 7, 12, 0, tzinfo=UTC)


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
    assert not {"dagster", "cv2", "onnxruntime", "duckdb", "jsonschema", "warehouse.cases.models"} & set(loaded)


# Cases of the database.


@pytest.fixture
def kept(own: Path) -> Path:
    """A lake whose own database has a case."""
    fill(own / "cases.db")
    return own


def fill(url: Path | str) -> None:
    """A case of the round of eight boxes."""
    database = Database(url)
    with database.write() as session:
        case = cases.open_case(session, "Box 8 was not paid", "ann", NOW)
        cases.add_item(case, "round", round_id("eight"), date(2026, 1, 5), "ann", NOW)
        told = Dispute(received=date(2026, 1, 6), complaint="I stood on twenty.", patron="P100008", seat=8)
        disputes.keep(case, told, None, "ann", NOW)
        disputes.add_statement(case, "Dana, dealer", "I thought box 8 was over.", date(2026, 1, 6), "ann", NOW)
        session.flush()
        assert case.dispute is not None
        ended = replace(told, outcome="Paid 50.00.", outcome_on=date(2026, 1, 8))
        disputes.keep(case, ended, case.dispute.id, "bob", NOW + timedelta(days=1))
    database.close()


def dispute(lake: Path, out: Path, *options: str, name: str = "eight") -> Result:
    return CliRunner().invoke(app, ["dispute", round_id(name), "--lake", str(lake), "--out", str(out), *options])


def test_a_case_of_the_database_is_printed(kept: Path, tmp_path: Path) -> None:
    (tmp_path / "days.toml").write_text('[md-pontoon21]\n"answer in writing" = 10\n')
    for folder in ("one", "other"):
        done = dispute(kept, tmp_path / folder, "--case", "1", "--deadlines", str(tmp_path / "days.toml"))
        assert done.exit_code == 0, done.output
    first, again = (sorted((tmp_path / folder).iterdir()) for folder in ("one", "other"))
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]
    said = " ".join(text_of(first[0].read_bytes()).split())
    for expected in (
        *("Case number 1 ", "6 January 2026", "P100008, box 8", "I stood on twenty.", "Dana, dealer"),
        *("I thought box 8 was over.", "answer in writing 16 January 2026", "Paid 50.00. (8 January 2026)"),
    ):
        assert expected in said, expected
    assert holds.in_force(kept)[round_id("eight")].why == "dispute 1"


def test_a_case_of_postgresql_is_printed(own: Path, postgres: str, tmp_path: Path) -> None:
    fill(emptied(postgres))
    done = dispute(own, tmp_path / "out", "--case", "1", "--database", postgres)
    assert done.exit_code == 0, done.output
    paper = next((tmp_path / "out").glob("*.pdf")).read_bytes()
    assert "I thought box 8 was over." in " ".join(text_of(paper).split())
    assert not (own / "cases.db").exists()


def test_what_was_entered_later_is_left_out_as_of_then(kept: Path, tmp_path: Path) -> None:
    database = Database(kept / "cases.db")
    asked = (None, NOW + timedelta(hours=1), NOW - timedelta(hours=1))
    with database.read() as session:
        case = cases.find(session, 1)
        assert case is not None
    database.close()
    found = [case_file(case, at) for at in asked]
    assert [each.outcome for each in found] == ["Paid 50.00.", None, None]
    assert [len(each.statements) for each in found] == [1, 1, 0]
    assert [each.complaint for each in found] == ["I stood on twenty.", "I stood on twenty.", None]


def test_that_somebody_looked_at_the_case_is_in_the_log(kept: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.db"
    shutil.move(kept / "cases.db", elsewhere)
    done = dispute(kept, tmp_path / "out", "--case", "1", "--database", str(elsewhere), "--prepared-by", "S. Lind")
    assert done.exit_code == 0, done.output
    database = Database(elsewhere)
    with database.read() as session:
        (row,) = activity.newest(session, activity.ActivityFilter(), 10)
    database.close()
    assert (row.account, row.address, row.action, row.subject) == ("S. Lind", "terminal", "view", "case 1")


@pytest.mark.parametrize(
    ("options", "name", "said"),
    [
        (["--case", "2"], "eight", "there is no case 2"),
        (["--case", "1"], "3", "case 1 is not about P21-08/2026-01-05/3; its rounds: P21-08/2026-01-05/eight"),
        (["--case", "1", "--database", "nowhere.db"], "eight", "expected the database that audit21 serve keeps"),
        (["--case", "1", "--database", "oracle://x/y"], "eight", "expected a path"),
        (["--case", "./1"], "eight", "No such file"),
        (["--database", "cases.db"], "eight", "goes with the number of a case"),
    ],
)
def test_a_wrong_case_is_told_in_one_line(kept: Path, tmp_path: Path, options: list[str], name: str, said: str) -> None:
    done = dispute(kept, tmp_path / "out", *options, name=name)
    assert done.exit_code == 2 and said in done.output and len(done.output.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists() and not Path("nowhere.db").exists()
