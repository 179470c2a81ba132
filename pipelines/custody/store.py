"""Takes landing files into custody: copied, hashed and written into the evidence log before anybody reads them."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Final

import numpy as np

from pipelines.custody.files import text_of
from pipelines.custody.landing import FLOOR, Landing, LandingError, LandingFile, opened, source_of
from replay.columns import U8
from replay.library import FOLDER, PACKAGE, Library, file_name
from replay.rulebook_file import Rulebook
from warehouse.disk import sync
from warehouse.evidence.files import file_sha256, fingerprint
from warehouse.evidence.log import EvidenceLog
from warehouse.folders import EVIDENCE, RAW, landing_path, raw
from warehouse.lake import LakeError

_PIECE: Final = 1 << 20
_AT_ONCE: Final = 4  # files per core: most of them wait for the disk
_SEEN: Final = ".seen.json"  # what landing files looked like when they were taken: spares reading them again


class UnreadableError(LandingError):
    """A landing file whose bytes cannot be had; says why."""


@dataclass(frozen=True)
class Record:
    """A landing file in custody. ``path`` is that in the landing zone; bytes that came under it later got a number."""

    path: str
    sha256: str
    bytes: int
    lines: int | None = None  # of a file of lines
    line_root: str | None = None
    kept: bool = True  # footage may be known by its hash only
    log_index: int = -1  # the entry that brought it

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def table(self) -> str:
        return self.path.split("/")[1]

    @property
    def source(self) -> str:
        return source_of(self.name) or "other"

    def entry(self) -> dict[str, Any]:
        """The file's entry in the evidence log."""
        found = {name: value for name, value in asdict(self).items() if name not in ("log_index", "kept")}
        return found if self.kept else {**found, "kept": False}


@dataclass(frozen=True)
class KeptBook:
    """A rulebook in custody."""

    id: str
    version: str
    record: Record

    def entry(self) -> dict[str, Any]:
        """Return what the evidence log says of it."""
        return {**self.record.entry(), "id": self.id, "version": self.version}


@dataclass(frozen=True)
class Taken:
    """The files taken into custody for a day, and those that are there in all."""

    day: date
    records: tuple[Record, ...]
    new: tuple[Record, ...]
    floor_sha256: str
    unreadable: tuple[str, ...]
    log_index: int
    root: str
    ignored: tuple[str, ...] = ()  # what the landing zone's layout has no place for

    @property
    def files(self) -> int:
        return len(self.records)

    @property
    def bytes(self) -> int:
        return sum(record.bytes for record in self.records)


