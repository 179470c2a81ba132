"""Whatever is changed in a lake by hand is found, and no run deletes published evidence because of it."""

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from pipelines.cli import app
from pipelines.commands.repair import RepairRequest as RepairRequest
from pipelines.commands.repair import repair
from pipelines.commands.summary import summarise
from pipelines.commands.verify import VerifyRequest, sign_off, verify
from pipelines.day.audit_run import AuditRun
from tests.pipelines import tampering as t
from tests.pipelines import zones
from tests.pipelines.lakes import audited, now
from tests.pipelines.tampering import commit, log, part
from tests.warehouse.lake.test_writers import HOLD
from warehouse import redaction, signing
from warehouse.cases import activity
from warehouse.cases.database import Database
from warehouse.dataset import Dataset
from warehouse.evidence import ahead, checkpoint
from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.log import EvidenceLog
from warehouse.lake import Lake, LakeError, delta
from warehouse.retention import holds

LATE = "2026-01-06"


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two days and a late file, a hold, a sign-off, stills, sightings, cases and a catalog."""
    folder = tmp_path_factory.mktemp("tampering")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUDIT21_KEY", str(folder / "key.pem"))
        zone = zones.made(folder / "zone", tables=2, rounds=4, days=2, parts=2, rulebook="md-pontoon21")
        late = min((zone / LATE).glob("*/shoe-2.ndjson"))
        late.rename(folder / "late")
        lake = audited(zone, folder / "lake")
        (folder / "late").rename(late)
        cases = Database(lake.path / signing.CASES)
        with cases.write() as session:
            for number in range(3):
                activity.record(session, activity.Actor("ann", "here"), now(), "view", f"case {number}")
        cases.close()
        audited(zone, lake.path)
        delta.checkpoint(lake.path / "rounds", 2)
        held = lake.read("rounds")["round_id"][0]
        holds.place(lake.path, held, "J. Doe", "case 1", now())
        sign_off(lake.path, next(iter(lake.snapshot().days)), "A. Auditor", "")
        make_films(lake.path)
        redaction.lake_key(lake.path)
        AuditRun(zone, lake.path, now=lambda: datetime.now(UTC)).catalog()
    return folder


def make_films(lake: Path) -> None:
    recorder = signing.Recorder(lake, EvidenceLog(lake / "evidence"), now)
    for kind, names in (("watched", ["watched/ab-none.json"]), ("stills", ["stills/f1.png", "stills/f1.json"])):
        for name in names:
            (lake / name).parent.mkdir(exist_ok=True)
            (lake / name).write_text(f'{{"path": "{LATE}/P21-01/footage.mp4", "of": "{name}"}}')
        recorder.record(kind, date.fromisoformat(LATE), names)  # type: ignore[arg-type]


@pytest.fixture
def place(floor: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The landing zone, and a lake to be changed."""
    monkeypatch.setenv("AUDIT21_KEY", str(floor / "key.pem"))
    return floor / "zone", shutil.copytree(floor / "lake", tmp_path / "lake")


def published(lake: Path) -> dict[Path, str]:
    """Raw files and parts that are there, with their hashes."""
    found = [*(lake / "raw").iterdir(), *lake.glob("*/gaming_day=*/part-*")]
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def run(zone: Path, lake: Path) -> str:
    """Run all there is to do, to the sweep at its end; what it refuses, if it does."""
    works = AuditRun(zone, lake, now=lambda: datetime.now(UTC))
    try:
        works.check()
        for day in works.days():
            if works.reason(day) is not None:
                works.take(day)
                works.audit(day)
                works.publish(day)
        works.catalog()
    except (LakeError, EvidenceError) as error:
        return str(error)
    finally:
        works.close()
    return ""


def on(path: Callable[[Path], Path], change: Callable[[Path], None]) -> t.Tamper:
    return lambda lake: change(path(lake))


def raw(lake: Path) -> Path:
    return min((lake / "raw").iterdir())


