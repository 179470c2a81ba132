"""Damaged landing zones: never a crash, never a lost line, the other tables unaffected."""

import json
import os
import random
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl
from rich.progress import Progress

from pipelines.custody.landing import LINE_SOURCES, source_of
from tests.pipelines import zones
from tests.torture.damage import ODD_FOLDERS, damage, packed_lines
from tests.torture.lakes import verify_problems
from tests.torture.worker import Worker
from warehouse.lake import Lake
from warehouse.schemas import DATASETS

DAY: Final = "2026-01-05"
FORMS: Final = ("none", "gz", "zst", "parquet")
WEIGHTS: Final = (5, 1, 1, 2)
# What an undamaged table's rows may differ in: the root of the evidence log, which tells of all files.
_OF_THE_LOG: Final = "chain"
_LINED: Final = ("events", "sightings", "quarantine")
AllRows = dict[str, pl.DataFrame]  # by dataset
Rows = dict[int, dict[str, Any]]  # by line


@dataclass
class Tally:
    """Result of the trials with damaged landing files."""

    zones: int = 0
    damages: Counter[str] = field(default_factory=Counter)
    lines: int = 0
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        kinds = ", ".join(f"{name} {times}" for name, times in sorted(self.damages.items()))
        end = f"{len(self.problems)} problems" if self.problems else "no crash, no line lost, other tables unaffected"
        return f"{self.zones} zones, {self.lines:,} lines followed, {end} ({kinds})"


class Sound(NamedTuple):
    """A landing zone that nobody has damaged, and the rows of its lake."""

    landing: Path
    rows: AllRows


class Fuzzer:
    """Damages copies of sound landing zones and looks at what becomes of them."""

    def __init__(
        self, folder: Path, rounds: int = 12, tables: int = 4, most: int = 2, forms: tuple[str, ...] = FORMS
    ) -> None:
        self.folder = folder
        self.most = most  # tables that are damaged at a time
        self.tally = Tally()
        self.worker = self._new_worker()
        self.sound = [self._sound(form, rounds, tables) for form in forms]

    def close(self) -> None:
        self.worker.kill()

    def _new_worker(self) -> Worker:
        """With one history for all lakes, which saves a second for each."""
        return Worker(self.folder, self.folder / "history")

    def _sound(self, form: str, rounds: int, tables: int) -> Sound:
        landing = zones.made(
            self.folder / form, tables=tables, rounds=rounds, irregularities=0.05, parts=2, camera=True, compress=form
        )
        lake = self.folder / f"{form}-lake"
        ended = self.worker.run("run", landing, "--lake", lake)
        assert ended.exit_code == 0, ended
        return Sound(landing, {name: Lake.open(lake).read(name) for name in DATASETS})

    def case(self, seed: int) -> None:
        """One damaged zone; problems name the seed."""
        chance = random.Random(seed)
        sound = chance.choices(self.sound, WEIGHTS[: len(self.sound)])[0]
        landing, lake = self.folder / f"zone-{seed}", self.folder / f"lake-{seed}"
        shutil.copytree(sound.landing, landing)
        tables, done = damaged(landing, chance, self.most)
        self.tally.damages.update(done)
        found = list(self._problems(sound, landing, lake, tables))
        self.tally.zones += 1
        self.tally.problems += [f"seed {seed} ({', '.join(done)} at {', '.join(tables)}): {each}" for each in found]
        if not found:
            shutil.rmtree(landing)
            shutil.rmtree(lake)

    def _problems(self, sound: Sound, landing: Path, lake: Path, tables: set[str]) -> Iterator[str]:
        ended = self.worker.run("run", landing, "--lake", lake, "--json")
        if ended.exit_code:
            yield f"exit code {ended.exit_code}: {ended.errors}"
            if ended.exit_code < 0:
                self.worker = self._new_worker()
            return
        rows = {name: Lake.open(lake).read(name) for name in DATASETS}
        yield from verify_problems(lake)
        yield from _others_differ(sound.rows, rows, tables)
        yield from self._lines_lost(landing, rows, json.loads(ended.output)["notes"])
        before = _state(lake)
        again = self.worker.run("run", landing, "--lake", lake, "--quiet")
        if again.exit_code or _state(lake) != before:
            yield f"a second run does something: {again}, {before} became {_state(lake)}"

    def _lines_lost(self, landing: Path, rows: AllRows, notes: list[str]) -> Iterator[str]:
        """Follow every line of every file to where it is now; what is not taken must be told."""
        files = {row["path"]: row for row in rows["files"].iter_rows(named=True)}
        for path in sorted(landing.glob(f"{DAY}/*/*")):
            name = os.fsencode(path.relative_to(landing)).decode(errors="backslashreplace")
            if name not in files:
                if not any(note.startswith(f"{name}: ") for note in notes):
                    yield f"{name}: neither among the files nor told of"
            elif source_of(path.name) in LINE_SOURCES:
                self.tally.lines += files[name]["lines"]
                yield from _follow(path, files[name], {each: _of(rows[each], name) for each in _LINED})


