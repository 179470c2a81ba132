"""Scenes for training: what is labelled is what is drawn."""

import numpy as np

from vision.faces.deck import PX_PER_MM, Mark
from vision.train.scenes import scene
from vision.train.spoil import Picture

RED, BLUE = (30, 30, 220), (220, 30, 30)


class Plain:
    """A deck of cards that have one colour and an index that cannot be seen."""

    card_mm = (63.0, 88.0)

    def __init__(self, colour: tuple[int, int, int]) -> None:
        width, height = (round(side * PX_PER_MM) for side in self.card_mm)
        self._picture = np.full((height, width, 4), (*colour, 255), np.uint8)

    def face(self, card: str) -> Picture:
        return self._picture

    def marks(self, card: str) -> list[Mark]:
        return [Mark(8.0, 12.0, 6.0, 14.0, turned=False)]

    def back(self) -> Picture:
        return self._picture


def test_a_deck_is_never_drawn_as_one_that_is_gone() -> None:
    rng = np.random.default_rng(5)
    seen = 0
    for number in range(60):
        colour = (RED, BLUE)[number % 2]
        picture, labels = scene([Plain(colour)], rng)
        for label in labels:
            if label.card >= 0 and 0 <= label.x < 256 and 0 <= label.y < 256:
                blue, _, red = picture[int(label.y), int(label.x)].tolist()
                assert (red > blue) == (colour == RED)
                seen += 1
    assert seen > 30
