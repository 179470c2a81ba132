"""Films of the opening inspection: a ten in the spread decks is found before the first hand is dealt."""

import json
from pathlib import Path

import cv2
import numpy as np
import polars as pl
import pytest

from pipelines.watch.sidecar import SidecarError, parse
from tests.pipelines.lakes import audited
from tests.pipelines.zones import made
from vision.faces.deck import house_deck
from vision.footage import film
from vision.footage.layout import LOOKS, layout
from vision.footage.spread import spanish_deck, spread, with_card, without_card

START = "2026-01-05T10:58:00.000-05:00"


@pytest.fixture
def zone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AUDIT21_KEY", str(tmp_path / "key.pem"))
    return made(tmp_path / "zone", tables=1, rounds=3, rulebook="md-pontoon21")


def add_film(zone: Path, frames: list[np.ndarray]) -> str:
    """Put a film of the inspection into the landing zone; says where."""
    folder = next(zone.glob("2*/*"))
    path = folder / "footage-opening.mp4"
    size = (frames[0].shape[1], frames[0].shape[0])
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 2, size)
    for frame in frames:
        writer.write(frame)
    writer.release()
    path.with_suffix(".json").write_text(json.dumps({"start": START, "camera": "cam-1", "shows": "inspection"}))
    return path.relative_to(zone).as_posix()


def deck_on_film() -> list[np.ndarray]:
    """One deck that lacks the seven of clubs and has the ten of hearts; only the part of the table where it lies."""
    on = film.Set.somewhere(layout(6, LOOKS["green"]), house_deck("pier"), 3)
    take = spread([without_card(with_card(spanish_deck(), "TH"), "7C")], on.deck, np.random.default_rng(3))
    places = on.view.pixels([(each.pose.x_mm, each.pose.y_mm) for each in take.lain])
    (left, top), (right, bottom) = np.rint(places.min(axis=0) - 60), np.rint(places.max(axis=0) + 60)
    part = np.s_[max(0, int(top)) : int(bottom) // 2 * 2, max(0, int(left)) : int(right) // 2 * 2]
    camera = film.Camera(on, take.stage)
    return [np.ascontiguousarray(camera.frame(500.0 * n, 500.0 * n)[part]) for n in range(2)]


def test_a_ten_at_the_opening_inspection(zone: Path, tmp_path: Path) -> None:
    path = add_film(zone, deck_on_film())
    lake = audited(zone, tmp_path / "lake")
    findings = lake.read("findings")
    told = findings.filter(pl.col("path") == path).select("code", "message", "round_id", "severity").sort("code")
    where = "Deck 1 of 1 at the opening inspection on footage-opening.mp4"
    assert told.rows() == [
        ("shoe.composition", f"{where} lacks 7♣, before the first hand", None, "high"),
        ("shoe.ten-found", f"{where} contains 10♥, before the first hand", None, "medium"),
    ]
    assert (
        findings.filter(pl.col("path") == path)["at"].to_list()
        == [findings.filter(pl.col("path") == path)["at"][0]] * 2
    )
    assert len(findings) == 2
    assert lake.read("sightings").height == 0


def test_a_film_that_shows_no_spread(zone: Path, tmp_path: Path) -> None:
    path = add_film(zone, [np.full((240, 320, 3), (40, 100, 30), np.uint8)] * 2)
    findings = audited(zone, tmp_path / "lake").read("findings")
    [(code, message)] = findings.filter(pl.col("path") == path).select("code", "message").rows()
    assert code == "evidence.source-missing"
    assert "no spread cards are to be seen" in message


def test_what_a_film_may_show() -> None:
    assert parse(json.dumps({"start": START, "shows": "inspection"}).encode()).calibration == {}
    with pytest.raises(SidecarError, match='shows: found "dinner", expected rounds or inspection'):
        parse(json.dumps({"start": START, "shows": "dinner", "calibration": {}}).encode())
    with pytest.raises(SidecarError, match="calibration: found null"):
        parse(json.dumps({"start": START}).encode())
