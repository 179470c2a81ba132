"""Pieces of a picture: warped to where they lie, lit, and painted over what is there."""

import math
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.faces.deck import PX_PER_MM, Deck
from vision.footage.camera import CameraView, Matrix, Picture, Plane

_TEXTURE: Final = 3  # px per mm from which cards are warped: faces are drawn finer than any camera sees


class SpritePose(NamedTuple):
    """Pose of a card: its middle, its direction, and how far it is turned over."""

    x_mm: float
    y_mm: float
    angle: float = 0.0  # radians, clockwise from the picture's up
    facing: float = 1.0  # 1 lies flat, -1 lies on its face, 0 stands on edge
    height_mm: float = 0.0  # above the felt

    def matrix(self, card_mm: tuple[float, float]) -> Matrix:
        """Return the matrix from millimetres on the card, from its top left, to millimetres on the felt."""
        cos, sin = math.cos(self.angle), math.sin(self.angle)
        turn = np.array([[cos, -sin, self.x_mm], [sin, cos, self.y_mm], [0, 0, 1]])
        across = abs(self.facing)
        middle = np.array([[across, 0, -across * card_mm[0] / 2], [0, 1, -card_mm[1] / 2], [0, 0, 1]])
        return np.asarray(turn @ middle)


class Texture(NamedTuple):
    """A drawing to be warped: colours that run on where it ends, and what it covers, 0..255."""

    colours: Picture
    cover: Picture


class Sprite(NamedTuple):
    """A piece of a picture and how much of it covers what lies below."""

    x: int
    y: int
    colours: Picture
    cover: Plane  # 0..1

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Left, top, right, bottom."""
        height, width = self.cover.shape
        return self.x, self.y, self.x + width, self.y + height


def paint(picture: Picture, sprite: Sprite, within: tuple[int, int, int, int] | None = None) -> None:
    """Put a sprite onto a picture, or onto a part of it only."""
    height, width = picture.shape[:2]
    left, top, right, bottom = within or (0, 0, width, height)
    x0, y0, x1, y1 = sprite.box
    x0, y0, x1, y1 = max(x0, left, 0), max(y0, top, 0), min(x1, right, width), min(y1, bottom, height)
    if x0 >= x1 or y0 >= y1:
        return
    part = np.s_[y0 - sprite.y : y1 - sprite.y, x0 - sprite.x : x1 - sprite.x]
    below = picture[y0:y1, x0:x1]
    cover = np.ascontiguousarray(sprite.cover[part])
    cv2.blendLinear(np.ascontiguousarray(sprite.colours[part]), below, cover, 1 - cover, below)


class DeckSprites:
    """Cards of a deck, ready to be seen by a camera."""

    def __init__(self, deck: Deck, view: CameraView, softness_px: float, lit: Plane, glare: Plane) -> None:
        self.deck, self.view = deck, view
        self.softness_px, self.lit, self.glare = softness_px, lit, glare
        self._textures: dict[str, Texture] = {}
        width, height = (round(side * _TEXTURE) for side in deck.card_mm)
        self._dark = Texture(np.zeros((height, width, 3), np.uint8), np.full((height, width), 90, np.uint8))

    def card(self, card: str, pose: SpritePose) -> Sprite:
        """A card as it lies; its back where it is turned away."""
        texture = self._texture(card if pose.facing > 0 else "")
        sprite = seen(texture, self._to_px(pose), self.view.image, self.softness_px, finer=2)
        return lighted(sprite, self.lit, self.glare)

    def shadow(self, pose: SpritePose) -> Sprite:
        """A card's shadow: close by when it lies, further off and softer the higher it is."""
        away = 1.2 + 0.35 * pose.height_mm
        fallen = pose._replace(x_mm=pose.x_mm + 0.5 * away, y_mm=pose.y_mm + away, height_mm=0.0)
        return seen(self._dark, self._to_px(fallen), self.view.image, 0.8 + 0.08 * pose.height_mm)

    def _to_px(self, pose: SpritePose) -> Matrix:
        to_card = np.diag([1 / _TEXTURE, 1 / _TEXTURE, 1.0])
        return np.asarray(self.view.plane(pose.height_mm) @ pose.matrix(self.deck.card_mm) @ to_card)

    def _texture(self, card: str) -> Texture:
        """A face, or the back for no card, at the size from which it is warped."""
        if card not in self._textures:
            drawn = self.deck.face(card) if card else self.deck.back()
            size = drawn.shape[1] * _TEXTURE // PX_PER_MM, drawn.shape[0] * _TEXTURE // PX_PER_MM
            small = cv2.resize(drawn, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)
            self._textures[card] = Texture(small[..., :3].copy(), small[..., 3].copy())
        return self._textures[card]


