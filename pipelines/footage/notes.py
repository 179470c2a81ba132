"""What films tell beside cards in play: those not watched, cameras not to be trusted, decks as they were inspected."""

from collections.abc import Mapping, Sequence
from typing import Final

from pipelines.footage.films import Film
from pipelines.footage.sidecar import moment
from pipelines.footage.watched import Trouble, Watched
from pipelines.ingest.fields import time_ms
from pipelines.judge.findings import Note

_CODE: Final = "evidence.source-missing"


def notes(found: Sequence[tuple[Film, Watched | None]], ahead_ms: Mapping[str, int]) -> list[Note]:
    """A note for every film that is missing in whole or in part, and for what is wrong with inspected decks.

    ``ahead_ms`` tells by path how far a film's clock is ahead of the one that all go by.
    """
    told = []
    for film, watched in found:
        if watched is None:
            why = "it is not at hand, or the software failed on it"
            told.append(Note(_CODE, f"{film.footage.name} was not watched: {why}", path=film.path, source=film.path))
            continue
        if watched.problem is not None:
            told.append(_problem(film, watched))
        told += [_trouble(film, watched, each, ahead_ms.get(film.path, 0)) for each in watched.troubles]
        told += _inspection(film, watched)
    return told


def _inspection(film: Film, watched: Watched) -> list[Note]:
    """Tens, and cards missing or too many, in decks that lay spread at the opening."""
    at_ms = time_ms(watched.start)
    told = []
    for number, deck in enumerate(watched.inspected, 1):
        others = [card for card in deck["extra"] if card not in deck["tens"]]
        where = f"deck {number} of {len(watched.inspected)} at the opening inspection on {film.footage.name}"
        found = (
            ("shoe.ten-found", deck["tens"], "has"),
            ("shoe.composition", deck["missing"], "lacks"),
            ("shoe.composition", others, "has too many of"),
        )
        for code, cards, verb in found:
            for card in cards:
                message = f"{where} {verb} {card}, before a hand was dealt"
                told.append(Note(code, message, path=film.path, source=f"{film.path} {number} {card}", at_ms=at_ms))
    return told


def _problem(film: Film, watched: Watched) -> Note:
    seconds = watched.duration_ms // 1000
    to_there = f"could be watched for {seconds // 60}:{seconds % 60:02} minutes only" if watched.frames else ""
    message = f"{film.footage.name} {to_there or 'could not be watched'}: {watched.problem}"
    return Note(_CODE, message, path=film.path, source=film.path)


def _trouble(film: Film, watched: Watched, trouble: Trouble, ahead_ms: int) -> Note:
    begins, ends = (moment(watched.start, ms)[11:19] for ms in (trouble.from_ms, trouble.until_ms))
    message = f"{film.footage.name}: {trouble.message}, from {begins} to {ends} by the camera's clock"
    at_ms = (time_ms(watched.start) or 0) + trouble.from_ms - ahead_ms
    return Note(_CODE, message, path=film.path, source=f"{film.path} {trouble.kind}", at_ms=at_ms)
