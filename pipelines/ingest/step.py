"""The step ``ingest``: a table's files and films of a day into lines, each accepted, repeated or quarantined."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipelines.custody.landing import LINE_SOURCES
from pipelines.custody.store import Record, mapped
from pipelines.ingest.footage import read_films
from pipelines.ingest.read import FileLines, read_file
from pipelines.ingest.table_day import Landed, TableDay, gather
from pipelines.watch.films import FilmFile, films
from pipelines.watch.watched import Watched, kept
from warehouse import folders


@dataclass(frozen=True)
class TableFiles:
    """The files of a table's day in custody."""

    lake: Path
    table_id: str
    records: Sequence[Record]  # in the order of paths
    known: Collection[str]  # tables of floor.toml; lines of others are quarantined


@dataclass(frozen=True)
class TableLines:
    """A table's files of lines and its films, read one by one and put together."""

    records: Sequence[Record]
    files: Sequence[FileLines]
    gathered: TableDay
    films: Sequence[tuple[FilmFile, Watched | None]]

    @property
    def paths(self) -> list[str]:
        """The path of every file."""
        return [record.path for record in self.records]

    @property
    def hashes(self) -> list[str]:
        """The hash of every file."""
        return [record.sha256 for record in self.records]

    @property
    def watched(self) -> list[tuple[FilmFile, Watched]]:
        """Films whose sightings the lake has."""
        return [(film, shown) for film, shown in self.films if shown is not None]


def run(given: TableFiles) -> TableLines:
    """Read a table's files and put their lines together."""
    shown = [(film, kept(given.lake, film)) for film in films(given.records)]
    seen = read_films([(film, watched) for film, watched in shown if watched], given.table_id, given.known)
    read = [(film.footage, lines) for film, lines in seen]
    for record in given.records:
        if record.source in LINE_SOURCES:
            data = mapped(folders.raw(given.lake, record.sha256))
            read.append((record, read_file(data, record.name, record.source, given.table_id, given.known)))
    read.sort(key=lambda each: each[0].path)
    gathered = gather([Landed(record.path, record.sha256, lines) for record, lines in read])
    return TableLines([record for record, _ in read], [lines for _, lines in read], gathered, shown)
