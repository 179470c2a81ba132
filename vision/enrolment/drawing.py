"""An inspection drawn over the picture of its spread."""

from collections.abc import Iterable
from typing import Final

import cv2
import numpy as np

from vision.enrolment.inspection import SURE, DeckCount, Spotted
from vision.reading.finder import Picture

_GOOD: Final = (60, 200, 60)
_BAD: Final = (40, 40, 255)
_UNSURE: Final = (0, 170, 255)


def draw(picture: Picture, cards: Iterable[Spotted], decks: Iterable[DeckCount]) -> Picture:
    """Draw a frame around every index: green if correct, red if the card is surplus, orange if uncertain."""
    drawn = picture.copy()
    thin = max(1, round(picture.shape[1] / 1600))
    extra = {card for deck in decks for card in deck.extra}
    for card in cards:
        index = card.place.best
        frame = cv2.boxPoints(((index.x, index.y), (index.width, index.height), float(np.degrees(index.angle))))
        colour = _UNSURE if card.sure < SURE else _BAD if card.card in extra else _GOOD
        cv2.polylines(drawn, [np.round(frame).astype(np.int32)], True, colour, thin, cv2.LINE_AA)
        where = (round(index.x - index.width / 2), round(index.y + index.height))
        cv2.putText(drawn, card.card, where, cv2.FONT_HERSHEY_SIMPLEX, 0.35 * thin, colour, thin, cv2.LINE_AA)
    for deck in decks:
        for doubt in deck.doubts:
            cv2.circle(drawn, (round(doubt.x), round(doubt.y)), 12 * thin, _UNSURE, thin, cv2.LINE_AA)
    return drawn
