"""Stills of findings, from small films that are really decoded."""

import json
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import cv2
import numpy as np
import polars as pl
import pytest

from dashboards.packets import bundle
from pipelines.day.audit_run import AuditRun
from pipelines.watch import drawing as pictures
from pipelines.watch.sidecar import FilmSidecar
from pipelines.watch.stills import of_round
from pipelines.watch.watched import Watched
from tests.pipelines.footage import reels
from tests.pipelines.lakes import now
from tests.pipelines.zones import made
from warehouse import rounds
from warehouse.evidence.bundle import verify
from warehouse.folders import STILLS

DAY = date(2026, 1, 5)
FPS, WIDTH, HEIGHT = 5, 160, 90
CODES = ("evidence.card-disagreement", "evidence.sideways-disagreement", "deal.hole-card-exposed")
CALIBRATION = {
    "image": [WIDTH, HEIGHT],
    "homography": [[12.0, 0, -950], [0, 12.0, 0], [0, 0, 1]],
    "zones": {"dealer": [[-350, 90], [350, 90], [350, 230], [-350, 230]]},
    "card_mm": [63, 88],
}


def grey(frame: int) -> int:
    return 40 + 8 * (frame % 20)


def shoot(path: Path, seconds: int) -> None:
    """A film whose frames can be told from each other."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), FPS, (WIDTH, HEIGHT))
    assert writer.isOpened()
    for frame in range(seconds * FPS):
        writer.write(np.full((HEIGHT, WIDTH, 3), grey(frame), np.uint8))
    writer.release()


class Notes(reels.Reels):
    """Eyes that find what a film shows noted beside it."""

    def length(self, path: Path) -> int:
        return 0

    def look(self, path: Path, sidecar: FilmSidecar, reader: str, progress: Callable[[int], object]) -> Watched:
        shown = super().look(path.with_name(".reel"), sidecar, reader, progress)
        frames = [round(each.time_ms * FPS / 1000) for each in shown.seen]
        seen = [
            each._replace(frame=frame, time_ms=frame * 1000 // FPS)
            for each, frame in zip(shown.seen, frames, strict=True)
        ]
        return replace(shown, seen=tuple(seen))


@pytest.mark.parametrize("frame", [0, 7, 61])
def test_a_frame_is_the_one_that_was_meant(frame: int, tmp_path: Path) -> None:
    shoot(tmp_path / "film.mp4", 15)
    picture = pictures.frame_at(tmp_path / "film.mp4", frame, frame * 1000 // FPS)
    assert abs(float(picture.mean()) - grey(frame)) < 3


@pytest.fixture
def zone(tmp_path: Path) -> Path:
    plants = tuple(f"{code}:1" for code in CODES)
    zone = made(tmp_path / "zone", tables=1, rounds=6, rulebook="md-pontoon21", plant=plants, camera=True)
    folder = next(zone.glob("2*/*"))
    reels.filmed(zone)
    film = folder / "footage-1.mp4"
    shutil.move(film, film.with_name(".reel"))
    shown = json.loads(film.with_name(".reel").read_text())["seen"]
    shoot(film, shown[-1]["time_ms"] // 1000 + 2)
    sidecar = json.loads(film.with_suffix(".json").read_text())
    film.with_suffix(".json").write_text(json.dumps({**sidecar, "calibration": CALIBRATION}))
    return zone


def run(zone: Path, lake: Path, **options: object) -> AuditRun:
    works = AuditRun(zone, lake, now=now, eyes=Notes(), **options)  # type: ignore[arg-type]
    works.take(DAY)
    works.audit(DAY)
    works.publish(DAY)
    assert works.stumbles == []
    return works


def test_findings_that_a_film_shows_get_a_still(zone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIT21_KEY", str(tmp_path / "key.pem"))
    lake = tmp_path / "lake"
    found = run(zone, lake).lake.read("findings").filter(pl.col("code").is_in(CODES))
    stills = {path.stem: path for path in (lake / STILLS).glob("*.png")}
    assert set(found["code"]) == set(CODES)
    assert set(stills) == set(found["finding_id"])
    for finding_id, path in stills.items():
        about = json.loads(path.with_suffix(".json").read_text())
        picture = cv2.imread(str(path))
        assert picture is not None and picture.shape == (HEIGHT + 24, WIDTH, 3)
        assert abs(float(np.median(picture[:HEIGHT])) - grey(about["frame"])) < 4, finding_id
    before = {path: path.stat().st_mtime_ns for path in (lake / STILLS).iterdir()}
    run(zone, lake, tables=["P21-01"])
    assert {path: path.stat().st_mtime_ns for path in (lake / STILLS).iterdir()} == before


def test_a_disputed_round_gets_a_still_of_its_own(zone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIT21_KEY", str(tmp_path / "key.pem"))
    lake = run(zone, tmp_path / "lake").lake
    shown = lake.read("sightings").filter(pl.col("frame").is_not_null(), pl.col("round_id").is_not_null())
    round_id = shown["round_id"][0]
    place = rounds.find(lake.path, round_id)
    path = lake.path / STILLS / f"{place.still_id}.png"
    assert "not at hand" in str(of_round(place, tmp_path / "nowhere")) and not path.exists()
    assert of_round(place, zone) is None
    about = json.loads(path.with_suffix(".json").read_text())
    last = shown.filter(pl.col("round_id") == round_id, pl.col("face") == "up").sort("corrected", "seq")["frame"][-1]
    picture = cv2.imread(str(path))
    assert about["frame"] == last and picture is not None
    assert abs(float(np.median(picture[:HEIGHT])) - grey(last)) < 6
    packet = bundle.make(bundle.PacketRequest(lake.path, round_id))
    assert packet.data["stills"][0]["finding_id"] == place.still_id
    assert [row["path"] for row in packet.data["sources"] if row["source"] == "footage"] == [about["path"]]
    (tmp_path / "out").mkdir()
    zipped = packet.write(tmp_path / "out")[1]
    assert not verify(zipped).differences
    with zipfile.ZipFile(zipped) as packed:
        packed.extractall(tmp_path / "bundle")
    script = ["sh", "verify.sh"]
    assert subprocess.run(script, cwd=tmp_path / "bundle", capture_output=True, check=False).returncode == 0
    (tmp_path / "bundle" / packet.data["stills"][0]["file"]).write_bytes(b"another picture")
    assert verify(tmp_path / "bundle").differences
    assert subprocess.run(script, cwd=tmp_path / "bundle", capture_output=True, check=False).returncode == 1