def seal(lake: Path) -> Path:
    return lake / ".audit21.duckdb.sha256"


def delta_checkpoint(lake: Path) -> Path:
    return next((lake / "rounds" / "_delta_log").glob("*.checkpoint.parquet"))


def key_file(lake: Path) -> Path:
    return next((lake / "evidence" / "keys").iterdir())


def of(name: str) -> Callable[[Path], Path]:
    return lambda lake: lake / name


def version(dataset: str, number: int) -> Callable[[Path], Path]:
    return lambda lake: commit(lake, dataset, number)


TAMPERS: dict[str, t.Tamper] = {
    # Commits of the Delta tables.
    "commit: bit flipped": on(version("rounds", 1), t.flip),
    "commit: truncated": on(version("rounds", 1), t.truncate),
    "commit: emptied": on(version("findings", 1), t.empty),
    "commit: deleted": on(version("findings", 1), t.delete),
    "commit: newest deleted": lambda lake: commit(lake, "events", t.newest(lake, "events")).unlink(),
    "commit: first deleted": on(version("rounds", 0), t.delete),
    "commit: two swapped": lambda lake: t.swap(commit(lake, "events", 1), commit(lake, "events", 2)),
    "commit: replaced by that of another dataset": lambda lake: t.copy_over(
        commit(lake, "hands", 1), commit(lake, "rounds", 1)
    ),
    "commit: schema changed": t.change_schema,
    "commit: property changed": lambda lake: t.replace(commit(lake, "rounds", 0), b"36500 days", b"00001 days"),
    "commit: part not added": on(version("settlements", 1), t.drop_adds),
    "commit: statistics hide rows": on(version("settlements", 1), t.hide_rows),
    "commit: statistics count no rows": on(version("findings", 1), t.count_none),
    "commit: time changed": lambda lake: t.replace(
        commit(lake, "cards", 1), b'"modificationTime":1', b'"modificationTime":2'
    ),
    "commit: part forged with it": t.forge_part,
    "commit: version added": t.add_version,
    "commit: file planted": lambda lake: t.plant(lake, "rounds/_delta_log/00000000000000000009.txt"),
    **{
        f"commit: shadowed as {name!r}": partial(t.shadow_commit, name=name)
        for name in ("1.json", f"{1:030d}.json", "0000000000000000000\N{ARABIC-INDIC DIGIT ONE}.json")
    },
    "link: commit": on(version("rounds", 1), t.link),
    "delta checkpoint: bit flipped": on(delta_checkpoint, t.flip),
    "delta checkpoint: truncated": on(delta_checkpoint, t.truncate),
    "delta checkpoint: row removed": t.change_checkpoint,
    "delta checkpoint: pointer changed": on(of("rounds/_delta_log/_last_checkpoint"), t.empty),
    # Parts and raw files.
    "part: bit flipped": on(part, t.flip),
    "part: truncated": on(part, t.truncate),
    "part: deleted": on(part, t.delete),
    "part: replaced by another": lambda lake: t.copy_over(part(lake, "hands"), part(lake, "rounds")),
    "part: of an older version deleted": lambda lake: next(
        (lake / "events").glob(f"gaming_day={LATE}/part-*")
    ).unlink(),
    "link: part": on(part, t.link),
    "link: raw": on(raw, t.link),
    "raw: bit flipped": on(raw, t.flip),
    "raw: deleted": on(raw, t.delete),
    "raw: file planted": lambda lake: t.plant(lake, f"raw/{'0' * 64}"),
    # The list of snapshots.
    "snapshot: time of an old one": lambda lake: t.change_snapshot(lake, 1, published=datetime(2020, 1, 1, tzinfo=UTC)),
    "snapshot: reason of an old one": lambda lake: t.change_snapshot(lake, 1, reason="asked for"),
    "snapshot: restatement hidden": lambda lake: t.change_snapshot(lake, 3, restates=True),
    "snapshot: inputs": lambda lake: t.change_snapshot(lake, 2, inputs="other"),
    "snapshot: engine of an old one": lambda lake: t.change_snapshot(lake, 1, engine_version="0"),
    "snapshot: versions of an old one": t.change_versions,
    "snapshot: added": t.repeat_snapshot,
    "snapshot: newest removed": t.drop_newest_snapshot,
    "snapshot: file deleted": lambda lake: next((lake / "snapshots").glob("part-00001-*")).unlink(),
    "snapshot: table deleted": lambda lake: shutil.rmtree(lake / "snapshots"),
    # The log.
    "log: time of a publication": lambda lake: t.change_line(lake, "published", b'"at":"2026', b'"at":"2025'),
    "log: part of a publication": lambda lake: t.change_line(lake, "published", b"part-00000-", b"part-00001-"),
    "log: version of a publication": lambda lake: t.change_line(
        lake, "published", b'"versions":{"cards":1', b'"versions":{"cards":0'
    ),
    "log: hold removed": lambda lake: t.drop_line(lake, "hold"),
    "log: hold made a release": lambda lake: t.change_line(lake, "hold", b'"kind":"hold"', b'"kind":"release"'),
    "log: release added": t.append_release,
    "log: publication added": t.append_published,
    "log: custody added": t.append_custody,
    "log: publication removed": lambda lake: t.drop_line(lake, "published"),
    "log: sign-off removed": lambda lake: t.drop_line(lake, "signoff"),
    "log: sign-off changed": lambda lake: t.change_line(lake, "signoff", b"A. Auditor", b"B. Auditor"),
    "log: entries swapped": t.swap_lines,
    "log: bit flipped": on(log, t.flip),
    "log: last newline changed": lambda lake: t.rewrite(log(lake), log(lake).read_bytes()[:-1] + b"\x0b"),
    "log: truncated": on(log, t.truncate),
    "log: emptied": on(log, t.empty),
    "link: log": on(log, t.link),
    "log: deleted": on(log, t.delete),
    "log: newest entry cut with its checkpoint": t.cut_log,
    "log: redaction key changed": lambda lake: t.change_line(
        lake, "redaction", b'"fingerprint":"', b'"fingerprint":"0'
    ),
    "checkpoint: bit flipped": lambda lake: t.flip(t.checkpoints(lake)[-1]),
    "checkpoint: deleted": lambda lake: t.checkpoints(lake)[1].unlink(),
    "checkpoint: all deleted": t.drop_checkpoints,
    "key: changed": on(key_file, t.flip),
    # What lies beside.
    "stills: picture changed": on(of("stills/f1.png"), t.flip),
    "stills: picture deleted": on(of("stills/f1.png"), t.delete),
    "stills: description changed": on(of("stills/f1.json"), t.flip),
    "stills: picture planted": lambda lake: t.plant(lake, "stills/f2.png"),
    "watched: changed": on(of("watched/ab-none.json"), t.flip),
    "watched: deleted": on(of("watched/ab-none.json"), t.delete),
    "watched: planted": lambda lake: t.plant(lake, "watched/cd-none.json"),
    "redaction key: replaced": lambda lake: t.rewrite(lake / redaction.NAME, b"00" * 32 + b"\n"),
    "redaction key: deleted": on(of(redaction.NAME), t.delete),
    "catalog: changed with its seal": t.forge_catalog,
    "catalog: bit flipped": on(of("audit21.duckdb"), t.flip),
    "catalog: changes beside it": t.change_beside_catalog,
    "link: catalog": on(of("audit21.duckdb"), t.link),
    "catalog: deleted": on(of("audit21.duckdb"), t.delete),
    "accounts: row of activity changed": lambda lake: t.forge_activity(
        lake, "UPDATE activity SET account = 'bob' WHERE number = 2"
    ),
    "accounts: newest activity deleted": lambda lake: t.forge_activity(lake, "DELETE FROM activity WHERE number = 3"),
    "accounts: database deleted": lambda lake: t.delete_all(*lake.glob("cases.db*")),
}
HARMLESS: dict[str, tuple[t.Tamper, str]] = {
    "raw: copy planted": (
        lambda lake: t.plant(lake, f"raw/{hashlib.sha256(b'{}').hexdigest()}"),
        "a killed run leaves copies too: no verdict rests on a file without an entry, and verify names it",
    ),
    "delta checkpoint: deleted": (
        lambda lake: t.delete_all(delta_checkpoint(lake), lake / "rounds/_delta_log/_last_checkpoint"),
        "it repeats what the commits say, for speed",
    ),
    "catalog: seal deleted": (on(seal, t.delete), "the evidence log has the catalog's hash; the seal only saves work"),
    "what was seen of landing files: deleted": (on(of(".seen.json"), t.delete), "files are looked at again"),
}


