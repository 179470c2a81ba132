"""Objects on a table other than cards: stacks of chips, hands with sleeves, shadows of people."""

import math
from functools import cache, lru_cache
from typing import Final, NamedTuple

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from vision.faces.design import Colour, house_font
from vision.footage.camera import CameraView, Plane
from vision.footage.sprites import Sprite, Texture, lighted, paint, seen

_CHIP_MM: Final = 39.0
_CHIP_HEIGHT_MM: Final = 3.3
_CHIP_PX: Final = 4  # per millimetre of a chip's drawing
_MOST_CHIPS: Final = 12  # in a stack
_CHIPS: Final[dict[int, Colour]] = {  # by value in cents
    100: (225, 225, 225),
    500: (42, 40, 190),
    2_500: (52, 120, 32),
    10_000: (34, 32, 32),
    50_000: (130, 44, 112),
    100_000: (34, 150, 222),
}
_INK: Final[Colour] = (60, 44, 36)
_SPOTS: Final = 6  # white fields on a chip's rim

_HAND_PX: Final = 1  # per millimetre of a hand's drawing: hands are never sharp
_HAND_MM: Final = (190.0, 1100.0)
_TIP_MM: Final = (95.0, 26.0)  # where its fingertips are
_HAND_HEIGHT_MM: Final = 35.0
_SHADOW_PX: Final = (4, 7)  # to the right and down, at half size
_CUFF_MM: Final = 270.0  # from the drawing's top
_SKINS: Final[tuple[Colour, ...]] = ((150, 182, 226), (120, 156, 206), (84, 118, 168), (58, 80, 122))
_FINGERS: Final = (
    (-34, 52, 128),
    (-12, 30, 120),
    (10, 26, 120),
    (31, 42, 128),
)  # across, tip and root down the drawing


class Stack(NamedTuple):
    """A stack of chips of one value or more, by its place."""

    x_mm: float
    y_mm: float
    cents: int


def chips_of(cents: int) -> list[int]:
    """The fewest chips that make an amount, the dearest at the bottom; tall stacks are cut off."""
    found: list[int] = []
    for value in sorted(_CHIPS, reverse=True):
        count, cents = divmod(cents, value)
        found += [value] * count
    return found[:_MOST_CHIPS]


def stack(placed: Stack, view: CameraView, softness_px: float, lit: Plane, rng: np.random.Generator) -> Sprite:
    """Chips one upon the other, with their shadow."""
    layers = [_stack_shadow(placed, view)]
    for level, value in enumerate(chips_of(placed.cents)):
        turn, astray = float(rng.uniform(0, 2 * np.pi)), rng.normal(0, 0.5, 2)
        x, y = placed.x_mm + float(astray[0]), placed.y_mm + float(astray[1])
        cos, sin, half = math.cos(turn), math.sin(turn), _CHIP_MM / 2
        to_felt = np.array([[cos, -sin, x], [sin, cos, y], [0, 0, 1]]) @ np.array(
            [[1, 0, -half], [0, 1, -half], [0, 0, 1]]
        )
        to_px = view.plane((level + 1) * _CHIP_HEIGHT_MM) @ to_felt @ np.diag([1 / _CHIP_PX, 1 / _CHIP_PX, 1])
        layers.append(lighted(seen(_chip(value), to_px, view.image, softness_px, finer=2), lit))
    return merged(layers)


def merged(layers: list[Sprite]) -> Sprite:
    """Sprites painted one over the other, as one."""
    shown = [layer for layer in layers if layer.cover.size]
    boxes = np.array([layer.box for layer in shown] or [(0, 0, 0, 0)])
    (left, top), (right, bottom) = boxes[:, :2].min(axis=0).tolist(), boxes[:, 2:].max(axis=0).tolist()
    colours = np.zeros((bottom - top, right - left, 3), np.uint8)
    clear = np.ones((bottom - top, right - left), np.float32)
    for layer in shown:
        x, y = layer.x - left, layer.y - top
        part = np.s_[y : y + layer.cover.shape[0], x : x + layer.cover.shape[1]]
        # Where nothing lies yet, a layer's colour counts alone however little it covers.
        covers = np.where(clear[part] < 1, layer.cover, 1.0).astype(np.float32)
        paint(colours, Sprite(x, y, layer.colours, covers))
        clear[part] *= 1 - layer.cover
    return Sprite(left, top, colours, 1 - clear)


