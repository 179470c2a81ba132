"""Holds stand above policies, and what went is told instead of missed."""

import json
import shutil
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipelines.cli import app
from pipelines.commands.verify import VerifyRequest, verify
from pipelines.day.audit_run import AuditRun
from tests.pipelines import zones
from tests.pipelines.lakes import audited
from tests.warehouse.evidence.test_handover import write_lines
from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.log import stamp
from warehouse.lake import Lake
from warehouse.retention import holds
from warehouse.retention.plan import RetentionPlan, plan
from warehouse.retention.policy import Policy, PolicyError
from warehouse.retention.remove import remove
from warehouse.rounds import RoundError

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
POLICY = Policy("House policy", footage_days=10, stills_days=20, watched_days=30, raw_days=90)
DAY, OLD = "2026-01-06", "2026-01-05"


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two days of two tables, with a film of the first and what is kept of it."""
    folder = tmp_path_factory.mktemp("retention")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUDIT21_KEY", str(folder / "key.pem"))
        zone = zones.made(folder / "zone", tables=2, rounds=6, days=2, rulebook="md-pontoon21")
        audited(zone, folder / "lake")
    return folder


@pytest.fixture
def place(floor: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A landing zone and its lake, to be changed."""
    monkeypatch.setenv("AUDIT21_KEY", str(floor / "key.pem"))
    for name in ("zone", "lake"):
        shutil.copytree(floor / name, tmp_path / name)
    return tmp_path / "zone", tmp_path / "lake"


def days_of(found: RetentionPlan) -> set[str]:
    return {item.gaming_day for item in found.remove}


def a_round(lake: Path, day: str) -> str:
    return str(Lake.open(lake).read("rounds", days=[date.fromisoformat(day)])["round_id"][0])


def test_only_what_is_older_than_the_policy_keeps_it_is_due(place: tuple[Path, Path]) -> None:
    zone, lake = place
    policy = Policy("raw only", raw_days=10)
    assert days_of(plan(zone, lake, policy, date(2026, 1, 15))) == set()
    assert days_of(plan(zone, lake, policy, date(2026, 1, 16))) == {OLD}
    due = plan(zone, lake, policy, date(2026, 1, 17))
    assert days_of(due) == {OLD, DAY}
    assert {item.place for item in due.remove} == {"landing", "lake"}
    assert not plan(zone, lake, Policy("nothing"), date(2030, 1, 1)).remove


def test_a_hold_protects_all_files_of_its_table_and_day(place: tuple[Path, Path]) -> None:
    zone, lake = place
    held = a_round(lake, OLD)
    holds.place(lake, held, "J. Doe", "case 12", NOW)
    found = plan(zone, lake, POLICY, NOW.date())
    table = held.split("/")[0]
    assert {(item.gaming_day, item.table) for item in found.held} == {(OLD, table)}
    assert (OLD, table) not in {(item.gaming_day, item.table) for item in found.remove}
    gone = remove(found, zone, lake, "Boss", NOW)
    assert len(gone) == len(found.remove) > 0
    assert all((zone / item.path).is_file() for item in found.held if item.place == "landing")
    holds.release(lake, held, "J. Doe", "settled", NOW)
    assert {(item.gaming_day, item.table) for item in plan(zone, lake, POLICY, NOW.date()).remove} == {(OLD, table)}


def test_a_hold_that_comes_between_plan_and_removal_counts(place: tuple[Path, Path]) -> None:
    zone, lake = place
    found = plan(zone, lake, POLICY, NOW.date())
    held = a_round(lake, DAY)
    holds.place(lake, held, "J. Doe", "just in time", NOW)
    gone = remove(found, zone, lake, "Boss", NOW)
    assert 0 < len(gone) < len(found.remove)
    assert (DAY, held.split("/")[0]) not in {(item.gaming_day, item.table) for item in gone}


def test_the_chain_still_verifies_and_tells_what_went(place: tuple[Path, Path]) -> None:
    zone, lake = place
    remove(plan(zone, lake, Policy("Old days", raw_days=90), date(2026, 4, 6)), zone, lake, "Boss", NOW)
    report = verify(VerifyRequest(lake, replay=True, quiet=True))
    assert not report.differences
    told = " ".join(report.notes)
    assert f"{OLD}: 8 files removed by retention on 2026-07-01 under policy Old days" in told
    assert f"{OLD} cannot be replayed" in told and f"{DAY} cannot be replayed" not in told


def test_what_went_without_a_record_is_still_found(place: tuple[Path, Path]) -> None:
    zone, lake = place
    some = next(item for item in plan(zone, lake, POLICY, NOW.date()).remove if item.place == "lake")
    (lake / some.path).unlink()
    assert any("no such file" in str(difference) for difference in verify(VerifyRequest(lake, quiet=True)).differences)


