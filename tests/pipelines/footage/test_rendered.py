"""A rendered film from the landing zone to findings and stills, and films that are no good."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import polars as pl
import pytest

from pipelines.watch import look
from pipelines.watch.sidecar import FilmSidecar, parse
from pipelines.watch.watched import Watched
from replay.simulator.filming import Filming
from tests.pipelines.lakes import audited, found, planted
from tests.pipelines.zones import made
from warehouse.folders import STILLS

CARD = "evidence.card-disagreement"


@pytest.fixture(scope="module")
def zone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One table, of which two rounds are filmed."""
    out = tmp_path_factory.mktemp("rendered") / "zone"
    return made(out, tables=1, rounds=4, rulebook="md-pontoon21", plant=(f"{CARD}:1",), filming=Filming(1, 2))


@pytest.fixture(scope="module")
def film(zone: Path) -> Path:
    return next(zone.glob("2*/*/footage-1.mp4"))


def test_a_card_that_the_film_shows_otherwise_than_the_shoe(
    zone: Path, film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIT21_KEY", str(tmp_path / "key.pem"))
    lake = audited(zone, tmp_path / "lake")
    assert found(lake, zone) == planted(zone)
    seen = lake.read("sightings")
    assert set(seen["path"]) == {film.relative_to(zone).as_posix()}
    assert seen["frame"].null_count() == 0
    (finding,) = lake.read("findings").filter(pl.col("code") == CARD)["finding_id"]
    still = cv2.imread(str(tmp_path / "lake" / STILLS / f"{finding}.png"))
    assert still is not None and still.shape == (1080 + 45, 1920, 3)


def watched(path: Path, sidecar: FilmSidecar) -> Watched:
    frames = list[int]()
    shown = look.look(path, sidecar, "this reader", frames.append)
    assert sum(frames) == shown.frames
    return shown


def cut_off(data: bytes) -> bytes:
    return data[: len(data) // 2]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda data: b"", "the file is empty"),
        (lambda data: b"this is no film\n" * 100, "cannot be opened as a video"),
        (cut_off, "cannot be opened as a video"),
    ],
)
def test_a_film_that_is_none(
    film: Path, damage: Callable[[bytes], bytes], said: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "footage.mp4"
    path.write_bytes(damage(film.read_bytes()))
    shown = watched(path, parse(film.with_suffix(".json").read_bytes()))
    assert shown.problem is not None and shown.problem.startswith(said)
    assert (shown.seen, shown.frames, look.length(path)) == ((), 0, 0)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"image": [640, 640]}, "its sidecar's calibration.image: found 640 x 640"),
        ({"homography": [[1, 2], [3, 4]]}, "its sidecar's calibration.homography"),
        ({"zones": None}, "its sidecar's calibration.zones"),
    ],
)
def test_a_calibration_that_cannot_be(film: Path, changes: dict[str, Any], said: str) -> None:
    sidecar = parse(film.with_suffix(".json").read_bytes())
    shown = watched(film, sidecar._replace(calibration=sidecar.calibration | changes))
    assert shown.problem is not None and shown.problem.startswith(said)
    assert shown.seen == ()


def test_a_calibration_of_another_view_is_noticed(film: Path, tmp_path: Path) -> None:
    short = tmp_path / "footage.mp4"
    _shorten(film, short, 90)
    sidecar = parse(film.with_suffix(".json").read_bytes())
    rows = json.loads(json.dumps(sidecar.calibration["homography"]))
    rows[0][2] += 250 * rows[2][2]  # millimetres
    shown = watched(short, sidecar._replace(calibration=sidecar.calibration | {"homography": rows}))
    assert [trouble.kind for trouble in shown.troubles] == ["moved"]
    assert shown.seen == ()


def _shorten(film: Path, out: Path, frames: int) -> None:
    source = cv2.VideoCapture(str(film))
    writer = cv2.VideoWriter(str(out), cv2.VideoWriter.fourcc(*"mp4v"), 15, (1920, 1080))
    for _ in range(frames):
        got, picture = source.read()
        assert got
        writer.write(picture)
    writer.release()