def _stack_shadow(placed: Stack, view: CameraView) -> Sprite:
    size = round(_CHIP_MM * _CHIP_PX)
    dark = Texture(np.zeros((size, size, 3), np.uint8), np.zeros((size, size), np.uint8))
    cv2.circle(dark.cover, (size // 2, size // 2), size // 2, 110, -1, cv2.LINE_AA)
    x, y = placed.x_mm - _CHIP_MM / 2 + 2, placed.y_mm - _CHIP_MM / 2 + 4
    to_felt = np.array([[1 / _CHIP_PX, 0, x], [0, 1 / _CHIP_PX, y], [0, 0, 1]])
    return seen(dark, view.plane(0) @ to_felt, view.image, 2.0)


@cache
def _chip(value: int) -> Texture:
    """A chip from above: fields on its rim, a white inlay, its value."""
    colour, size = _CHIPS[value], round(_CHIP_MM * _CHIP_PX)
    white: Colour = (236, 238, 238)
    picture, cover = np.full((size, size, 3), colour, np.uint8), np.zeros((size, size), np.uint8)
    middle, radius = (size // 2, size // 2), size // 2 - 1
    cv2.circle(cover, middle, radius, 255, -1, cv2.LINE_AA)
    for n in range(_SPOTS):
        first = 360 * n / _SPOTS
        fields = white if value > 100 else _INK
        cv2.ellipse(picture, middle, (radius, radius), 0, first, first + 22, fields, -1, cv2.LINE_AA)
    cv2.circle(picture, middle, round(0.74 * radius), colour, -1, cv2.LINE_AA)
    cv2.circle(picture, middle, round(0.6 * radius), white, -1, cv2.LINE_AA)
    text = str(value // 100) if value < 100_000 else "1K"
    font = ImageFont.truetype(str(house_font("font_manrope", "Manrope-ExtraBold")), round(9 * _CHIP_PX))
    label = Image.new("L", (size, size))
    ImageDraw.Draw(label).text(middle, text, 255, font=font, anchor="mm")
    share = np.asarray(label, np.float32)[..., None] / 255
    return Texture((picture * (1 - share) + np.array(_INK) * share).astype(np.uint8), cover)


class DrawnHand(NamedTuple):
    """Hand of a person: its place, skin and sleeve, and the direction of the arm."""

    x_mm: float
    y_mm: float
    skin: int
    sleeve: Colour
    cuff: Colour | None
    mirrored: bool = False


def hand(of: DrawnHand, tip_mm: tuple[float, float], view: CameraView, lit: Plane) -> Sprite:
    """A hand whose fingertips are at a place, with its shadow; drawn at half its size, for hands are never sharp."""
    ahead = math.atan2(tip_mm[0] - of.x_mm, of.y_mm - tip_mm[1])  # clockwise from the picture's up
    cos, sin = math.cos(ahead), math.sin(ahead)
    turn = np.array([[cos, -sin, tip_mm[0]], [sin, cos, tip_mm[1]], [0, 0, 1]])
    flip = -1.0 if of.mirrored else 1.0
    from_tip = np.array([[flip / _HAND_PX, 0, -flip * _TIP_MM[0]], [0, 1 / _HAND_PX, -_TIP_MM[1]], [0, 0, 1]])
    to_px = np.diag([0.5, 0.5, 1.0]) @ view.plane(_HAND_HEIGHT_MM) @ turn @ from_tip
    small = lighted(
        seen(_hand(of.skin, of.sleeve, of.cuff), to_px, (view.image[0] // 2, view.image[1] // 2), 0.0), lit[::2, ::2]
    )
    return _doubled(_over_shadow(small)) if small.cover.size else small


def _over_shadow(sprite: Sprite) -> Sprite:
    """A sprite upon the shadow that it throws to the right and down."""
    right, down = _SHADOW_PX
    cover = cv2.copyMakeBorder(sprite.cover, 0, down, 0, right, cv2.BORDER_CONSTANT).astype(np.float32, copy=False)
    colours = cv2.copyMakeBorder(sprite.colours, 0, down, 0, right, cv2.BORDER_REPLICATE).astype(np.uint8, copy=False)
    dark = np.zeros_like(cover)
    dark[down:, right:] = cv2.blur(sprite.cover, (7, 7)) * np.float32(0.38)
    dark *= 1 - cover
    mixed = cv2.blendLinear(colours, np.zeros_like(colours), cover, dark)
    return Sprite(sprite.x, sprite.y, mixed.astype(np.uint8, copy=False), cover + dark)


def _doubled(sprite: Sprite) -> Sprite:
    size = 2 * sprite.cover.shape[1], 2 * sprite.cover.shape[0]
    colours, cover = (cv2.resize(layer, size, interpolation=cv2.INTER_LINEAR) for layer in sprite[2:])
    return Sprite(
        2 * sprite.x, 2 * sprite.y, colours.astype(np.uint8, copy=False), cover.astype(np.float32, copy=False)
    )


@cache
def _hand(skin: int, sleeve: Colour, cuff: Colour | None) -> Texture:
    """A right hand with its arm below, fingers up."""
    width, height = (round(side * _HAND_PX) for side in _HAND_MM)
    middle = width // 2
    shape = np.zeros((height, width), np.uint8)

    def at(x_mm: float, y_mm: float) -> tuple[int, int]:
        return round(middle + x_mm * _HAND_PX), round(y_mm * _HAND_PX)

    for across, tip, root in _FINGERS:
        cv2.line(shape, at(across, tip), at(0.8 * across, root), 255, round(18 * _HAND_PX))
    cv2.line(shape, at(-58, 118), at(-24, 168), 255, round(21 * _HAND_PX))
    cv2.ellipse(shape, at(0, 150), (round(43 * _HAND_PX), round(50 * _HAND_PX)), 0, 0, 360, 255, -1)
    cv2.fillConvexPoly(shape, np.array([at(-34, 170), at(34, 170), at(30, 280), at(-30, 280)]), 255)
    arm = [at(-46, _CUFF_MM), at(46, _CUFF_MM), at(62, _HAND_MM[1]), at(-62, _HAND_MM[1])]
    cv2.fillConvexPoly(shape, np.array(arm), 255)
    colours = np.empty((height, width, 3), np.float32)
    colours[:] = _SKINS[skin % len(_SKINS)]
    cut = round(_CUFF_MM * _HAND_PX)
    colours[cut:] = sleeve
    if cuff is not None:
        colours[cut : cut + 14 * _HAND_PX] = cuff
    # Darker towards the edges and between the fingers, as round things are.
    inside = cv2.distanceTransform(shape, cv2.DIST_L2, 3)
    colours *= (0.55 + 0.45 * np.clip(inside / (11 * _HAND_PX), 0, 1) ** 0.5)[..., None]
    return Texture(colours.astype(np.uint8), cv2.GaussianBlur(shape, (0, 0), 1.0).astype(np.uint8, copy=False))


@lru_cache(maxsize=8)  # of those that are in sight: each has a size of its own
def shade(width_px: int, height_px: int, depth: float) -> Sprite:
    """The soft shadow of somebody who leans over."""
    y, x = np.mgrid[:height_px, :width_px].astype(np.float32)
    away = ((2 * x / width_px - 1) ** 2 + (2 * y / height_px - 1) ** 2) * 2.2
    cover = np.clip(depth * np.exp(-away) - 0.01, 0, 1).astype(np.float32)
    return Sprite(0, 0, np.zeros((height_px, width_px, 3), np.uint8), cover)