def test_the_honest_lake_passes(place: tuple[Path, Path]) -> None:
    zone, lake = place
    report = verify(VerifyRequest(lake, quiet=True))
    assert (report.differences, report.unfinished) == ([], [])
    assert run(zone, lake) == ""


@pytest.mark.parametrize("name", TAMPERS)
def test_tampering_is_found_and_no_run_deletes_evidence(place: tuple[Path, Path], name: str) -> None:
    zone, lake = place
    before = published(lake)
    TAMPERS[name](lake)
    assert verify(VerifyRequest(lake, quiet=True)).differences
    left = {path: sha256 for path, sha256 in published(lake).items() if path in before}
    run(zone, lake)
    after = published(lake)
    assert {path: after.get(path) for path in left} == left


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_no_evidence_may_go(place: tuple[Path, Path], name: str) -> None:
    zone, lake = place
    tamper, why = HARMLESS[name]
    tamper(lake)
    report = verify(VerifyRequest(lake, quiet=True))
    assert not report.differences, why
    assert bool(report.unfinished) == name.startswith("raw")
    assert run(zone, lake) == ""


REPAIRABLE = [name for name in TAMPERS if name.split(":")[0] in ("commit", "delta checkpoint", "snapshot", "catalog")]


@pytest.mark.parametrize("name", REPAIRABLE)
def test_what_follows_from_the_log_is_restored(place: tuple[Path, Path], name: str) -> None:
    _, lake = place
    rows, snapshot = Lake(lake).read("settlements"), Lake(lake).snapshot()
    TAMPERS[name](lake)
    would = repair(RepairRequest(lake, dry_run=True))
    assert would.restored and not would.damaged and verify(VerifyRequest(lake, quiet=True)).differences
    done = repair(RepairRequest(lake))
    assert set(done.restored) >= set(would.restored)
    assert not verify(VerifyRequest(lake, quiet=True)).differences
    assert (Lake(lake).snapshot(), Lake(lake).read("settlements").equals(rows)) == (snapshot, True)
    assert repair(RepairRequest(lake)).restored == []


