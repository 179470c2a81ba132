"""From a landing zone to the lake: what was planted is found, whatever the order, the form and the number of files."""

import gzip
import json
import shutil
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipelines.commands.verify import VerifyRequest, sign_off, verify
from pipelines.day import staging, table
from pipelines.day.audit_run import AuditRun
from pipelines.day.job import Job
from pipelines.day.table import TableRows
from pipelines.day.workers import TableWorkers
from tests.pipelines.lakes import audited, invented, missed, now, verdicts
from tests.pipelines.zones import made
from tests.some import some

DISORDER = ("late:2", "repeated:2", "overlapping:2", "garbage:2", "foreign:2", "truncated:1")
SKEWS = ("evidence.clock-skew:2", "evidence.sequence-gap:2", "evidence.duplicate:2")


@pytest.fixture(autouse=True)
def _key(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIT21_KEY", str(tmp_path_factory.getbasetemp() / "key" / "signing-key.pem"))


def bring_late(zone: Path) -> int:
    """Copy in what was set aside; returns how many files that were."""
    late = [path for path in (zone / ".late").rglob("*") if path.is_file()]
    for path in late:
        target = zone / path.relative_to(zone / ".late")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(path, target)
    return len(late)


@pytest.mark.parametrize(
    ("seed", "form"),
    [
        (4, {"parts": 3, "disorder": DISORDER, "camera": True}),
        (2, {"compress": "zst", "camera": True}),
        (3, {"compress": "parquet", "parts": 2}),
    ],
)
def test_what_was_planted_is_found(seed: int, form: dict[str, Any], tmp_path: Path) -> None:
    zone = made(tmp_path / "zone", tables=10, rounds=80, days=2, seed=seed, irregularities=0.15, plant=SKEWS, **form)
    audited(zone, tmp_path / "lake")
    bring_late(zone)
    lake = audited(zone, tmp_path / "lake")
    assert invented(lake, zone) == {}
    # Beside a round whose cards contradict the clock, a reading of the hole card may be another round's.
    assert {row[5] for row in missed(lake, zone)} <= {"reader.not-used"}
    assert not verify(VerifyRequest(tmp_path / "lake", quiet=True)).differences


def in_parts(zone: Path, out: Path, count: int) -> Path:
    """The same lines in several compressed parts."""
    shutil.copytree(zone, out, ignore=shutil.ignore_patterns("*.ndjson"))
    for path in zone.glob("2*/*/*.ndjson"):
        lines = path.read_bytes().splitlines(keepends=True)
        for part in range(count):
            chosen = b"".join(lines[len(lines) * part // count : len(lines) * (part + 1) // count])
            target = out / path.relative_to(zone).with_name(f"{path.stem}-{part}.ndjson.gz")
            target.write_bytes(gzip.compress(chosen))
    return out


def test_the_verdicts_do_not_depend_on_how_the_files_came(tmp_path: Path) -> None:
    whole = made(tmp_path / "whole", tables=5, rounds=25, days=2, irregularities=0.3, camera=True)
    parts = in_parts(whole, tmp_path / "parts", 4)
    first = verdicts(audited(whole, tmp_path / "a"))
    late = sorted(parts.glob("2026-01-05/*/*-[12].*"))
    for path in late:
        path.rename(path.with_name(f".{path.name}"))
    audited(parts, tmp_path / "b")
    for path in late:
        path.with_name(f".{path.name}").rename(path)
    again = verdicts(audited(parts, tmp_path / "b"))
    for name, rows in some(first.items()):
        assert rows.equals(again[name]), name


def test_a_repeated_run_does_nothing(tmp_path: Path) -> None:
    zone = made(tmp_path / "zone", tables=2, rounds=5, days=2)
    lake = audited(zone, tmp_path / "lake")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "lake").rglob("*") if path.is_file()}
    assert audited(zone, tmp_path / "lake").snapshot() == lake.snapshot()
    after = {path: path.stat().st_mtime_ns for path in (tmp_path / "lake").rglob("*") if path.is_file()}
    assert {path.name for path in after if before.get(path) != after[path]} <= {".lock"}


def test_a_late_file_reruns_its_day_alone(tmp_path: Path) -> None:
    zone = made(tmp_path / "zone", tables=3, rounds=8, days=3, parts=2)
    late = sorted(zone.glob("2026-01-06/*/shoe-2.ndjson"))[0]
    shutil.move(late, tmp_path / "late")
    lake = audited(zone, tmp_path / "lake")
    before = lake.snapshot()
    assert "evidence" in str(lake.read("rounds")["doubt"].to_list()) or lake.read("rounds")["doubt"].is_not_null().any()
    shutil.move(tmp_path / "late", late)
    audited(zone, tmp_path / "lake")
    after = lake.snapshot()
    changed = {day for day, state in after.days.items() if state.snapshot != before.days[day].snapshot}
    assert changed == {date(2026, 1, 6)}
    assert after.days[date(2026, 1, 6)].reason == "new files"


def test_a_camera_that_saw_nothing_of_the_rounds_makes_up_for_no_shoe(tmp_path: Path) -> None:
    zone = made(tmp_path / "zone", tables=1, rounds=3, camera=True)
    folder = next(zone.glob("2026-*/*"))
    (folder / "shoe.ndjson").unlink()
    seen = json.loads((folder / "camera.ndjson").read_text().splitlines()[0])
    # Long before the first round.
    seen |= {name: f"{seen[name][:11]}00:00:00{seen[name][19:]}" for name in ("ts", "until")}
    (folder / "camera.ndjson").write_text(json.dumps(seen) + "\n")
    rounds = audited(zone, tmp_path / "lake").read("rounds")
    assert rounds["verdict"].to_list() == ["undetermined"] * 3
    assert rounds["evidence"].to_list() == ["terminal"] * 3


def test_where_nothing_shows_the_cards_nobody_is_accused(tmp_path: Path) -> None:
    zone = made(tmp_path / "zone", tables=5, rounds=60)
    for path in zone.glob("2026-*/*/shoe.ndjson"):
        path.unlink()
    lake = audited(zone, tmp_path / "lake")
    assert lake.read("settlements").filter(pl.col("kind") == "split").height > 5
    assert set(lake.read("rounds")["verdict"]) == {"undetermined"}
    assert set(lake.read("settlements").filter(pl.col("kind").is_in(["main", "split", "double"]))["verdict"]) == {
        "undetermined"
    }
    assert set(lake.read("findings")["code"]) == {"evidence.source-missing"}


def test_a_burned_card_that_no_camera_saw_is_nobodys_fault(tmp_path: Path) -> None:
    """Massachusetts burns a card of every shoe and for every new dealer; a film may begin after it was put away."""
    zone = made(tmp_path / "zone", tables=1, rounds=60, rulebook="ma-pontoon21", camera=True)
    folder = next(zone.glob("2026-*/*"))
    (folder / "shoe.ndjson").unlink()
    lines = (folder / "camera.ndjson").read_text().splitlines(keepends=True)
    seen = [line for line in lines if json.loads(line)["zone"] != "burn"]
    assert len(seen) < len(lines)
    (folder / "camera.ndjson").write_text("".join(seen))
    lake = audited(zone, tmp_path / "lake")
    assert "terminal+camera" in set(lake.read("rounds")["evidence"])
    assert "shoe.burn-missed" not in set(lake.read("findings")["code"])


def test_a_signed_off_day_is_restated_openly(tmp_path: Path) -> None:
    zone = made(tmp_path / "zone", tables=2, rounds=10, parts=2, plant=("settlement.overpaid:6",))
    day = date(2026, 1, 5)
    # The file that comes late brings a finding: rounds of which lines are missing have none.
    planted = pl.read_parquet(zone / "truth.parquet").filter(
        pl.col("round_id").str.split("/").list.last().cast(int) > 6
    )
    late = zone / "2026-01-05" / planted["table"][0] / "terminal-2.ndjson"
    shutil.move(late, tmp_path / "late")
    lake = audited(zone, tmp_path / "lake")
    assert sign_off(tmp_path / "lake", day, "A. Auditor", "checked") == 1
    shutil.move(tmp_path / "late", late)
    audited(zone, tmp_path / "lake")
    state = lake.snapshot().days[day]
    assert state.restates
    told = lake.read("restatements")
    assert set(told["before"]) == {1} and set(told["snapshot"]) == {state.snapshot}
    missing = told.filter(pl.col("code") == "evidence.sequence-gap")
    assert (told["findings_before"] != told["findings_after"]).any() or len(missing)
    assert lake.read("findings", lake.snapshot(1)).equals(lake.read("findings", lake.snapshot(1)))
    assert not verify(VerifyRequest(tmp_path / "lake", quiet=True, replay=True)).differences


def test_days_after_a_changed_carry_are_audited_again(tmp_path: Path) -> None:
    zone = made(tmp_path / "zone", tables=2, rounds=6, days=3)
    lake = audited(zone, tmp_path / "lake")
    works = AuditRun(zone, tmp_path / "lake", now=now)
    assert [works.reason(day) for day in works.days()] == [None, None, None]
    states = list(lake.snapshot().days.values())
    assert [state.carry_in for state in states[1:]] == [state.carry_out for state in states[:-1]]


def test_a_table_that_fails_stops_no_other_and_is_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zone = made(tmp_path / "zone", tables=3, rounds=6)
    day = date(2026, 1, 5)
    audit_table = table.audit_table

    def failing(job: Job) -> TableRows:
        if job.table_id == "S21-02":
            raise RuntimeError("a fault of ours")
        return audit_table(job)

    with monkeypatch.context() as patch:
        patch.setattr(staging, "audit_table", failing)
        works = AuditRun(zone, tmp_path / "lake", now=now)
        works.take(day)
        assert works.audit(day).failed == {"S21-02": "RuntimeError: a fault of ours"}
        works.publish(day)
    assert set(works.lake.read("rounds")["table"]) == {"P21-01", "P21-03"}
    assert set(audited(zone, tmp_path / "lake").read("rounds")["table"]) == {"P21-01", "P21-03", "S21-02"}


def test_a_torn_staged_day_is_audited_again(tmp_path: Path) -> None:
    zone = made(tmp_path / "zone", tables=2, rounds=4)
    day, lake = date(2026, 1, 5), audited(zone, tmp_path / "lake")
    works = AuditRun(zone, lake.path, now=now)
    works.audit(day)
    staged = lake.path / ".staged" / f"{day}.json"
    staged.write_bytes(staged.read_bytes()[:800])
    works.catalog()
    assert not list(staged.parent.glob("*.json"))
    works.audit(day)
    assert works.publish(day).snapshot == 1  # it says the same again


def test_a_signed_off_day_that_says_the_same_again_is_not_restated(tmp_path: Path) -> None:
    zone = made(tmp_path / "zone", tables=2, rounds=6)
    day = date(2026, 1, 5)
    lake = audited(zone, tmp_path / "lake")
    sign_off(tmp_path / "lake", day, "A. Auditor", "")
    works = AuditRun(zone, tmp_path / "lake", now=now, tables=["P21-01"])
    works.take(day)
    works.audit(day)
    assert not works.publish(day).restates
    assert lake.read("restatements").is_empty()
    assert works.reason(day) is None


def test_under_another_floor_one_table_alone_does_not_stand_for_the_day(tmp_path: Path) -> None:
    zone = made(tmp_path / "zone", tables=2, rounds=6)
    day = date(2026, 1, 5)
    audited(zone, tmp_path / "lake")
    floor = zone / "floor.toml"
    floor.write_text(floor.read_text().replace("min_cents = ", "min_cents = 1", 1))
    works = AuditRun(zone, tmp_path / "lake", now=now, tables=["P21-01"])
    works.take(day)
    works.audit(day)
    works.publish(day)
    assert AuditRun(zone, tmp_path / "lake", now=now).reason(day) is not None


@pytest.mark.parametrize("processes", [False, True])
def test_other_processes_give_the_same_parts(processes: bool, tmp_path: Path) -> None:
    zone = made(tmp_path / "zone", tables=3, rounds=6)
    day = date(2026, 1, 5)
    works = AuditRun(zone, tmp_path / "lake", now=now)
    works.workers = TableWorkers(worth_lines=0 if processes else 1 << 60)
    works.take(day)
    works.audit(day)
    works.workers.close()
    works.publish(day)
    found = {name: works.lake.files(name, works.lake.snapshot()) for name in ("events", "rounds", "findings")}
    other = audited(zone, tmp_path / "other")
    for name, files in some(found.items()):
        assert [Path(file).name for file in files] == [Path(file).name for file in other.files(name, other.snapshot())]