def test_a_day_whose_evidence_went_stands_as_published(place: tuple[Path, Path]) -> None:
    zone, lake = place
    before = Lake.open(lake).snapshot().number
    remove(plan(zone, lake, Policy("Old days", raw_days=90), date(2026, 4, 6)), zone, lake, "Boss", NOW)
    works = AuditRun(zone, lake, now=lambda: NOW)
    assert works.reason(date.fromisoformat(OLD)) is None
    audited(zone, lake)
    assert Lake.open(lake).snapshot().number == before


def test_files_that_come_after_a_removal_are_named_and_left_alone(place: tuple[Path, Path]) -> None:
    zone, lake = place
    snapshot = Lake.open(lake).snapshot().number
    remove(plan(zone, lake, Policy("raw only", raw_days=10), date(2026, 1, 16)), zone, lake, "R. Smith", NOW)
    table = next((zone / DAY).iterdir())
    (zone / OLD / table.name).mkdir(parents=True, exist_ok=True)
    (zone / OLD / table.name / "terminal-late.ndjson").write_text('{"late": true}\n')
    told = CliRunner().invoke(app, ["run", str(zone), "--lake", str(lake), "--json"])
    assert told.exit_code == 0, told.output
    assert [note for note in json.loads(told.stdout)["notes"] if note.startswith(f"{OLD}: new files are left alone")]
    assert Lake.open(lake).snapshot().number == snapshot


def test_killed_after_the_record_the_next_call_completes(
    place: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    zone, lake = place
    found = plan(zone, lake, POLICY, NOW.date())

    def killed(self: Path, missing_ok: bool = False) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Path, "unlink", killed)
        remove(found, zone, lake, "Boss", NOW)
    assert not verify(VerifyRequest(lake, quiet=True)).differences
    remove(plan(zone, lake, POLICY, NOW.date()), zone, lake, "Boss", NOW)
    assert not plan(zone, lake, POLICY, NOW.date()).remove
    assert not verify(VerifyRequest(lake, quiet=True)).differences


def flip(path: Path) -> None:
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-2] + b" \n")


def test_a_landing_file_that_was_changed_since_it_came_stays(place: tuple[Path, Path]) -> None:
    zone, lake = place
    found = plan(zone, lake, POLICY, NOW.date())
    item = next(item for item in found.remove if item.place == "landing" and item.kind == "raw")
    flip(zone / item.path)
    gone = remove(found, zone, lake, "Boss", NOW)
    assert (zone / item.path).is_file()
    assert set(gone) == set(found.remove) - {item}
    assert not verify(VerifyRequest(lake, quiet=True)).differences


def test_nothing_is_removed_where_a_copy_in_the_lake_was_changed(place: tuple[Path, Path]) -> None:
    zone, lake = place
    found = plan(zone, lake, POLICY, NOW.date())
    item = next(item for item in found.remove if item.place == "lake" and item.kind == "raw")
    before = (lake / "evidence" / "log.ndjson").read_bytes()
    flip(lake / item.path)
    with pytest.raises(EvidenceError, match="not as the evidence log records it, nothing is removed"):
        remove(found, zone, lake, "Boss", NOW)
    assert all((zone / each.path if each.place == "landing" else lake / each.path).is_file() for each in found.remove)
    assert (lake / "evidence" / "log.ndjson").read_bytes() == before


# Holds.


def test_holds_and_releases_are_entries_of_the_log(place: tuple[Path, Path]) -> None:
    _, lake = place
    one, other = a_round(lake, OLD), a_round(lake, DAY)
    assert holds.place(lake, one, "J. Doe", "case 1", NOW)
    assert not holds.place(lake, one, "J. Doe", "once more", NOW)
    holds.place(lake, other, "J. Doe", "case 2", NOW)
    holds.release(lake, one, "A. Boss", "settled", NOW)
    assert list(holds.in_force(lake)) == [other]
    assert [(each.action, each.why) for each in holds.history(lake)] == [
        ("hold", "case 1"),
        ("hold", "case 2"),
        ("release", "settled"),
    ]
    assert not verify(VerifyRequest(lake, quiet=True)).differences


def log_path(lake: Path) -> Path:
    return lake / "evidence" / "log.ndjson"


def test_a_hold_that_is_erased_from_the_log_stops_any_removal(place: tuple[Path, Path]) -> None:
    zone, lake = place
    before = sorted(path for path in (lake / "raw").iterdir())
    holds.place(lake, a_round(lake, OLD), "J. Doe", "case 1", NOW)
    found = plan(zone, lake, POLICY, NOW.date())
    lines = log_path(lake).read_bytes().splitlines(keepends=True)
    for forged in (lines[:-1], [*lines[:-1], lines[-1].replace(b'"hold"', b'"release"')]):
        log_path(lake).write_bytes(b"".join(forged))
        for act in (lambda: plan(zone, lake, POLICY, NOW.date()), lambda: remove(found, zone, lake, "Boss", NOW)):
            with pytest.raises(EvidenceError):
                act()
    assert sorted((lake / "raw").iterdir()) == before