@pytest.mark.parametrize("name", ["part: bit flipped", "raw: deleted", "log: bit flipped", "log: release added"])
def test_evidence_is_named_and_not_made_anew(place: tuple[Path, Path], name: str) -> None:
    _, lake = place
    TAMPERS[name](lake)
    t.flip(commit(lake, "rounds", 1))
    changed = commit(lake, "rounds", 1).read_bytes()
    told = CliRunner().invoke(app, ["repair", str(lake)])
    assert told.exit_code == 1 and "the evidence itself is damaged" in told.output
    assert commit(lake, "rounds", 1).read_bytes() == changed


@pytest.mark.parametrize("size", [0, 400], ids=["all zeros", "zeros at the end"])
@pytest.mark.parametrize("dataset", ["rounds", "files"])
def test_the_summary_of_a_run_names_a_damaged_part(place: tuple[Path, Path], dataset: str, size: int) -> None:
    _, path = place
    lake = Lake.open(path)
    file = Path(lake.files(dataset, lake.snapshot())[-1])
    content = file.read_bytes()
    t.rewrite(file, content[:size] + bytes(len(content) - size))
    with pytest.raises(LakeError, match="a part is damaged; run audit21 verify"):
        summarise(lake, lake.snapshot().days)


def test_the_command_says_what_it_restored(place: tuple[Path, Path]) -> None:
    _, lake = place
    assert "Nothing to repair" in CliRunner().invoke(app, ["repair", str(lake)]).output
    t.flip(commit(lake, "rounds", 1))
    name = f"rounds/_delta_log/{1:020d}.json"
    shown = CliRunner().invoke(app, ["repair", str(lake), "--dry-run"])
    assert (shown.exit_code, shown.output) == (0, f"would be restored: {name}\n")
    done = CliRunner().invoke(app, ["repair", str(lake), "--by", "J. Doe"])
    assert done.exit_code == 0 and f"restored: {name}\n" in done.output
    assert CliRunner().invoke(app, ["repair", str(lake / "none")]).exit_code == 2
    last = EvidenceLog(lake / "evidence").last("repaired")
    assert last is not None and last[1]["files"] == [name] and last[1]["by"] == "J. Doe"  # type: ignore[typeddict-item]


