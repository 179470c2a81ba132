"""Corner indices found and read: all cards, upside down as well, in a deck that no network was trained with."""

import math

import cv2
import numpy as np
import pytest

from tests.some import some
from vision.faces.deck import ALL_CARDS, PX_PER_MM, house_deck
from vision.reading.cut import HEIGHT, WIDTH, patch
from vision.reading.finder import Picture
from vision.reading.index import SURE, Index
from vision.reading.reader import Reader

FELT = (50, 105, 30)
PX = 3.0  # a millimetre on the sheet
PITCH = (80, 100)  # millimetres from a card to the next


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def sheet(cards: list[str], columns: int) -> tuple[Picture, list[tuple[str, float, float]]]:
    """Cards in rows on felt, and where their indices are."""
    deck = house_deck("lantern")
    rows = math.ceil(len(cards) / columns)
    picture = np.full((round(rows * PITCH[1] * PX), round(columns * PITCH[0] * PX), 3), FELT, np.uint8)
    marks = []
    for number, card in enumerate(cards):
        left, top = number % columns * PITCH[0] + 8, number // columns * PITCH[1] + 5
        face = deck.face(card)
        size = round(face.shape[1] * PX / PX_PER_MM), round(face.shape[0] * PX / PX_PER_MM)
        small = cv2.resize(face, size, interpolation=cv2.INTER_AREA).astype(np.float32)
        part = picture[round(top * PX) :, round(left * PX) :][: size[1], : size[0]]
        cover = small[..., 3:] / 255
        part[:] = np.rint(cover * small[..., :3] + (1 - cover) * part).astype(np.uint8)
        marks += [(card, (left + mark.x_mm) * PX, (top + mark.y_mm) * PX) for mark in deck.marks(card)]
    return picture, marks


def at(found: list[Index], x: float, y: float) -> Index | None:
    """The surest index at a place."""
    near = [index for index in found if math.hypot(index.x - x, index.y - y) < 0.4 * index.height]
    return max(near, key=lambda index: index.confidence, default=None)


@pytest.fixture(scope="module")
def all_cards(reader: Reader) -> list[tuple[str, Index | None]]:
    """Every index of a deck with what was read there."""
    picture, marks = sheet(list(ALL_CARDS), 13)
    found = reader.read(picture)
    return [(card, at(found, x, y)) for card, x, y in marks]


def test_all_cards_at_both_corners(all_cards: list[tuple[str, Index | None]]) -> None:
    right = [card for card, index in all_cards if index is not None and index.card == card]
    assert len(all_cards) == 104 and len(right) >= 101


def test_what_is_sure_is_right(all_cards: list[tuple[str, Index | None]]) -> None:
    sure = [(card, index.card) for card, index in all_cards if index is not None and index.confidence >= SURE]
    assert len(sure) >= 95 and [pair for pair in sure if pair[0] != pair[1]] == []


def test_sixes_and_nines_whichever_way_up(reader: Reader) -> None:
    picture, marks = sheet(["6H", "9H", "6S", "9S"], 4)
    for turned in (picture, cv2.rotate(picture, cv2.ROTATE_180).astype(np.uint8)):
        found = reader.read(turned)
        for card, x, y in some(marks):
            place = (x, y) if turned is picture else (picture.shape[1] - x, picture.shape[0] - y)
            index = at(found, *place)
            assert index is not None and index.card == card


def test_the_angle_is_that_of_the_index(reader: Reader) -> None:
    picture, _ = sheet(["KD"], 1)
    height, width = picture.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), -30, 0.8)
    turned = cv2.warpAffine(picture, turn, (width, height), borderValue=FELT).astype(np.uint8)
    angles = sorted(math.degrees(index.angle) for index in reader.read(turned) if index.card == "KD")
    assert angles == pytest.approx([-150, 30], abs=8)


def test_nothing_where_no_index_is(reader: Reader) -> None:
    noise = np.random.default_rng(4).normal(FELT, 6, (400, 600, 3))
    felt = np.clip(noise, 0, 255).astype(np.uint8)
    assert [index for index in reader.read(felt) if index.confidence > 0.3] == []


@pytest.mark.parametrize("size", [(1, 1), (16, 3000), (40, 40)])
def test_pictures_of_odd_sizes(reader: Reader, size: tuple[int, int]) -> None:
    assert reader.read(np.full((*size, 3), 128, np.uint8)) == []


@pytest.mark.parametrize("degrees", [0, 37, 180, 250])
def test_patches_stand_upright(degrees: float) -> None:
    """A picture that is white above an index' middle and black below, in its own direction."""
    up = np.array([math.sin(math.radians(degrees)), -math.cos(math.radians(degrees))])
    y, x = np.mgrid[:200, :200] - 100.0
    picture = np.repeat(np.where(up[0] * x + up[1] * y > 0, 255, 0).astype(np.uint8)[..., None], 3, axis=2)
    for height in (24.0, 90.0):
        cut = patch(picture, (100.0, 100.0), height, math.radians(degrees))
        assert cut.shape == (HEIGHT, WIDTH, 3)
        assert cut[: HEIGHT // 2 - 3].mean() > 240 and cut[HEIGHT // 2 + 3 :].mean() < 15


def test_the_box_around_a_turned_index() -> None:
    index = Index(100, 50, 10, 20, math.pi / 2, "7S", 1.0, (0.0,) * 13, (0.0,) * 4)
    assert index.box == pytest.approx((90, 45, 110, 55))
    assert index.moved(5, -5).box == pytest.approx((95, 40, 115, 50))
