"""``audit21 inspect``: counts the decks of an opening inspection from pictures of their spread."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from pipelines.watch.pictures import PictureError, spread_pictures, write_picture
from vision.enrolment import DeckCount, Doubt, Inspection, Look, inspect
from vision.enrolment.drawing import draw
from vision.enrolment.spread import SpreadCards
from vision.reading.finder import Picture
from vision.reading.reader import Reader
from vision.watching.video import VideoError


class _BadRequest(ValueError):
    """Options that cannot be followed; says which and why."""


BadRequest = (_BadRequest, VideoError, PictureError)


@dataclass(frozen=True)
class InspectRequest:
    """The command's options."""

    files: tuple[Path, ...]
    decks: int | None = None
    look: Path | None = None
    draw: Path | None = None


def run(request: InspectRequest) -> Inspection:
    """Look at all spreads, one after another; keep their look and a drawing where the options say."""
    if request.draw is not None and len(request.files) > 1:
        raise _BadRequest("--draw: goes with one file only")
    reader, found, looks = Reader(), Inspection(()), []
    for path in request.files:
        pictures = spread_pictures(path)
        seen = inspect(pictures, reader)
        if not seen.cards:
            raise _BadRequest(f"{path}: no cards are to be seen, expected decks spread face up")
        found += seen.inspection
        looks.append(seen.look)
        _draw(request, pictures[0], seen)
    if request.look is not None:
        _save(request.look, Look.merged(looks))
    return found


def problems(request: InspectRequest, found: Inspection) -> list[str]:
    """Say what is wrong with the decks."""
    told = []
    if request.decks is not None and request.decks != len(found.decks):
        told.append(f"found {len(found.decks)} decks, expected {request.decks}")
    for number, deck in enumerate(found.decks, 1):
        told += [f"deck {number}: {words}" for words in _of_deck(deck)]
    return told


def lines(found: Inspection) -> Iterator[str]:
    """A line of JSON for each deck, and one for all of them."""
    for number, deck in enumerate(found.decks, 1):
        yield json.dumps({"deck": number} | deck.to_json())
    yield json.dumps(found.to_json())


def show(request: InspectRequest, found: Inspection, out: Console) -> None:
    """Tell what was counted."""
    decks = len(found.decks)
    out.print(f"{decks} {'deck' if decks == 1 else 'decks'}, {found.cards} cards: {_each(found)}")
    wrong = problems(request, found)
    for problem in wrong:
        out.print(problem)
    if not wrong:
        out.print("all are complete, without tens")


def _each(found: Inspection) -> str:
    return ", ".join(str(deck.cards) for deck in found.decks)


def _of_deck(deck: DeckCount) -> Iterator[str]:
    others = [card for card in deck.extra if card not in deck.tens]
    for what, cards in (("ten found", deck.tens), ("missing", deck.missing), ("too many", others)):
        if cards:
            yield f"{what}: {' '.join(cards)}"
    yield from (_words(doubt) for doubt in deck.doubts)


def _words(doubt: Doubt) -> str:
    if doubt.chance == 0:
        return f"row {doubt.row}: not read after the {_nth(doubt.nth)} card, where {doubt.guess} should be"
    return f"row {doubt.row}: the {_nth(doubt.nth)} card is not surely read, {doubt.guess} by {doubt.chance:.0%}"


def _nth(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number}{ending}"


def _draw(request: InspectRequest, picture: Picture, seen: SpreadCards) -> None:
    if request.draw is not None:
        write_picture(request.draw, draw(picture, seen.cards, seen.inspection.decks), "--draw")


def _save(path: Path, look: Look) -> None:
    try:
        look.save(path)
    except OSError as error:
        raise _BadRequest(f"{path}: cannot be written, {error.strerror}") from None
