"""Decks that artists drew, from packages under free licences: read for training, never copied into the product."""

from functools import cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.deck import ALL_CARDS, PX_PER_MM, Mark
from vision.train.spoil import Picture

Box = npt.NDArray[np.float64]  # left, top, right, bottom in pixels

_CARD_MM: Final = (63.0, 88.0)
_CORNER: Final = (0.22, 0.36)  # of a card: where its index is looked for


class ArtDeck:
    """A deck whose faces are pictures; the indices are found in their corners."""

    def __init__(self, name: str, faces: dict[str, Picture]) -> None:
        self.name = name
        self.card_mm = _CARD_MM
        self._faces = faces
        boxes = {card: box for card, face in faces.items() if (box := _found(face)) is not None}
        self.is_usable = 2 * len(boxes) > len(faces)
        usual = np.median(list(boxes.values()), axis=0) if boxes else np.zeros(4)
        self._marks = {card: _marks(boxes.get(card, usual)) for card in faces}

    def face(self, card: str) -> Picture:
        return self._faces[card]

    def marks(self, card: str) -> list[Mark]:
        return self._marks[card]

    def back(self) -> Picture:
        found = self._faces["AS"].copy()
        edge = 3 * PX_PER_MM
        found[..., :3] = 250
        found[edge:-edge, edge:-edge, :3] = (110, 50, 40)
        return found


def _found(face: Picture) -> Box | None:
    """The box of the index in the top left corner."""
    height, width = face.shape[:2]
    corner = face[: round(_CORNER[1] * height), : round(_CORNER[0] * width)]
    ink = (corner[..., :3].min(axis=2) < 150) & (corner[..., 3] > 250)
    edge = round(0.012 * width)
    ink[:edge], ink[:, :edge] = False, False
    count, _, stats, centres = cv2.connectedComponentsWithStats(ink.astype(np.uint8))
    boxes = []
    for n in range(1, count):
        x, y, w, h, area = stats[n]
        inside = x + w < corner.shape[1] - 1 and y + h < corner.shape[0] - 1
        if inside and area > 0.0004 * height * width and centres[n][0] < 0.16 * width:
            boxes.append((x, y, x + w, y + h))
    if len(boxes) < 2:
        return None
    sides = np.array(boxes, np.float64)
    box = np.concatenate([sides[:, :2].min(axis=0), sides[:, 2:].max(axis=0)])
    return box if 0.1 * height < box[3] - box[1] < 0.34 * height else None


def _marks(box: Box) -> list[Mark]:
    """An index, and the same one opposite."""
    x, y = ((box[:2] + box[2:]) / 2 / PX_PER_MM).tolist()
    width, height = ((box[2:] - box[:2]) / PX_PER_MM).tolist()
    return [Mark(x, y, width, height, False), Mark(_CARD_MM[0] - x, _CARD_MM[1] - y, width, height, True)]


@cache
def art_decks(materials: Path) -> list[ArtDeck]:
    """The usable decks below a folder: one folder of pictures ``AS.png`` and so on for each."""
    found = []
    for folder in sorted(path.parent for path in (materials / "decks").glob("*/AS.png")):
        deck = ArtDeck(folder.name, {card: _picture(folder / f"{card}.png") for card in ALL_CARDS})
        if deck.is_usable:
            found.append(deck)
    return found


def _picture(path: Path) -> Picture:
    picture = np.asarray(cv2.imread(str(path), cv2.IMREAD_UNCHANGED), np.uint8)
    width, height = (round(mm * PX_PER_MM) for mm in _CARD_MM)
    return cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA).astype(np.uint8)
