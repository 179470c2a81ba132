"""Faces and backs of a deck as pictures."""

from functools import cache
from typing import Final, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from replay.cards import RANKS
from vision.faces.courts import figure
from vision.faces.design import Colour, Design, house_designs
from vision.faces.pips import Outline, outlines

Picture = npt.NDArray[np.uint8]

PX_PER_MM: Final = 8
_SHIFT: Final = 6  # bits after the point in OpenCV's coordinates
_COLUMNS: Final = {"left": 0.35, "middle": 0.5, "right": 0.65}
# Where the pips of a number card stand: columns, then heights as shares of the pips' field.
_PIPS: Final[dict[str, tuple[tuple[str, float], ...]]] = {
    "A": (("middle", 0.5),),
    "2": (("middle", 0), ("middle", 1)),
    "3": (("middle", 0), ("middle", 0.5), ("middle", 1)),
    "4": tuple((side, y) for side in ("left", "right") for y in (0, 1)),
    "5": (*((side, y) for side in ("left", "right") for y in (0, 1)), ("middle", 0.5)),
    "6": tuple((side, y) for side in ("left", "right") for y in (0, 0.5, 1)),
    "7": (*((side, y) for side in ("left", "right") for y in (0, 0.5, 1)), ("middle", 0.25)),
    "8": (*((side, y) for side in ("left", "right") for y in (0, 0.5, 1)), ("middle", 0.25), ("middle", 0.75)),
    "9": (*((side, y) for side in ("left", "right") for y in (0, 1 / 3, 2 / 3, 1)), ("middle", 0.5)),
    "T": (
        *((side, y) for side in ("left", "right") for y in (0, 1 / 3, 2 / 3, 1)),
        ("middle", 1 / 6),
        ("middle", 5 / 6),
    ),
}


class Mark(NamedTuple):
    """A corner index: its middle and size on the card, and whether it stands on its head."""

    x_mm: float
    y_mm: float
    width_mm: float
    height_mm: float
    turned: bool


class Deck:
    """A deck's cards, each drawn when it is first asked for."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.name = design.name
        self.card_mm = design.card_mm
        self._faces: dict[str, tuple[Picture, list[Mark]]] = {}
        self._back: Picture | None = None

    def face(self, card: str) -> Picture:
        """The face with transparent corners."""
        return self._drawn(card)[0]

    def marks(self, card: str) -> list[Mark]:
        """The indices of a face."""
        return self._drawn(card)[1]

    def back(self) -> Picture:
        """The back, which is the same for all cards."""
        if self._back is None:
            self._back = _cut_out(_back(self.design), self.design)
        return self._back

    def _drawn(self, card: str) -> tuple[Picture, list[Mark]]:
        if card not in self._faces:
            self._faces[card] = _face(self.design, card)
        return self._faces[card]


@cache
def house_deck(name: str) -> Deck:
    """Return a deck of rendered footage by name."""
    return Deck(house_designs()[name])


HOUSE_DECKS: Final = ("harbour", "pier", "lantern", "signal")


def _face(design: Design, card: str) -> tuple[Picture, list[Mark]]:
    rank, suit = card[0], card[1]
    picture = _sheet(design)
    if design.border:
        inset = 3 * PX_PER_MM
        height, width = picture.shape[:2]
        cv2.rectangle(picture, (inset, inset), (width - inset, height - inset), design.border, 2, cv2.LINE_AA)
    if rank in "JQK" and design.court >= 0:
        figure(picture, design, rank, suit)
    else:
        _field(picture, design, rank, suit)
    marks = _indices(picture, design, rank, suit)
    return _cut_out(picture, design), marks


def _sheet(design: Design) -> Picture:
    width, height = (round(mm * PX_PER_MM) for mm in design.card_mm)
    return np.full((height, width, 3), design.paper, np.uint8)


def _field(picture: Picture, design: Design, rank: str, suit: str) -> None:
    """The pips of a number card, or one large sign."""
    width, height = design.card_mm
    if design.pip_mm <= 0 or rank in "JQK":
        stamp(picture, outlines(suit, design.pips), (0.5 * width, 0.5 * height), 0.2 * width, design.colours[suit])
        return
    size, room = design.pip_mm / 2 * (1.6 if rank == "A" else 1), 0.16 * height + design.pip_mm / 2
    for column, y in _PIPS[rank]:
        place = (_COLUMNS[column] * width, room + y * (height - 2 * room))
        stamp(picture, outlines(suit, design.pips), place, size, design.colours[suit], turned=y > 0.5)


def stamp(
    picture: Picture,
    signs: list[Outline],
    centre_mm: tuple[float, float],
    half_mm: float,
    colour: tuple[int, int, int],
    turned: bool = False,
) -> None:
    """Draw a suit's sign."""
    scale = (-1 if turned else 1) * half_mm * PX_PER_MM
    for sign in signs:
        points = (sign * scale + np.array(centre_mm) * PX_PER_MM) * (1 << _SHIFT)
        cv2.fillPoly(picture, [points.astype(np.int32)], colour, cv2.LINE_AA, _SHIFT)


