"""Films in the landing zone: what they show is audited as if a camera had logged it."""

import json
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipelines.commands.verify import VerifyRequest, verify
from pipelines.day.audit_run import AuditRun
from pipelines.watch import watching
from tests.pipelines.footage.reels import Reels, film, filmed
from tests.pipelines.lakes import audited, now, verdicts
from tests.pipelines.zones import made
from warehouse.folders import WATCHED
from warehouse.lake import Lake, LakeError

DAY = date(2026, 1, 5)
MISSING = "evidence.source-missing"


@pytest.fixture(autouse=True)
def _key(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIT21_KEY", str(tmp_path_factory.getbasetemp() / "key" / "signing-key.pem"))


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tables with cameras."""
    plants = ("evidence.card-disagreement:2", "evidence.sideways-disagreement:1")
    return made(
        tmp_path_factory.mktemp("footage") / "zone",
        tables=2,
        rounds=12,
        rulebook="md-pontoon21",
        plant=plants,
        camera=True,
    )


@pytest.fixture
def zone(simulated: Path, tmp_path: Path) -> Path:
    return shutil.copytree(simulated, tmp_path / "zone")


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return tmp_path / "lake"


def folders(zone: Path) -> list[Path]:
    return sorted(zone.glob("2*/*"))


def camera_lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "camera.ndjson").read_text().splitlines()]


def missing(lake: Lake) -> dict[str, str]:
    """Messages about films, by path."""
    found = lake.read("findings").filter(pl.col("code") == MISSING, pl.col("path").is_not_null())
    return dict(found.select("path", "message").rows())


def test_what_a_film_shows_is_judged_as_a_cameras_lines_are(simulated: Path, zone: Path, tmp_path: Path) -> None:
    by_camera = verdicts(audited(simulated, tmp_path / "by-camera"))
    lake = audited(filmed(zone, parts=2), tmp_path / "lake", eyes=Reels())
    by_film = verdicts(lake)
    for name, rows in by_camera.items():
        others = {"device", "camera", "frame"} & set(rows.columns)
        assert rows.drop(others).equals(by_film[name].drop(others)), name
    assert {"evidence.card-disagreement", "evidence.sideways-disagreement"} <= set(by_film["findings"]["code"])


def test_a_sighting_names_its_film_and_frame(zone: Path, tmp_path: Path) -> None:
    lake = audited(filmed(zone, parts=2), tmp_path / "lake", eyes=Reels())
    seen, files = lake.read("sightings"), lake.read("files")
    films = files.filter(source="footage")
    assert films["lines"].null_count() == len(films) == 4
    counts = dict(seen.group_by("file_sha256").len().rows())
    assert counts == dict(films.select("sha256", "seen").rows())
    assert files.filter(pl.col("source") != "footage")["seen"].null_count() == len(files) - 4
    assert seen["frame"].null_count() == 0 and seen["frame"].max() > 1000  # type: ignore[operator]
    assert set(seen["device"]) == {"footage cam-1"} and set(seen["camera"]) == {"cam-1"}
    for _, own in seen.group_by("table"):
        assert own["seq"].sort().to_list() == list(range(1, len(own) + 1))
    assert "evidence.sequence-gap" not in set(lake.read("findings")["code"])


def test_nothing_is_watched_twice(zone: Path, lake: Path) -> None:
    eyes = Reels()
    audited(filmed(zone, parts=2), lake, eyes=eyes)
    assert len(eyes.looked_at) == 4
    before = {path: path.stat().st_mtime_ns for path in lake.rglob("*") if path.is_file()}
    assert audited(zone, lake, eyes=eyes).snapshot().number == 1
    after = {path: path.stat().st_mtime_ns for path in lake.rglob("*") if path.is_file()}
    assert {path.name for path in after if before.get(path) != after[path]} <= {".lock"}
    late = next(zone.glob("2*/*/shoe.ndjson"))
    late.write_bytes(late.read_bytes() + b"\n")
    assert audited(zone, lake, eyes=eyes).snapshot().number == 2
    assert len(eyes.looked_at) == 4


def test_another_reader_watches_again_what_is_at_hand(zone: Path, lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = verdicts(audited(filmed(zone), lake, eyes=Reels()))
    gone = sorted(zone.glob("2*/*/footage-1.mp4"))[0]
    gone.unlink()
    monkeypatch.setattr(watching, "reader_version", lambda: "another")
    eyes = Reels()
    works = AuditRun(zone, lake, now=now, eyes=eyes)
    assert works.reason(DAY) == "footage"
    again = verdicts(audited(zone, lake, eyes=eyes))
    assert eyes.looked_at == ["footage-1.mp4"]
    assert works.lake.snapshot().days[DAY].reason == "footage"
    assert all(rows.equals(again[name]) for name, rows in first.items())
    assert AuditRun(zone, lake, now=now, eyes=eyes).reason(DAY) is None


def test_killed_between_two_films_the_next_run_goes_on(zone: Path, lake: Path) -> None:
    _, second = folders(filmed(zone))
    whole = (second / "footage-1.mp4").read_bytes()
    (second / "footage-1.mp4").write_text(json.dumps({"interrupt": 1, "seen": []}))
    eyes = Reels()
    with pytest.raises(KeyboardInterrupt):
        audited(zone, lake, eyes=eyes)
    (lake / WATCHED / ".half").write_text("left by a kill")
    assert len(list((lake / WATCHED).glob("*.json"))) == 1
    (second / "footage-1.mp4").write_bytes(whole)
    audited(zone, lake, eyes=eyes)
    assert eyes.looked_at == ["footage-1.mp4"] * 3
    assert not list((lake / WATCHED).glob(".*"))


def test_bad_films_are_findings_and_stop_no_other(zone: Path, lake: Path) -> None:
    one, other = folders(filmed(zone))
    lines = [{**line, "ts": "2026-01-05T20:00:00Z", "until": "2026-01-05T20:00:01Z"} for line in [_line()]]
    film(one, lines, "footage-cut", problem="the file is cut off", frames=900)
    film(one, lines, "footage-alone").with_suffix(".json").unlink()
    film(one, lines, "footage-words", x=1).with_suffix(".json").write_text("not JSON")
    film(one, [*lines, *lines], "footage-none", problem="cannot be opened as a video", frames=0)
    found = audited(zone, lake, eyes=Reels())
    told = {Path(path).name: message for path, message in missing(found).items()}
    assert told == {
        "footage-alone.mp4": "footage-alone.mp4 could not be analysed: no sidecar footage-alone.json beside it says"
        " when it begins and what its pixels are",
        "footage-cut.mp4": "footage-cut.mp4 could only be analysed for 0:40 minutes: the file is cut off",
        "footage-none.mp4": "footage-none.mp4 could not be analysed: cannot be opened as a video",
        "footage-words.mp4": "footage-words.mp4 could not be analysed: its sidecar footage-words.json is no JSON:"
        " Expecting value: line 1 column 1 (char 0)",
    }
    assert (
        len(found.read("sightings").filter(table=other.name))
        == json.loads((other / "footage-1.mp4").read_text())["seen"].__len__()
    )
    assert AuditRun(zone, lake, now=now, eyes=Reels()).reason(DAY) is None


def _line() -> dict[str, Any]:
    place = {"zone": "seat1.hand1", "order": 1, "face": "up", "card": "7S", "confidence": 0.99, "sideways": False}
    return {"ts": "2026-01-05T20:00:00Z", "until": "2026-01-05T20:00:01Z", **place}


def test_a_film_on_which_the_software_fails_is_tried_again(zone: Path, lake: Path) -> None:
    folder = folders(filmed(zone))[0]
    film(folder, [_line()], "footage-2", crash="a fault of ours")
    eyes = Reels()
    works = AuditRun(zone, lake, now=now, eyes=eyes)
    works.take(DAY)
    assert works.watch(DAY).failed == [f"{DAY}/{folder.name}/footage-2.mp4: RuntimeError: a fault of ours"]
    works.audit(DAY)
    works.publish(DAY)
    assert eyes.looked_at.count("footage-2.mp4") == 1
    assert "was not analysed" in missing(works.lake)[f"{DAY}/{folder.name}/footage-2.mp4"]
    assert AuditRun(zone, lake, now=now, eyes=eyes).reason(DAY) == "footage"


def test_a_film_that_is_gone_before_it_was_watched(zone: Path, lake: Path) -> None:
    filmed(zone)
    works = AuditRun(zone, lake, now=now, eyes=Reels())
    works.take(DAY)
    for path in zone.glob("2*/*/footage-1.mp4"):
        path.unlink()
    found = audited(zone, lake, eyes=Reels())
    assert len(missing(found)) == 2
    assert AuditRun(zone, lake, now=now, eyes=Reels()).reason(DAY) is None


def test_a_camera_that_was_moved_or_covered(zone: Path, lake: Path) -> None:
    folder = folders(zone)[0]
    lines = camera_lines(folder)
    film(folder, lines, troubles=[("moved", 61_000, 125_000, "the camera was moved by 12 px; what it saw is not used")])
    (folder / "camera.ndjson").unlink()
    found = audited(zone, lake, eyes=Reels())
    (told,) = found.read("findings").filter(pl.col("code") == MISSING, table=folder.name).to_dicts()
    begins = lines[0]["ts"]
    assert told["message"].startswith("footage-1.mp4: the camera was moved by 12 px; what it saw is not used, from ")
    assert told["path"] == f"{DAY}/{folder.name}/footage-1.mp4"
    first = found.read("sightings").filter(table=folder.name).sort("seq").row(0, named=True)
    assert (told["at"] - first["corrected"]).total_seconds() == pytest.approx(61, abs=0.1), begins


def test_a_film_and_a_camera_are_two_devices(simulated: Path, zone: Path, tmp_path: Path) -> None:
    for folder in folders(zone):
        film(folder, camera_lines(folder))
        (folder / "shoe.ndjson").unlink()
    alone = shutil.copytree(simulated, tmp_path / "alone")
    for path in alone.glob("2*/*/shoe.ndjson"):
        path.unlink()
    both, one = audited(zone, tmp_path / "lake", eyes=Reels()), audited(alone, tmp_path / "one")
    clocks = both.read("clocks").filter(source="camera")
    assert sorted(set(clocks["device"]), key=str) == [None, "footage cam-1"]
    assert both.read("rounds")["evidence"].to_list() == ["terminal+camera"] * 24
    for name in ("rounds", "hands", "settlements"):
        assert both.read(name).drop("findings", strict=False).equals(one.read(name).drop("findings", strict=False)), (
            name
        )


def test_a_table_of_which_only_a_bad_film_came(zone: Path, lake: Path) -> None:
    folder = folders(zone)[0]
    for path in folder.iterdir():
        path.unlink()
    film(folder, [_line()]).with_suffix(".json").unlink()
    found = audited(zone, lake, eyes=Reels())
    told = found.read("findings").filter(table=folder.name)
    assert set(told["code"]) == {MISSING} and len(told) == 2


def test_footage_of_a_table_that_the_floor_does_not_know_is_left_alone(zone: Path, lake: Path) -> None:
    stray = zone / str(DAY) / "X-99"
    stray.mkdir()
    film(stray, [_line()])
    eyes = Reels()
    found = audited(zone, lake, eyes=eyes)
    assert eyes.looked_at == []
    assert found.read("files").filter(table="X-99")["seen"].to_list() == [None, None]


def test_verify_knows_what_the_verdicts_rest_on(zone: Path, lake: Path) -> None:
    audited(filmed(zone), lake, eyes=Reels())
    assert not verify(VerifyRequest(lake, quiet=True, replay=True)).differences
    kept = sorted((lake / WATCHED).glob("*.json"))[0]
    kept.write_text(kept.read_text().replace('"card":"7', '"card":"8', 1))
    (first, *_) = verify(VerifyRequest(lake, quiet=True)).differences
    assert first.place == f"{WATCHED}/{kept.name}, sha256"


@pytest.mark.parametrize("is_at_hand", [True, False])
def test_sightings_that_were_changed_are_never_judged_by(zone: Path, lake: Path, is_at_hand: bool) -> None:
    audited(filmed(zone), lake, eyes=Reels())
    kept = sorted((lake / WATCHED).glob("*.json"))[0]
    honest = kept.read_bytes()
    kept.write_bytes(honest.replace(b'"card":"7', b'"card":"8', 1))
    if not is_at_hand:
        for film in zone.glob("2*/*/footage*.mp4"):
            film.unlink()
    works = AuditRun(zone, lake, now=now, eyes=Reels())
    if is_at_hand:
        works.audit(DAY)
        assert kept.read_bytes() == honest
    else:
        with pytest.raises(LakeError, match="not as the evidence log records it"):
            works.audit(DAY)


def test_a_zone_without_films_loads_no_vision() -> None:
    code = (
        "import sys, pipelines.commands.run, pipelines.commands.verify; "
        "sys.exit(bool({'cv2', 'onnxruntime'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])


def test_the_numbers_of_the_step(zone: Path, lake: Path) -> None:
    filmed(zone, parts=2)
    works = AuditRun(zone, lake, now=now, eyes=Reels())
    works.take(DAY)
    told = works.watch(DAY)
    assert (told.films, told.watched, told.frames, told.fresh_frames) == (4, 4, 4000, 4000)
    assert told.cards > 100 and told.frames_per_second > 0 and not told.problems
    again = works.watch(DAY)
    assert (again.watched, again.frames, again.fresh_frames, again.seconds) == (0, 4000, 0, 0.0)