class CustodyStore:
    """The evidence that a lake holds, by gaming day."""

    def __init__(self, lake: Path, copy_footage: bool = False) -> None:
        self.lake = lake
        self.copy_footage = copy_footage
        self.log = EvidenceLog(lake / EVIDENCE)
        self.append: Callable[[Mapping[str, Any]], int] = self.log.append  # whoever has the key signs as well
        self._records: dict[date, dict[str, Record]] = {}
        self._floors: dict[date, tuple[str, int]] = {}  # hash, and the entry that brought it
        self._books: dict[date, tuple[KeptBook, ...]] = {}  # that came with it
        self._seen = _read_json(lake / _SEEN)
        self._hashed: set[str] = set()  # files in raw/ that this process made or compared with their hash
        self._pool = ThreadPoolExecutor(_AT_ONCE * (os.cpu_count() or 1))
        self._ahead: dict[LandingFile, Future[Record | str]] = {}  # copied before their day is taken
        for index, entry in self.log.entries("custody"):
            self._learn(index, entry)

    def _learn(self, index: int, entry: Mapping[str, Any]) -> None:
        day = date.fromisoformat(entry["gaming_day"])
        self._floors[day] = entry["floor"]["sha256"], index
        self._books[day] = tuple(_book(row, index) for row in entry.get("rulebooks", ()))
        known = self._records.setdefault(day, {})
        for file in entry["files"]:
            known[file["path"]] = Record(**file, log_index=index)

    def days(self) -> list[date]:
        """Days of which something is in custody."""
        return sorted(self._records)

    def records(self, day: date) -> tuple[Record, ...]:
        """The files of a day, in the order of paths."""
        return tuple(record for _, record in sorted(self._records.get(day, {}).items()))

    def floor(self, day: date) -> str | None:
        """Hash of the floor.toml that came with the newest files of a day."""
        return self._floors[day][0] if day in self._floors else None

    def kept_books(self, day: date) -> tuple[KeptBook, ...]:
        """The rulebooks that came with that floor.toml; none in a log that was begun before they were kept."""
        return self._books.get(day, ())

    def books(self, day: date) -> Library:
        """The rulebooks that a day is judged by."""
        kept = self.kept_books(day)
        return Library(tuple(self.raw(book.record.sha256) for book in kept)) if kept else PACKAGE

    def floor_index(self, day: date) -> int:
        """The log's entry that brought it."""
        return self._floors[day][1]

    def root(self, index: int) -> str:
        """Root of the evidence log with an entry."""
        return self.log.root(index + 1).hex()

    def chain(self, record: Record) -> str:
        """Root of the evidence log with the entry that brought a file."""
        return self.root(record.log_index)

    def raw(self, sha256: str) -> Path:
        """Return the path of bytes of that hash."""
        return raw(self.lake, sha256)

    def check(self, day: date) -> None:
        """``LakeError`` where a file that is kept for a day is not as it was taken; what this process took is known."""
        wanted = {record.sha256: record.path for record in self.records(day) if record.kept}
        if floor := self.floor(day):
            wanted[floor] = FLOOR
        wanted |= {book.record.sha256: book.record.path for book in self.kept_books(day)}
        for sha256, path in wanted.items():
            if sha256 in self._hashed:
                continue
            try:
                found = file_sha256(self.raw(sha256))[0]
            except OSError as error:
                raise LakeError(f"{self.raw(sha256)} ({path}): cannot be read: {error.strerror}; restore it") from error
            if found != sha256:
                raise LakeError(f"{self.raw(sha256)} ({path}): found bytes with the hash {found}; restore the file")
            self._hashed.add(sha256)

    def unseen(self, landing: Landing, day: date) -> list[LandingFile]:
        """Files of a day that are new, or do not look as they did when they were taken.

        What they looked like is not evidence: a file of a size that nothing in custody under its name has is not
        known, whatever is said of it.
        """
        known = self._records.get(day, {})
        held = {(landing_path(record.path), record.bytes) for record in known.values()}
        return [
            file
            for file in landing.files
            if file.day == day
            and (self._seen.get(file.path) != _look_of(file) or (landing_path(file.path), file.bytes) not in held)
        ]

    def copy_ahead(self, landing: Landing, day: date) -> None:
        """Begin to copy and hash what is new of a day that will be taken next; nothing is in custody before."""
        for file in self.unseen(landing, day):
            self._ahead[file] = self._pool.submit(self._record, landing.root, file)

    def close(self) -> None:
        """Copy no more ahead."""
        self._pool.shutdown(cancel_futures=True)

    def take(
        self,
        landing: Landing,
        day: date,
        progress: Callable[[int, str], object] = lambda size, path: None,
        books: Iterable[Rulebook] = (),
    ) -> Taken:
        """Take what is new of a day, and its rulebooks; killed at any moment, the next call completes the work."""
        copied = self._copied()
        (self.lake / RAW).mkdir(parents=True, exist_ok=True)
        for left in (self.lake / RAW).glob(".*"):  # by a run that was killed
            left.unlink(missing_ok=True)
        floor = self._keep(FLOOR, _pieces(landing.root, FLOOR))
        kept = tuple(self._keep_book(book) for book in books)
        files = self.unseen(landing, day)
        unreadable: dict[str, str] = {}  # by path: why
        taken: list[Record] = []
        waiting = [copied.get(file) or self._pool.submit(self._record, landing.root, file) for file in files]
        for file, future in zip(files, waiting, strict=True):
            found = future.result()
            progress(file.bytes, file.path)
            if isinstance(found, str):
                unreadable[file.path] = found
            else:
                taken.append(found)
        new = self._new(day, taken)
        sync(self.lake / RAW)
        is_same_floor = (self.floor(day), _hashes(self.kept_books(day))) == (floor.sha256, _hashes(kept))
        if new or not is_same_floor:
            self._append(day, floor, kept, new)
        self._remember(file for file in files if file.path not in unreadable)
        root, problems = self.log.root().hex(), tuple(unreadable.values())
        return Taken(day, self.records(day), tuple(new), floor.sha256, problems, self.log.size - 1, root)

    def _copied(self) -> dict[LandingFile, "Future[Record | str]"]:
        """Take what was copied ahead, or cannot be read; where our own copy failed, try again."""
        ahead, self._ahead = self._ahead, {}
        wait(ahead.values())
        return {file: future for file, future in ahead.items() if not future.exception()}

    def _append(self, day: date, floor: Record, books: Sequence[KeptBook], new: list[Record]) -> None:
        entry = {
            "kind": "custody",
            "gaming_day": day.isoformat(),
            "floor": floor.entry(),
            **({"rulebooks": [book.entry() for book in books]} if books else {}),
            "files": [record.entry() for record in sorted(new, key=lambda record: record.path)],
        }
        self._learn(self.append(entry), entry)

    def _new(self, day: date, taken: Iterable[Record]) -> list[Record]:
        """List files whose bytes are not known under their path; a changed file gets a new name."""
        known = dict(self._records.get(day, {}))
        new = []
        for record in taken:
            path, number = record.path, 1
            while path in known and known[path].sha256 != record.sha256:
                number += 1
                path = _again(record.path, number)
            if path not in known:
                known[path] = replace(record, path=path)
                new.append(known[path])
        return new

    def _record(self, root: Path, file: LandingFile) -> Record | str:
        """Copy and hash a file; a text says why it could not be read."""
        try:
            if file.source != "footage" or self.copy_footage:
                return self._keep(file.path, _pieces(root, file.path))
            with opened(root, root / file.path):
                return Record(file.path, *fingerprint(root / file.path, file.path), kept=False)
        except OSError as error:
            return f"{file.path}: {error.strerror}"
        except UnreadableError as error:
            return str(error)

    def _keep_book(self, book: Rulebook) -> KeptBook:
        """Keep a rulebook's file like a landing file."""
        return KeptBook(book.id, book.version, self._keep(f"{FOLDER}/{file_name(book)}", iter([book.source])))

    def _keep(self, name: str, pieces: Iterator[bytes]) -> Record:
        """Keep a file's bytes under their hash, which is taken of the copy."""
        copy = self.lake / RAW / f".{os.getpid()}-{abs(hash(name))}"
        try:
            with copy.open("wb") as target:
                for piece in pieces:
                    target.write(piece)
                target.flush()
                os.fsync(target.fileno())
            record = Record(name, *fingerprint(copy, name, text))
            copy.chmod(0o444)
            copy.rename(self.raw(record.sha256))
            self._hashed.add(record.sha256)
        except OSError as error:
            raise LakeError(f"{self.lake / RAW}: cannot keep {name}: {error.strerror}") from error
        finally:
            copy.unlink(missing_ok=True)
        return record

    def _remember(self, files: Iterable[LandingFile]) -> None:
        self._seen |= {file.path: _look_of(file) for file in files}
        unfinished = self.lake / f"{_SEEN}.new"
        unfinished.write_text(json.dumps(self._seen), encoding="utf-8")
        unfinished.rename(self.lake / _SEEN)