def seen(texture: Texture, to_px: Matrix, image: tuple[int, int], softness_px: float, finer: float = 1.0) -> Sprite:
    """A drawing as a camera sees it: warped at ``finer`` times its size, brought to its size, softened."""
    height, width = texture.cover.shape
    outline = np.array([[(0, 0), (width, 0), (width, height), (0, height)]], np.float64)
    corners = cv2.perspectiveTransform(outline, to_px)[0]
    margin = 1 + math.ceil(2.5 * softness_px)
    left, top = (max(0, math.floor(edge) - margin) for edge in corners.min(axis=0).tolist())
    right, bottom = (math.ceil(edge) + margin for edge in corners.max(axis=0).tolist())
    size = min(image[0], right) - left, min(image[1], bottom) - top
    if min(size) <= 0:
        return Sprite(0, 0, np.zeros((0, 0, 3), np.uint8), np.zeros((0, 0), np.float32))
    layers = _warped(texture, to_px, (left, top), size, finer)
    if softness_px:
        layers = [cv2.GaussianBlur(layer, (0, 0), softness_px).astype(np.uint8, copy=False) for layer in layers]
    return Sprite(left, top, layers[0], layers[1].astype(np.float32) * np.float32(1 / 255))


def _warped(
    texture: Texture, to_px: Matrix, corner: tuple[int, int], size: tuple[int, int], finer: float
) -> list[Picture]:
    """Colours and cover, warped into a piece of the picture."""
    shift = (finer - 1) / 2
    closer = np.array([[finer, 0, shift - finer * corner[0]], [0, finer, shift - finer * corner[1]], [0, 0, 1]])
    fine = math.ceil(finer * size[0]), math.ceil(finer * size[1])
    # Colours run on beyond the edge, so that what is half covered there has no dark fringe.
    borders = (cv2.BORDER_REPLICATE, cv2.BORDER_CONSTANT)
    layers = [
        cv2.warpPerspective(layer, closer @ to_px, fine, borderMode=border)
        for layer, border in zip(texture, borders, strict=True)
    ]
    if finer != 1:
        way = cv2.INTER_AREA if finer > 1 else cv2.INTER_LINEAR
        layers = [cv2.resize(layer, size, interpolation=way) for layer in layers]
    return [layer.astype(np.uint8, copy=False) for layer in layers]


def lighted(sprite: Sprite, lit: Plane, glare: Plane | None = None) -> Sprite:
    """A sprite in the light of its place; glossy ones lose contrast where a lamp shines back."""
    if not sprite.cover.size:
        return sprite
    x0, y0, x1, y1 = sprite.box
    light = np.ascontiguousarray(lit[y0:y1, x0:x1])
    colours = cv2.blendLinear(sprite.colours, np.zeros_like(sprite.colours), light, 1 - light)
    if glare is not None:
        shine = np.ascontiguousarray(glare[y0:y1, x0:x1])
        colours = cv2.blendLinear(colours, np.full_like(colours, 255), 1 - shine, shine)
    return sprite._replace(colours=colours.astype(np.uint8, copy=False))


def smeared(sprite: Sprite, along_px: tuple[float, float]) -> Sprite:
    """A sprite that moved by so much while the shutter was open."""
    reach = math.ceil(max(abs(along_px[0]), abs(along_px[1])) / 2)
    if reach < 2 or not sprite.cover.size:
        return sprite
    side = 2 * reach + 1
    kernel = np.zeros((side, side), np.float32)
    ends = [(round(reach + sign * along_px[0] / 2), round(reach + sign * along_px[1] / 2)) for sign in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0)
    kernel /= kernel.sum()
    padded = [
        cv2.copyMakeBorder(layer, reach, reach, reach, reach, mode)
        for layer, mode in ((sprite.colours, cv2.BORDER_REPLICATE), (sprite.cover, cv2.BORDER_CONSTANT))
    ]
    colours, cover = (cv2.filter2D(layer, -1, kernel) for layer in padded)
    return Sprite(sprite.x - reach, sprite.y - reach, colours.astype(np.uint8, copy=False), cover.astype(np.float32))
