"""Pictures of the product's errors, for debugging."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.scoring.films import Match, counts
from vision.watching.annotate import label, write
from vision.watching.video import Picture, Video

_AROUND_PX: Final = 90
_LARGER: Final = 4
_INK: Final = (255, 255, 255)


def draw(path: Path, matches: Iterable[Match]) -> int:
    """Write a picture of each fault beside the film, from the middle of the time that the card lay; says how many."""
    wrong = [match for match in matches if counts(match) and match.fault is not None]
    due = sorted(((_time_ms(match), number, match) for number, match in enumerate(wrong)), key=lambda each: each[:2])
    drawn = 0
    for frame in Video(path).samples(every_ms=0):
        while drawn < len(due) and due[drawn][0] <= frame.time_ms:
            _, number, match = due[drawn]
            cv2.imwrite(str(path.with_name(f"{path.stem}-{number:03d}-{match.fault}.png")), _cut(frame.picture, match))
            drawn += 1
    return drawn


def _time_ms(match: Match) -> float:
    if match.truth is not None:
        return float(match.truth["settled_ms"] + match.truth["until_ms"]) / 2
    return (match.seen[0].time_ms + match.seen[0].until_ms) / 2


def _cut(picture: Picture, match: Match) -> Picture:
    """The surroundings of a card, larger, with what it is and what was said."""
    if match.truth is not None:
        x, y = round(match.truth["x"]), round(match.truth["y"])
        truth = " ".join(str(match.truth[name]) for name in ("card", "zone", "order"))
    else:
        left, top, right, bottom = match.seen[0].box
        x, y, truth = (left + right) // 2, (top + bottom) // 2, "nothing"
    part = picture[max(0, y - _AROUND_PX) : y + _AROUND_PX, max(0, x - _AROUND_PX) : x + _AROUND_PX]
    large = cv2.resize(part, None, fx=_LARGER, fy=_LARGER, interpolation=cv2.INTER_CUBIC)
    said = ", ".join(f"{label(seen)} {seen.zone} {seen.order}" for seen in match.seen) or "not seen"
    drawn = large.astype(np.uint8, copy=False)
    for row, text in enumerate((f"is {truth}", f"said {said}")):
        write(drawn, text, (8, 24 + 26 * row), _INK, 1.5)
    return drawn
