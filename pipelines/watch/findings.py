"""Findings about footage: not analysed, cameras not to be trusted, decks that were wrong at the opening inspection."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from pipelines.watch.films import FilmFile
from pipelines.watch.sidecar import moment
from pipelines.watch.watched import Trouble, Watched
from replay.finding import Finding
from replay.times import time_ms

_CODE: Final = "evidence.source-missing"


def film_findings(found: Sequence[tuple[FilmFile, Watched | None]], offset_ms: Mapping[str, int]) -> Iterator[Finding]:
    """Report footage that is missing in whole or in part, and what is wrong with inspected decks.

    ``offset_ms`` has by path the offset of the camera's clock.
    """
    for film, watched in found:
        if watched is None:
            yield _of_film(film, "/unwatched")
            continue
        if watched.problem is not None:
            yield _problem(film, watched)
        for trouble in watched.troubles:
            yield _trouble(film, watched, trouble, offset_ms.get(film.path, 0))
        yield from _inspection(film, watched)


def _inspection(film: FilmFile, watched: Watched) -> Iterator[Finding]:
    """Report tens, and cards missing or too many, in decks that lay spread at the opening."""
    for number, deck in enumerate(watched.inspected, 1):
        others = [card for card in deck["extra"] if card not in deck["tens"]]
        forms = (
            ("shoe.ten-found/inspection", deck["tens"]),
            ("shoe.composition/inspection-missing", deck["missing"]),
            ("shoe.composition/inspection-extra", others),
        )
        for form, cards in forms:
            for card in cards:
                yield Finding(
                    code=form.partition("/")[0],
                    form=form,
                    path=film.path,
                    detail=f"deck {number} {card}",
                    at_ms=time_ms(watched.start),
                    said={"deck": number, "decks": len(watched.inspected), "file": film.footage.name, "card": card},
                )


def _problem(film: FilmFile, watched: Watched) -> Finding:
    if not watched.frames:
        return _of_film(film, "/unreadable", problem=watched.problem)
    seconds = watched.duration_ms // 1000
    return _of_film(film, "/cut-short", length=f"{seconds // 60}:{seconds % 60:02}", problem=watched.problem)


def _trouble(film: FilmFile, watched: Watched, trouble: Trouble, offset_ms: int) -> Finding:
    begins, ends = (moment(watched.start, ms)[11:19] for ms in (trouble.from_ms, trouble.until_ms))
    at_ms = (time_ms(watched.start) or 0) + trouble.from_ms - offset_ms
    found = _of_film(film, "/trouble", trouble=trouble.message, begins=begins, ends=ends)
    return replace(found, detail=trouble.kind, at_ms=at_ms)


def _of_film(film: FilmFile, form: str, **said: object) -> Finding:
    return Finding(code=_CODE, form=_CODE + form, path=film.path, said={"file": film.footage.name, **said})
