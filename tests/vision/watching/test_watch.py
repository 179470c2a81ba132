"""Films watched from end to end: rounds, nothing at all, and cameras that are of no use."""

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.watching.reels import write
from vision.calibration import CalibrationError, load
from vision.footage import film
from vision.footage.places import CardStay
from vision.reading.reader import Reader
from vision.scoring.films import Shot, nothing_of, rounds_of, shoot, tally, watched
from vision.watching.annotate import annotate, save_frames
from vision.watching.video import Picture
from vision.watching.watch import Watch, watch

FPS = 10.0
ROUND = Shot("harbour", "green", 3, 2)


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


@pytest.fixture(scope="module")
def on() -> film.Set:
    return ROUND.set()


@pytest.fixture(scope="module")
def still(on: film.Set) -> Picture:
    """Two cards in box 2, one of them upside down, and the dealer's, of which one lies face down."""
    cards = (("6H", "seat2.hand1", 1, "up"), ("9C", "seat2.hand1", 2, "up"), ("KD", "dealer", 1, "up"))
    stays = [CardStay(*card, False, 0, 9_000, n=n) for n, card in enumerate((*cards, ("AS", "dealer", 2, "down")))]
    return film.still(on, film.take(on, stays), 6_000)


@pytest.fixture(scope="module")
def short(on: film.Set, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A card that lies for two seconds, with the sidecar beside it."""
    stays = [CardStay("7S", "seat2.hand1", 1, "up", False, 1_000, 3_000)]
    return shoot(ROUND, (on, film.take(on, stays)), tmp_path_factory.mktemp("short"), FPS, lambda _: None)


def test_a_round_with_long_hands(reader: Reader, tmp_path: Path) -> None:
    matches = watched(shoot(ROUND, rounds_of(ROUND, 1), tmp_path, FPS, lambda _: None), reader, lambda _: None)
    found = tally(matches)
    assert found.up >= 12 and found.long >= 5 and found.down == found.down_found == 1
    assert found.right >= found.up - 1 and found.placed >= found.cards - 2
    assert found.wrong == found.invented == found.again == 0


def test_a_table_without_cards(reader: Reader, tmp_path: Path) -> None:
    """Hands, chips, shadows and print: a minute of it."""
    path = shoot(ROUND, nothing_of(ROUND, 60), tmp_path, 3.0, lambda _: None)
    assert watched(path, reader, lambda _: None) == []


def test_a_still(still: Picture, on: film.Set, reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "still.png"
    cv2.imwrite(str(path), still)
    calibration = on.view.calibration(on.layout, on.deck.card_mm)
    seen = {(each.zone, each.order): (each.face, each.card) for each in watch(path, calibration, reader)}
    assert seen == {
        ("seat2.hand1", 1): ("up", "6H"),
        ("seat2.hand1", 2): ("up", "9C"),
        ("dealer", 1): ("up", "KD"),
        ("dealer", 2): ("down", None),
    }
    indices = list(watch(path, None, reader))
    assert {"6H", "9C", "KD"} <= {each.card for each in indices}
    assert {(each.zone, each.order, each.sideways) for each in indices} == {(None, None, None)}


def test_a_card_from_first_to_last_sight(short: Path, reader: Reader) -> None:
    told = list[int]()
    watching = Watch(short, load(short.with_suffix(".json")), reader)
    [seen] = watching.sightings(told.append)
    truth = film.take(ROUND.set(), [CardStay("7S", "seat2.hand1", 1, "up", False, 1_000, 3_000)])
    settled = truth.stage.settled[0].settled_ms - truth.from_ms
    assert (seen.card, seen.zone, seen.order, seen.face, seen.sideways) == ("7S", "seat2.hand1", 1, "up", False)
    assert settled <= seen.time_ms <= settled + 1_000 and seen.frame == round(seen.time_ms * FPS / 1000)
    assert seen.until_ms == pytest.approx(truth.stage.settled[0].lifted_ms - truth.from_ms, abs=300)
    assert told[-1] == watching.footage.facts.frames and watching.troubles == []


def test_drawings(short: Path, reader: Reader, tmp_path: Path) -> None:
    calibration = load(short.with_suffix(".json"))
    seen = list(watch(short, calibration, reader))
    annotate(short, seen, calibration, tmp_path / "drawn.mp4", lambda _: None)
    assert save_frames(short, seen, calibration, tmp_path / "frames", lambda _: None) == 1
    [png] = (tmp_path / "frames").iterdir()
    assert png.name == f"{short.stem}-{seen[0].frame:07d}.png"
    picture = cv2.imread(str(png))
    assert picture is not None
    x0, y0, x1, y1 = seen[0].box
    green = picture[y0 - 2 : y1 + 3, x0 - 2 : x1 + 3].reshape(-1, 3).astype(int)
    assert ((green[:, 1] > 180) & (green[:, 2] < 130)).sum() > x1 - x0
    drawn, plain = cv2.VideoCapture(str(tmp_path / "drawn.mp4")), cv2.VideoCapture(str(short))
    assert drawn.get(cv2.CAP_PROP_FRAME_COUNT) == plain.get(cv2.CAP_PROP_FRAME_COUNT)


def lit(on: film.Set, seconds: float, light: float) -> list[Picture]:
    """The empty table in some light, with the sensor's noise."""
    camera = film.Camera(on, film.take(on, []).stage)
    frames = [camera.frame(0.0, 1000 * n / 2).astype(np.float32) for n in range(round(2 * seconds))]
    return [np.clip(light * frame, 0, 255).astype(np.uint8) for frame in frames]


@pytest.mark.parametrize(("light", "kind"), [(0.03, "dark"), (0.0, "dark")])
def test_night(on: film.Set, reader: Reader, tmp_path: Path, light: float, kind: str) -> None:
    path = write(tmp_path / "night.mp4", lit(on, 4, light), fps=2)
    watching = Watch(path, on.view.calibration(on.layout, on.deck.card_mm), reader)
    assert list(watching.sightings()) == [] and [each.kind for each in watching.troubles] == [kind]


def test_a_lens_that_is_covered(on: film.Set, reader: Reader, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    hand = [np.clip(rng.normal((120, 140, 180), 3, (1080, 1920, 3)), 0, 255).astype(np.uint8) for _ in range(8)]
    path = write(tmp_path / "covered.mp4", [*lit(on, 2, 1.0), *hand], fps=2)
    watching = Watch(path, on.view.calibration(on.layout, on.deck.card_mm), reader)
    assert list(watching.sightings()) == []
    [event] = watching.troubles
    assert event.kind == "covered" and 1_500 <= event.from_ms <= 3_000 and event.until_ms >= 5_000


def test_a_calibration_of_another_picture(short: Path, reader: Reader) -> None:
    calibration = replace(load(short.with_suffix(".json")), image=(1000, 1000))
    with pytest.raises(CalibrationError, match="found 1000 x 1000"):
        Watch(short, calibration, reader)


def test_a_calibration_of_another_camera(short: Path, reader: Reader, tmp_path: Path) -> None:
    data = json.loads(short.with_suffix(".json").read_text())["calibration"]
    data["homography"][0][2] += 300 * data["homography"][2][2]
    (tmp_path / "other.json").write_text(json.dumps(data))
    watching = Watch(short, load(tmp_path / "other.json"), reader)
    list(watching.sightings())
    assert [each.kind for each in watching.troubles] == ["moved"]


def test_without_calibration_indices_are_told(short: Path, reader: Reader) -> None:
    seen = list(watch(short, None, reader))
    assert [each.card for each in seen] == ["7S", "7S"] and {each.zone for each in seen} == {None}