def damaged(landing: Path, chance: random.Random, most: int) -> tuple[set[str], list[str]]:
    """Damage some files of a few tables; which tables, and how."""
    tables = chance.sample(sorted(path.name for path in (landing / DAY).iterdir()), chance.randint(most // 2, most))
    done = []
    for table in tables:
        for _ in range(chance.randint(1, 4)):
            paths = sorted(path for path in (landing / DAY / table).iterdir() if path.is_file())
            if paths:
                done.append(damage(chance.choice(paths), chance))
    if chance.random() < 0.1:
        tables.append(chance.choice(ODD_FOLDERS))
        (landing / DAY / tables[0]).rename(landing / DAY / tables[-1])
        done.append("odd_folder")
    if chance.random() < 0.05:
        (landing / DAY / "not-a-folder").write_bytes(b"")
        (landing / "2026-13-45").mkdir()
        done.append("odd_places")
    return set(tables), done


def _of(rows: pl.DataFrame, path: str) -> pl.DataFrame:
    return rows.filter(pl.col("path") == path)


def _state(lake: Path) -> tuple[int, int]:
    """The number of publications, and of bytes of the evidence log."""
    return Lake.open(lake).snapshot().number, (lake / "evidence/log.ndjson").stat().st_size


def _others_differ(sound: AllRows, rows: AllRows, tables: set[str]) -> Iterator[str]:
    """Yield the datasets whose rows changed for tables that were not damaged."""
    others = sorted(set(sound["rounds"]["table"]) - tables)
    for name in DATASETS:
        was, is_ = (
            each[name].filter(pl.col("table").is_in(others)).drop(_OF_THE_LOG, strict=False) for each in (sound, rows)
        )
        if not was.equals(is_):
            yield f"{name}: rows of {', '.join(others)} are not what they were: {len(is_)}, expected {len(was)}"


def _has_no_rows(path: Path) -> bool:
    return path.stat().st_size == 0 or (path.suffix == ".parquet" and pl.read_parquet(path.read_bytes()).is_empty())


# Where the lines of a file are.


def _follow(path: Path, counts: dict[str, int], rows: AllRows) -> Iterator[str]:
    accepted = {row["line"]: row for each in ("events", "sightings") for row in rows[each].iter_rows(named=True)}
    quarantined = {row["line"]: row["raw"] for row in rows["quarantine"].iter_rows(named=True)}
    found = (counts["lines"], len(accepted), counts["repeated"], len(quarantined))
    if (counts["lines"], counts["accepted"], counts["repeated"], counts["quarantined"]) != found or sum(
        found[1:]
    ) != found[0]:
        yield f"{path}: counted {counts}, found {found}"
    numbers = accepted.keys() | quarantined.keys()
    if len(numbers) != len(accepted) + len(quarantined) or not numbers <= set(range(1, counts["lines"] + 1)):
        yield f"{path}: lines that are both accepted and quarantined, or beyond the file's end"
    if (lines := packed_lines(path)) is not None:
        if len(lines) != counts["lines"]:
            yield f"{path}: {counts['lines']} lines counted, expected {len(lines)}"
        yield from _compare(path, lines, accepted, quarantined)
    elif not counts["lines"] and not _has_no_rows(path):
        yield f"{path}: nothing is known of it"


def _compare(path: Path, lines: list[bytes], accepted: Rows, kept: dict[int, bytes]) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if number in kept and kept[number] != line:
            yield f"{path}, line {number}: quarantined as {kept[number]!r:.200}, expected {line!r:.200}"
        if number in accepted:
            event = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
            row = accepted[number]
            if event["seq"] != row["seq"] or event["type"] != row.get("type", "seen"):
                yield f"{path}, line {number}: accepted as {row}, expected {line!r:.200}"


def torture(folder: Path, times: int, seed: int, progress: Progress) -> Tally:
    """So many damaged zones; goes on after a problem, for the next may be another."""
    task = progress.add_task("sound zones", total=times)
    fuzzer = Fuzzer(folder)
    progress.update(task, description="fuzz")
    try:
        for each in range(seed, seed + times):
            fuzzer.case(each)
            progress.advance(task)
    finally:
        fuzzer.close()
    return fuzzer.tally