def _indices(picture: Picture, design: Design, rank: str, suit: str) -> list[Mark]:
    style = design.index
    letters = _letters(design, "10" if rank == "T" else rank, design.colours[suit])
    suit_px = round(style.suit_mm * PX_PER_MM)
    sign = np.full((suit_px + 4, suit_px + 4, 3), design.paper, np.uint8)
    middle = (suit_px / 2 + 2) / PX_PER_MM
    stamp(sign, outlines(suit, design.pips), (middle, middle), style.suit_mm / 2, design.colours[suit])
    gap = round(style.gap_mm * PX_PER_MM)
    width = max(letters.shape[1], sign.shape[1])
    block = np.full((letters.shape[0] + gap + sign.shape[0], width, 3), design.paper, np.uint8)
    left = (width - letters.shape[1]) // 2
    block[: letters.shape[0], left : left + letters.shape[1]] = letters
    left = (width - sign.shape[1]) // 2
    block[letters.shape[0] + gap :, left : left + sign.shape[1]] = sign
    return _place(picture, design, block)


def _place(picture: Picture, design: Design, block: Picture) -> list[Mark]:
    """Put the index into the corners."""
    x, y = (round(mm * PX_PER_MM) for mm in design.index.inset_mm)
    height, width = block.shape[:2]
    widest = round((1.3 * design.index.rank_mm * design.index.squeeze) * PX_PER_MM)
    x += max(0, (min(widest, round(8 * PX_PER_MM)) - width) // 2)
    full_height, full_width = picture.shape[:2]
    marks = []
    for is_right in (False, True)[: 1 + (design.index.corners == 4)]:
        left = full_width - x - width if is_right else x
        for turned in (False, True):
            target = picture[::-1, ::-1] if turned else picture
            corner = target[y : y + height, left : left + width]
            np.minimum(corner, block, out=corner)
            centre = np.array([left + width / 2, y + height / 2])
            at = np.array([full_width, full_height]) - centre if turned else centre
            x_mm, y_mm = (at / PX_PER_MM).tolist()
            marks.append(Mark(x_mm, y_mm, width / PX_PER_MM, height / PX_PER_MM, turned))
    return marks


def _letters(design: Design, text: str, colour: Colour) -> Picture:
    """A rank's letters in the index' typeface, trimmed."""
    style = design.index
    font = _font(str(style.font), round(style.rank_mm * PX_PER_MM * 1.4))
    wanted = round(style.rank_mm * PX_PER_MM)
    box = font.getbbox(text)
    stroke = round(style.stroke_mm * PX_PER_MM)
    canvas = Image.new("L", (int(box[2] - box[0]) + 40 + 2 * stroke, int(box[3] - box[1]) + 40 + 2 * stroke))
    ImageDraw.Draw(canvas).text((20 - box[0], 20 - box[1]), text, 255, font=font, stroke_width=stroke)
    drawn = np.asarray(canvas)
    rows, columns = np.flatnonzero(drawn.max(axis=1) > 8), np.flatnonzero(drawn.max(axis=0) > 8)
    drawn = drawn[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    squeeze = style.squeeze * (0.72 if len(text) > 1 else 1)
    breadth = max(2, round(drawn.shape[1] * wanted / drawn.shape[0] * squeeze))
    ink = cv2.resize(drawn, (breadth, wanted), interpolation=cv2.INTER_AREA)[..., None] / 255.0
    mixed: Picture = (ink * np.array(colour) + (1 - ink) * np.array(design.paper)).astype(np.uint8)
    return mixed


@cache
def _font(path: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, size)


def _back(design: Design) -> Picture:
    """A pattern in the back's colour within a white edge."""
    picture = _sheet(design)
    height, width = picture.shape[:2]
    edge = 3 * PX_PER_MM
    y, x = np.mgrid[: height - 2 * edge, : width - 2 * edge] / PX_PER_MM
    waves = {
        0: np.sin(1.6 * (x + y)) * np.sin(1.6 * (x - y)),
        1: np.sin(2.2 * x) * np.sin(2.2 * y),
        2: np.sin(1.9 * np.hypot(x - x.mean(), y - y.mean())),
        3: np.sin(1.5 * x + 2 * np.sin(0.8 * y)),
    }[design.back_pattern]
    light = np.clip(0.5 + 1.5 * waves, 0, 1)[..., None]
    picture[edge:-edge, edge:-edge] = (light * 235 + (1 - light) * np.array(design.back)).astype(np.uint8)
    return picture


def _cut_out(picture: Picture, design: Design) -> Picture:
    """The picture with an alpha channel that rounds the corners."""
    height, width = picture.shape[:2]
    radius = round(design.corner_mm * PX_PER_MM)
    alpha = np.zeros((height, width), np.uint8)
    cv2.rectangle(alpha, (radius, 0), (width - radius, height), 255, -1)
    cv2.rectangle(alpha, (0, radius), (width, height - radius), 255, -1)
    for x in (radius, width - radius - 1):
        for y in (radius, height - radius - 1):
            cv2.circle(alpha, (x, y), radius, 255, -1, cv2.LINE_AA)
    return np.dstack([picture, alpha])


ALL_CARDS: Final = tuple(rank + suit for suit in "SHDC" for rank in RANKS)
