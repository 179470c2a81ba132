"""The steps from a landing zone to a published day; each may run alone, again, and in a process of its own."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from pipelines.custody import landing as zone
from pipelines.custody.floors import parsed
from pipelines.custody.landing import Landing
from pipelines.custody.store import CustodyStore, Taken
from pipelines.day.plan import DayPlan, fingerprint_in_force
from pipelines.day.staging import stage_day
from pipelines.day.workers import TableWorkers
from pipelines.progress import SILENT, Progress
from pipelines.publish.publication import Cataloged, Publisher
from pipelines.publish.tally import Audited, PublishedDay
from pipelines.version import engine_version, hashed, reader_version
from pipelines.watch import stills
from pipelines.watch.watching import Eyes, FootageStore, Watching, films_of, fingerprint
from replay.carry import NOTHING, Carry
from replay.floor import Floor, parse, read_data
from replay.library import Library, beside
from warehouse import carry as carries
from warehouse import signing
from warehouse.evidence import witnesses
from warehouse.evidence.log import stamp
from warehouse.lake import Lake, LakeBusy
from warehouse.lake.snapshots import Snapshot, SnapshotMeta
from warehouse.signing import Recorder


class AuditRun:
    """One run's view on a landing zone and a lake."""

    def __init__(
        self,
        landing: Path,
        lake: Path,
        watcher: Progress = SILENT,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        wait_s: float = 0,
        run_id: str = "",
        copy_footage: bool = False,
        tables: Collection[str] | None = None,
        eyes: Eyes | None = None,
        folders: Sequence[Path] = (),
    ) -> None:
        self.landing = landing
        self.lake = Lake.create(lake)
        self.watcher = watcher
        self.now = now
        self.wait_s = wait_s
        self.run_id = run_id
        self.copy_footage = copy_footage
        self.workers = TableWorkers()
        self.tables = None if tables is None else frozenset(tables)  # only these are audited
        self.eyes = eyes
        self.folders = folders  # with further rulebooks
        self.coming: Sequence[date] = ()  # days that are done one after the other, in order
        self.unreadable: list[str] = []  # files that could not be taken, or films not watched, and why
        self.stumbles: list[str] = []  # what else went wrong and keeps no day from being published

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lake; where another process has it, wait as long as was said."""
        until = time.monotonic() + self.wait_s
        with ExitStack() as held:
            while True:
                try:
                    held.enter_context(self.lake.lock())
                    break
                except LakeBusy:
                    if time.monotonic() >= until:
                        raise
                    time.sleep(0.5)
            yield

    @cached_property
    def custody(self) -> CustodyStore:
        """The evidence in the lake."""
        custody = CustodyStore(self.lake.path, self.copy_footage)
        custody.append = lambda entry: signing.append(self.lake.path, custody.log, {**entry, "at": stamp(self.now())})
        return custody

    @cached_property
    def publisher(self) -> Publisher:
        return Publisher(self.lake, self.custody.log, self.now)

    @cached_property
    def footage(self) -> FootageStore:
        """The films, with what is recorded of them."""
        recorder = Recorder(self.lake.path, self.custody.log, self.now)
        return FootageStore(self.landing, self.lake.path, self.eyes, recorder)

    @cached_property
    def zone(self) -> Landing:
        """The contents of the landing zone."""
        return zone.look(self.landing)

    @cached_property
    def floor_data(self) -> dict[str, Any]:
        """floor.toml as it is in the landing zone."""
        return read_data(self.landing / zone.FLOOR, self.books)

    @cached_property
    def floor(self) -> Floor:
        """The floor that it describes."""
        return parse(self.floor_data, self.books)

    @property
    def books(self) -> Library:
        """The rulebooks of the package, of named folders and of the landing zone."""
        return beside(self.landing / zone.FLOOR, self.folders)

    # What there is to do.

    def check(self) -> None:
        """Complete what a killed run left; refuse where the lake is not what its evidence log says."""
        with self.locked():
            self.publisher.mend()

    def days(self) -> list[date]:
        """Every day that has files in the landing zone or in custody."""
        return sorted({*self.zone.days(), *self.custody.days()})

    def reason(self, day: date) -> str | None:
        """Why a day has to be audited, None where its verdicts stand: for good, once retention removed any of it."""
        snapshot = self.lake.snapshot()
        state = snapshot.days.get(day)
        if state is None:
            return "first"
        if self.is_closed(day):
            return None
        if self.custody.unseen(self.zone, day):
            return "new files"
        files, floor, shown = (*state.inputs.split("-"), "")[:3]
        if files != self._files_hash(day):
            return "new files"
        if floor != self._floor_in_force(day):
            return "floor"
        if state.engine_version != engine_version():
            return "engine"
        found = films_of(self.custody, day)
        if shown != fingerprint(self.lake.path, found) or self.footage.due(found):
            return "footage"
        return "carry" if state.carry_in != _carry_before(snapshot, day) else None

    def _floor_in_force(self, day: date) -> str:
        return fingerprint_in_force(self.floor_data, self.floor, day)

    def is_closed(self, day: date) -> bool:
        """Tell whether retention removed evidence of a day, which can therefore never be audited again."""
        return day.isoformat() in self.custody.log.closed()

    def came_too_late(self, days: Iterable[date]) -> list[date]:
        """List the closed days that have new files."""
        return [day for day in days if self.is_closed(day) and self.custody.unseen(self.zone, day)]

    def fingerprint(self, day: date) -> str:
        """Changes whenever there may be a new reason to audit a day."""
        files = [file for file in self.zone.files if file.day == day]
        looks = [(file.path, file.bytes, file.mtime_ns) for file in files]
        carried = _carry_before(self.lake.snapshot(), day)
        reader = reader_version() if any(file.source == "footage" for file in files) else ""
        return hashed([looks, self._floor_in_force(day), engine_version(), reader, carried])

    def _files_hash(self, day: date) -> str:
        return hashed([(each.path, each.sha256) for each in self.custody.records(day)])

    # The steps.

    def take(self, day: date) -> Taken:
        """Take a day's files into custody."""
        with self.locked():
            self.publisher.mend()
            new = self.custody.unseen(self.zone, day)
            books = {table.book.sha256: table.book for table in self.floor.tables}
            self.watcher.begins(day, "custody", sum(file.bytes for file in new))
            self.workers.expect(sum(file.bytes for file in new if file.source in zone.LINE_SOURCES))
            taken = self.custody.take(self.zone, day, self.watcher.goes_on, books.values())
            self.unreadable += taken.unreadable
            self.publisher.mend()
            return replace(taken, ignored=(*self.zone.ignored, *self.zone.outside))

    def watch(self, day: date) -> Watching:
        """Watch a day's films, as far as that was not done yet."""
        with self.locked():
            found = films_of(self.custody, day)
            asked_for = [film for film in found if self.tables is None or film.table in self.tables]
            watched = self.footage.watch(day, asked_for, self.watcher)
            self.unreadable += watched.failed
            return watched

    def audit(self, day: date, reason: str | None = None) -> Audited:
        """Judge a day from what is in custody, and stage its rows."""
        with self.locked():
            self.watch(day)
            self.publisher.mend()
            self._check_basis(day)
            snapshot = self.lake.snapshot()
            floor_sha256 = self.custody.floor(day)
            if floor_sha256 is None:
                raise zone.LandingError(f"{self.landing}: nothing of {day.isoformat()} is in custody")
            books = self.custody.books(day)
            data = read_data(self.custody.raw(floor_sha256), books)
            floor = parsed(self.custody.raw(floor_sha256), books)
            state = snapshot.days.get(day)
            published = carries.from_frame(self.lake.read("carry", snapshot, [day]))
            plan = DayPlan(
                day=day,
                floor=floor,
                floor_sha256=floor_sha256,
                records=self.custody.records(day),
                before=self._carry(snapshot, day),
                tables=self.tables,
                others=None if self.tables is None or state is None else published,
            )
            audited, staged, after = stage_day(plan, self.lake, self.custody, snapshot, self.watcher, self.workers)
            meta = SnapshotMeta(
                published=self.now(),
                run_id=self.run_id,
                reason=reason or ("first" if state is None else self.reason(day) or "asked for"),
                inputs=self._inputs(day, snapshot, fingerprint_in_force(data, floor, day), bool(audited.failed)),
                carry_in=_carry_before(snapshot, day),
                carry_out=carries.fingerprint(after),
                engine_version=engine_version(),
            )
            self.publisher.keep(staged, meta, audited)
            return audited

    def _check_basis(self, day: date) -> None:
        """``LakeError`` where something that the audit of a day rests on is not as the evidence log says."""
        self.custody.check(day)
        self.footage.check(films_of(self.custody, day))
        self.publisher.check_basis(day)

    def _inputs(self, day: date, snapshot: Snapshot, floor: str, has_failed: bool) -> str:
        """Return a hash of what the verdicts rest on; that of an incomplete day is no complete day's."""
        shown = fingerprint(self.lake.path, films_of(self.custody, day))
        everything = f"{self._files_hash(day)}-{floor}" + (f"-{shown}" if shown else "")
        state = snapshot.days.get(day)
        if has_failed:
            return f"failed-{everything}"
        if self.tables is None:
            return everything
        others_stand = state is not None and (everything, engine_version(), _carry_before(snapshot, day)) == (
            state.inputs,
            state.engine_version,
            state.carry_in,
        )
        return everything if others_stand else f"part-{everything}"

    def _whole(self) -> "AuditRun":
        """The same works for all tables."""
        works = copy(self)
        works.tables = None
        return works

    def _carry(self, snapshot: Snapshot, day: date) -> Carry:
        earlier = [each for each in snapshot.days if each < day]
        return carries.from_frame(self.lake.read("carry", snapshot, [max(earlier)])) if earlier else NOTHING

    def publish(self, day: date) -> PublishedDay:
        """Publish what was staged for a day, then the later days that what it carries over has changed."""
        with self.locked():
            self._copy_ahead(day)
            published = self._published(day)
            followed = []
            for later in sorted(each for each in self.lake.snapshot().days if each > day):
                snapshot = self.lake.snapshot()
                if self.is_closed(later) or snapshot.days[later].carry_in == _carry_before(snapshot, later):
                    break
                found = self._whole().audit(later, reason="carry")
                if found.failed or found.unbalanced:  # left to a run of its own, whose checks say so
                    break
                followed.append(self._published(later))
            return replace(published, followed=tuple(followed))

    def _copy_ahead(self, day: date) -> None:
        """Begin with the files of the day to come: publishing one keeps a single core busy."""
        for later in self.coming:
            if later > day and self.custody.unseen(self.zone, later):
                self.custody.copy_ahead(self.zone, later)
                return

    def _published(self, day: date) -> PublishedDay:
        published = self.publisher.publish(day)
        made = stills.make(self.lake, self.footage, day, films_of(self.custody, day))
        self.stumbles += made.problems
        return replace(published, stills=made.stills)

    def catalog(self) -> Cataloged:
        """Publish the catalog of the newest snapshot, remove what killed runs left, and ask the witnesses."""
        with self.locked():
            self.publisher.tidy()
            self.stumbles += witnesses.collect(self.custody.log)
            return self.publisher.catalog()

    def close(self) -> None:
        """End what goes on beside."""
        self.workers.close()
        self.custody.close()

    def sign_off(self, day: date, by: str, note: str = "") -> int:
        """Record that audit stands by a day as published; returns the snapshot."""
        with self.locked():
            return self.publisher.sign_off(day, by, note)


def _carry_before(snapshot: Snapshot, day: date) -> str:
    """Hash of the state that a day begins with."""
    earlier = [each for each in snapshot.days if each < day]
    return snapshot.days[max(earlier)].carry_out if earlier else ""