def _pieces(root: Path, name: str) -> Iterator[bytes]:
    """A landing file's bytes; a fault of the landing zone's disk is not taken for one of the lake's."""
    try:
        with opened(root, root / name) as source:
            while piece := source.read(_PIECE):
                yield piece
    except OSError as error:
        raise UnreadableError(f"{name}: {error.strerror}") from error


def _book(row: Mapping[str, Any], index: int) -> KeptBook:
    """A rulebook of an entry."""
    record = {name: value for name, value in row.items() if name not in ("id", "version")}
    return KeptBook(row["id"], row["version"], Record(**record, log_index=index))


def _hashes(books: Iterable[KeptBook]) -> set[str]:
    return {book.record.sha256 for book in books}


def _look_of(file: LandingFile) -> list[int]:
    return [file.bytes, file.mtime_ns]


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found


def _again(path: str, number: int) -> str:
    """The name of bytes that came under a name that other bytes have: ``terminal~2.ndjson``."""
    folder, _, name = path.rpartition("/")
    stem, dot, endings = name.partition(".")
    return f"{folder}/{stem}~{number}{dot}{endings}"


def text(path: Path, name: str) -> U8 | None:
    """The lines of a file whose bytes are not its lines."""
    return text_of(mapped(path), name).text if name.endswith(".parquet") else None


def mapped(path: Path) -> U8:
    """A file's bytes as an array, without reading them all at once."""
    return np.memmap(path, np.uint8, "r") if path.stat().st_size else np.frombuffer(b"", np.uint8)
