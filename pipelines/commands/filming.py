"""Footage of simulated tables: what the simulator says lay on the felt, drawn as an overhead camera sees it."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from zlib import crc32

import numpy as np
import polars as pl

from replay.presentation import presentation
from replay.rulebook_file import Rulebook
from replay.simulator import camera, filming
from replay.simulator.simulate import SimulatedDay
from vision.faces.deck import HOUSE_DECKS, house_deck
from vision.footage import film
from vision.footage.layout import TableLook, layout
from vision.footage.places import CardStay
from vision.footage.stage import StageWager

# Narration of a film's name and its number of frames; gives what is told of frames as they are written.
Watcher = Callable[[str, int], Callable[[int], object]]


def write(out: Path, day: date, each: SimulatedDay, watcher: Watcher) -> int:
    """Film a table's day: video and sidecar in the landing zone, the truth beside it; says how many it wrote there."""
    placed, filmed = each.material.placed, each.filmed
    assert placed is not None and filmed is not None
    on = _set(each, day)
    take = film.take(on, stays(placed), wagers(filming.wagers(each.log, filmed)))
    folder = out / day.isoformat() / each.table.id
    sidecar, video = folder / f"{camera.FOOTAGE}.json", folder / f"{camera.FOOTAGE}.mp4"
    film.write_sidecar(sidecar, on, _start(each, take.from_ms), each.material.camera)
    unfinished = video.with_name(f".{video.name}")  # whoever watches the folder sees whole files only
    progress = watcher(f"film of {each.table.id}, {day}", film.count(take))
    truth = film.shoot(unfinished, on, take, progress=progress)
    unfinished.rename(video)
    truth.write_parquet(out / f"placements-{day}-{each.table.id}.parquet")
    return 2


def _set(each: SimulatedDay, day: date) -> film.Set:
    """A table keeps its deck and its camera's place; each day has another light."""
    deck = HOUSE_DECKS[crc32(each.table.id.encode()) % len(HOUSE_DECKS)]
    on = film.Set.somewhere(
        layout(each.table.boxes, _look(each.table.book)), house_deck(deck), crc32(each.table.id.encode())
    )
    return film.Set(on.layout, on.deck, on.view, on.optics, crc32(f"{each.material.seed}/{day}".encode()))


def _look(book: Rulebook) -> TableLook:
    """The felt of a rulebook's tables."""
    style = presentation(book)
    draws = book.parameters["dealer_soft_17"] == "draws"
    return TableLook(style.felt, style.ink, style.game, style.blackjack, draws, style.sides)


def _start(each: SimulatedDay, from_ms: float) -> datetime:
    """The time of the first frame by the camera's clock."""
    clocks = each.material.clocks
    shown = clocks.camera.shows(np.array([round(from_ms)]), clocks.day_starts_ms)
    return datetime.fromtimestamp(int(shown[0]) / 1000, UTC).astimezone(clocks.timezone)


def stays(placed: pl.DataFrame) -> list[CardStay]:
    """Placements as the renderer takes them."""
    return [CardStay(**row) for row in placed.select(CardStay._fields).rows(named=True)]


def wagers(staked: pl.DataFrame) -> list[StageWager]:
    """Chips as the renderer takes them."""
    return [StageWager(**row) for row in staked.select(StageWager._fields).rows(named=True)]