@pytest.mark.parametrize("name", [".lock", ".seen.json.new", "evidence/next.txt"])
def test_a_link_does_not_lead_what_a_run_writes_elsewhere(place: tuple[Path, Path], tmp_path: Path, name: str) -> None:
    zone, lake = place
    precious = tmp_path / "key.pem"
    precious.write_text("precious")
    (lake / name).unlink(missing_ok=True)
    (lake / name).symlink_to(precious)
    assert f"{lake / name}: found a link, expected a file of the lake" in run(zone, lake)
    assert precious.read_text() == "precious"


def test_folders_of_a_lake_may_lie_elsewhere(place: tuple[Path, Path], tmp_path: Path) -> None:
    zone, lake = place
    shutil.move(lake / "raw", tmp_path / "big disk")
    (lake / "raw").symlink_to(tmp_path / "big disk")
    assert verify(VerifyRequest(lake, quiet=True)).differences == []
    assert run(zone, lake) == ""


def test_statistics_hide_no_rows_from_other_readers(place: tuple[Path, Path]) -> None:
    """Show why statistics are verified: Polars skips parts by the statistics of the commit."""
    _, lake = place
    t.hide_rows(commit(lake, "settlements", 1))
    shown = pl.scan_delta(str(lake / "settlements")).filter(pl.col("table") == "P21-01").collect()
    assert len(shown) < len(Lake(lake).read("settlements").filter(pl.col("table") == "P21-01"))


# Clocks, kills, and runs that go on.


def test_a_clock_that_was_set_back_is_recorded_and_as_of_goes_by_the_order_of_the_log(
    place: tuple[Path, Path], tmp_path: Path
) -> None:
    zone = shutil.copytree(place[0], tmp_path / "zone")
    times = iter([datetime(2026, 5, 1, 12, tzinfo=UTC), datetime(2026, 4, 1, 12, tzinfo=UTC)])
    lake = tmp_path / "other"
    for day in ("2026-01-05", "2026-01-06"):
        time = next(times)
        works = AuditRun(zone, lake, now=lambda time=time: time)  # type: ignore[misc]
        works.take(date.fromisoformat(day))
        works.audit(date.fromisoformat(day))
        works.publish(date.fromisoformat(day))
    entry = EvidenceLog(lake / "evidence").last("published")
    assert entry is not None and entry[1]["set_back_ms"] == 30 * 86_400_000  # type: ignore[typeddict-item]
    report = verify(VerifyRequest(lake, quiet=True))
    assert not report.differences and any("the clock was set back by 2,592,000.0 s" in note for note in report.notes)
    with pytest.raises(LakeError, match="has no snapshot"):
        Lake(lake).snapshot(as_of=datetime(2026, 4, 15, tzinfo=UTC))
    assert Lake(lake).snapshot(as_of=datetime(2026, 5, 2, tzinfo=UTC)).number == 2