def test_without_the_key_nothing_is_held_and_no_key_is_made(
    place: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, lake = place
    monkeypatch.setenv("AUDIT21_KEY", str(tmp_path / "nowhere.pem"))
    with pytest.raises(EvidenceError, match="no signing key"):
        holds.place(lake, a_round(lake, OLD), "J. Doe", "case 1", NOW)
    assert not (tmp_path / "nowhere.pem").exists()


def test_a_release_that_nobody_signed_releases_nothing(place: tuple[Path, Path]) -> None:
    zone, lake = place
    one = a_round(lake, OLD)
    holds.place(lake, one, "J. Doe", "case 1", NOW)
    write_lines(
        lake, {"kind": "release", "at": stamp(NOW), "gaming_day": OLD, "round_id": one, "by": "X", "why": "forged"}
    )
    found = verify(VerifyRequest(lake, quiet=True)).first
    assert found is not None and "nobody signed" in found.found
    with pytest.raises(EvidenceError, match="nobody signed"):
        plan(zone, lake, POLICY, NOW.date())
    with pytest.raises(EvidenceError, match="no key of the log signed entries"):
        AuditRun(zone, lake, now=lambda: NOW).check()


def test_what_a_kill_left_of_a_line_is_no_hold(place: tuple[Path, Path]) -> None:
    _, lake = place
    one = a_round(lake, OLD)
    holds.place(lake, one, "J. Doe", "case 1", NOW)
    with log_path(lake).open("ab") as file:
        file.write(b'{"at":"2026')
    assert list(holds.in_force(lake)) == [one]
    holds.release(lake, one, "J. Doe", "settled", NOW)
    assert not holds.in_force(lake)


@pytest.mark.parametrize(
    ("round_id", "by", "why"), [("x", "me", "why"), ("P/2026-01-05/1", " ", "why"), ("P/2026-01-05/1", "me", "")]
)
def test_a_hold_needs_a_round_and_who_and_why(place: tuple[Path, Path], round_id: str, by: str, why: str) -> None:
    with pytest.raises((holds.HoldError, RoundError)):
        holds.place(place[1], round_id, by, why, NOW)


# Policies and commands.


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("raw_days = 3", "name: expected the policy's name"),
        ('name = "x"\nraw_days = 0', "raw_days: found 0, expected a number of days from 1"),
        ('name = "x"\nfilms = 3', "films: expected one of name"),
        ("name = " + "[" * 100_000, "policy.toml: maximum recursion depth"),
    ],
)
def test_a_wrong_policy_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "policy.toml").write_text(text)
    with pytest.raises(PolicyError, match=said):
        Policy.read(tmp_path / "policy.toml")


def test_retain_shows_asks_and_records(place: tuple[Path, Path], tmp_path: Path) -> None:
    zone, lake = place
    (tmp_path / "policy.toml").write_text('name = "House"\nraw_days = 1\n')
    command = ["retain", str(zone), "--lake", str(lake), "--policy", str(tmp_path / "policy.toml")]
    everything = sorted(path for path in zone.rglob("*.ndjson"))
    shown = CliRunner().invoke(app, [*command, "--dry-run"])
    assert shown.exit_code == 0 and "remove  2026-01-05  raw" in shown.output
    refused = CliRunner().invoke(app, [*command, "--by", "Boss"], input="n\n")
    assert refused.exit_code == 1
    nobody = CliRunner().invoke(app, [*command, "--yes"])
    assert nobody.exit_code == 2 and "--by" in nobody.output
    assert sorted(zone.rglob("*.ndjson")) == everything
    done = CliRunner().invoke(app, [*command, "--by", "Boss", "--yes"])
    assert done.exit_code == 0, done.output
    assert not list(zone.rglob("*.ndjson"))


def test_hold_commands(place: tuple[Path, Path]) -> None:
    _, lake = place
    one = a_round(lake, OLD)
    who = ["--lake", str(lake), "--by", "J. Doe", "--why", "case 9"]
    assert CliRunner().invoke(app, ["hold", one, *who]).output == f"{one} is held\n"
    assert "by J. Doe: case 9" in CliRunner().invoke(app, ["holds", "--lake", str(lake)]).output
    assert CliRunner().invoke(app, ["hold", one, *who, "--release"]).exit_code == 0
    assert CliRunner().invoke(app, ["hold", one, *who, "--release"]).exit_code == 2
    assert CliRunner().invoke(app, ["hold", "P21-01/2026-01-05/none", *who]).exit_code == 2
