"""``python -m vision.scoring``: how well cards are read in labelled photographs and in rendered footage."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from vision.footage import film
from vision.reading.index import SURE
from vision.reading.reader import Reader
from vision.scoring import faults, films
from vision.scoring.films import Match, Shot, Tally, tally
from vision.scoring.photos import Pair, labels, map50, pairs, score


def main() -> None:
    """Run one of the scorers."""
    parser = argparse.ArgumentParser(prog="python -m vision.scoring", description=__doc__)
    kinds = parser.add_subparsers(required=True, metavar="WHAT")
    photos = kinds.add_parser("photos", help="photographs with a labels.csv that tells what is where")
    photos.add_argument("folder", type=Path)
    photos.set_defaults(run=_photos)
    rendered = kinds.add_parser("films", help="rendered rounds: long cascades, splits, doubles, on all tables")
    rendered.add_argument("--films", type=int, default=20, help="20 have each of four decks on each of five tables")
    rendered.add_argument("--rounds", type=int, default=4, help="rounds of each film, some 40 cards each")
    rendered.set_defaults(run=_films)
    empty = kinds.add_parser("empty", help="rendered tables without cards: hands, chips, shadows, print")
    empty.add_argument("--minutes", type=float, default=60.0, help="in all, over five tables")
    empty.add_argument("--fps", type=float, default=5.0, help="frames per second of the films")
    empty.set_defaults(run=_empty)
    for each in (rendered, empty):
        each.add_argument("--seed", type=int, default=1)
        each.add_argument("--keep", type=Path, metavar="DIR", help="keep films, truths and pictures of all faults")
    given = parser.parse_args()
    given.run(given)


def _photos(given: argparse.Namespace) -> None:
    """A table for each set of photographs and for all of them."""
    reader = Reader(threads=2)
    found: dict[str, list[Pair]] = {}
    names = sorted(labels(given.folder))
    with _progress() as bar:
        for name in bar.track(names, description="photographs"):
            found |= pairs(reader, given.folder, [name])
    sets = {key: list(names) for key, names in groupby(sorted(found), lambda name: Path(name).parts[0])}
    for title, names in {**sets, "all": list(found)}.items():
        Console().print(_photo_table(title, [pair for name in names for pair in found[name]]))
        Console().print(f"mAP50 {map50(found[name] for name in names):.3f}", highlight=False)


def _films(given: argparse.Namespace) -> None:
    """Tables by deck and by look."""
    shots = films.shots(given.films, given.seed)
    found = {shot: tally(matches) for shot, matches in _watched(given, shots, films.FPS)}
    for title in ("deck", "look"):
        sums: dict[str, Tally] = {}
        for shot, counted in found.items():
            name = getattr(shot, title)
            sums[name] = sums.get(name, Tally()) + counted
        Console(width=150).print(_film_table(title, {**sums, "all": sum(sums.values(), Tally())}))


def _empty(given: argparse.Namespace) -> None:
    """Print the number of cards reported on tables without cards; exits with 1 if any."""
    shots = films.shots(5, given.seed)
    seen = [match for _, matches in _watched(given, shots, given.fps) for match in matches]
    told = f"{given.minutes:g} minutes of tables without cards at {given.fps:g} frames a second: {len(seen)} cards seen"
    Console().print(told, highlight=False)
    sys.exit(1 if seen else 0)


def _watched(given: argparse.Namespace, shots: list[Shot], fps: float) -> Iterator[tuple[Shot, list[Match]]]:
    """Film, watch and compare one after another."""
    reader = Reader()
    with TemporaryDirectory() as temporary, _progress() as bar:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for number, shot in enumerate(shots, 1):
            on, take = (
                films.rounds_of(shot, given.rounds)
                if "rounds" in given
                else films.nothing_of(shot, 60 * given.minutes / len(shots))
            )
            frames = film.count(take, fps)
            task = bar.add_task(f"{number} of {len(shots)}: {shot.name}", total=2 * frames)
            advance = partial(bar.advance, task)
            path = films.shoot(shot, (on, take), folder, fps, advance)
            matches = films.watched(path, reader, advance)
            bar.remove_task(task)
            yield shot, matches
            if given.keep:
                faults.draw(path, matches)
            else:
                path.unlink()


@contextmanager
def _progress() -> Iterator[Progress]:
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=20), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield progress


def _photo_table(title: str, found: list[Pair]) -> Table:
    table = Table(title=f"{title}: {sum(pair.label is not None for pair in found)} indices")
    for column in ("", "precision", "recall", "as classes", "read", "right"):
        table.add_column(column, justify="left" if not column else "right")
    for sure, when in ((0.0, "all readings"), (SURE, "after abstention")):
        for what in ("rank", "suit", "both"):
            s = score(found, what, sure)
            shares = (f"{share:.4f}" for share in (s.precision, s.recall, s.as_classes))
            table.add_row(f"{what}, {when}", *shares, str(s.read), str(s.right))
    return table


def _film_table(title: str, sums: dict[str, Tally]) -> Table:
    table = Table(title=f"rendered footage by {title}: cards that lay for at least half a second")
    columns = ("face up", "read right", "wrong", "abstained", "missed", "face down", "found", "zone and order")
    for column in (title, *columns, "in long hands", "sideways", "twice", "invented"):
        table.add_column(column, justify="left" if column == title else "right")
    for name, t in sums.items():
        right, placed = (f"{100 * part / max(1, of):.2f} %" for part, of in ((t.right, t.up), (t.placed, t.cards)))
        counts = (t.wrong, t.abstained, t.missed, t.down, t.down_found)
        table.add_row(
            name, str(t.up), right, *map(str, counts), placed, *map(str, (t.long, t.sideways, t.again, t.invented))
        )
    return table


if __name__ == "__main__":
    main()