def test_a_time_that_runs_backwards_without_a_word_is_found(place: tuple[Path, Path]) -> None:
    _, lake = place
    entry = {"kind": "catalog", "at": "2020-01-01T00:00:00.000Z", "snapshot": 1, "sha256": "0" * 64, "bytes": 1}
    EvidenceLog(lake / "evidence").append(entry)
    assert "the time 2020-01-01T00:00:00.000Z after" in str(verify(VerifyRequest(lake, quiet=True)).first)


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("step", ["signed", "entry", "files", "snapshots", "catalog"])
def test_what_a_kill_left_is_unfinished_and_not_tampered_with(
    place: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    zone = shutil.copytree(place[0], tmp_path / "zone")
    lake = place[1]
    late = next((zone / LATE).glob("*/terminal-2.ndjson"))
    late.with_name("terminal-3.ndjson").write_bytes(late.read_bytes())
    with monkeypatch.context() as patch:
        _kill_at(patch, step)
        with pytest.raises(Killed):
            run(zone, lake)
    report = verify(VerifyRequest(lake, quiet=True))
    assert report.differences == []
    assert report.unfinished
    assert run(zone, lake) == ""
    report = verify(VerifyRequest(lake, quiet=True))
    assert (report.differences, report.unfinished) == ([], [])


def _kill_at(patch: pytest.MonkeyPatch, step: str) -> None:
    def killed(*_: object) -> None:
        raise Killed

    write_commit = delta.write_commit

    def commit_but_one(root: Path, dataset: Dataset, *about: object) -> None:
        if dataset.name == step:
            raise Killed
        write_commit(root, dataset, *about)  # type: ignore[arg-type]

    sign = ahead.sign

    def sign_only(log: EvidenceLog, line: bytes, root: bytes) -> None:
        sign(log, line, root)
        if b'"kind":"published"' in line:
            raise Killed

    if step == "signed":
        patch.setattr(ahead, "sign", sign_only)
    elif step == "entry":
        patch.setattr(checkpoint, "write_whole", killed)
    elif step == "catalog":
        patch.setattr(sys.modules["warehouse.catalog.build"], "_publish", killed)
        patch.setattr("shutil.rmtree", lambda *_, **__: None)
    else:
        patch.setattr(delta, "write_commit", commit_but_one)


def test_verify_during_a_run_says_so_and_finds_nothing(place: tuple[Path, Path]) -> None:
    _, lake = place
    t.drop_newest_snapshot(lake)
    (lake / "raw" / ("0" * 64)).write_bytes(b"not in the log yet")
    command = [sys.executable, "-c", HOLD, str(lake)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        report = verify(VerifyRequest(lake, quiet=True))
        other.kill()
    assert report.differences == [] and len(report.unfinished) == 2
    assert "A run is in progress: the last published state was checked" in report.notes
    assert len(verify(VerifyRequest(lake, quiet=True)).differences) >= 2, "without a run, that is tampering"


def test_a_lake_in_which_nothing_is_published_yet_is_whole(place: tuple[Path, Path], tmp_path: Path) -> None:
    works = AuditRun(place[0], tmp_path / "other", now=now)
    works.take(date.fromisoformat(LATE))
    assert verify(VerifyRequest(tmp_path / "other", quiet=True)).differences == []
    works.catalog()
    assert verify(VerifyRequest(tmp_path / "other", quiet=True)).differences == []
    works.audit(date.fromisoformat(LATE))
    report = verify(VerifyRequest(tmp_path / "other", quiet=True))
    assert report.differences == [] and "not published" in report.unfinished[0]
