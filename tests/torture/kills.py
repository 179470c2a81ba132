"""``audit21 run`` killed again and again, and what it comes to in the end."""

import random
import shutil
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from rich.progress import Progress

from tests.pipelines import zones
from tests.torture.lakes import differences
from tests.torture.phase import GROWING, PHASES, phase
from tests.torture.reader import Reader, published
from tests.torture.worker import MOST_S, Hung, Worker

IN_A_ROW: Final = (2, 6)
LATE: Final = "2026-01-05/P21-01/terminal-1.ndjson"
_THEN_S: Final = 0.02  # at most so long after something showed


class Stage(NamedTuple):
    """Landing zone at the start of a run, the lake after an undisturbed run, and its approximate duration."""

    landing: Path
    lake: Path
    seconds: float


@dataclass
class Tally:
    """Result of the trials with killed runs."""

    kills: Counter[str] = field(default_factory=Counter)
    lakes: int = 0
    looks: int = 0
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        phases = ", ".join(f"{name} {self.kills[name]}" for name in PHASES if self.kills[name])
        end = f"{len(self.problems)} problems" if self.problems else "all equal to the undisturbed ones"
        return f"{self.kills.total()} kills ({phases}), {self.lakes} lakes, {end}; {self.looks} looks of a reader"


def undisturbed(folder: Path, worker: Worker, rounds: int = 15, days: int = 2) -> list[Stage]:
    """A small floor with some disorder, audited in peace, before and after a file came late."""
    disorder = ("garbage:1", "truncated:1", "repeated:1")
    whole = zones.made(
        folder / "zone",
        tables=3,
        rounds=rounds,
        days=days,
        irregularities=0.05,
        parts=2,
        camera=True,
        disorder=disorder,
    )
    first = folder / "first"
    shutil.copytree(whole, first)
    (first / LATE).unlink()
    lakes = [folder / f"undisturbed-{number}" for number in range(2)]
    seconds = _run(worker, first, lakes[0])
    shutil.copytree(lakes[0], lakes[1])
    _run(worker, whole, lakes[1])
    return [Stage(first, lakes[0], seconds), Stage(whole, lakes[1], seconds)]


def _run(worker: Worker, landing: Path, lake: Path) -> float:
    """A run in peace; how long it took."""
    worker.begin("run", landing, "--lake", lake)
    began = time.monotonic()
    ended = worker.ended(MOST_S)
    assert ended and ended.exit_code == 0, f"a run that nobody disturbed: {ended}"
    return time.monotonic() - began


class Torturer:
    """Kills runs, with the next process getting warm meanwhile."""

    def __init__(self, folder: Path, rounds: int = 15, days: int = 2) -> None:
        self.folder = folder
        self.tally = Tally()
        self._worker: Worker | None = Worker(folder)
        self._next = Worker(folder)
        self.stages = undisturbed(folder, self._worker, rounds, days)
        self.reader = Reader(published([stage.lake for stage in self.stages]))

    def close(self) -> None:
        self.reader.stop()
        self._take_problems()
        for worker in (self._worker, self._next):
            if worker:
                worker.kill()

    def trial(self, seed: int, kills: int) -> int:
        """A lake from its first file to its last, at most so many kills on the way; how many they were."""
        chance = random.Random(seed)
        lake = self.folder / f"lake-{seed}"
        before = self.tally.kills.total()
        self.reader.turn_to(lake)
        for stage in self.stages:
            for _ in range(chance.randint(*IN_A_ROW)):
                is_enough = self.tally.kills.total() - before >= kills
                if is_enough or not self.kill(stage, lake, *_moment(chance, stage, lake)):
                    break
            self.complete(stage, lake, f"seed {seed}")
        self.reader.turn_to(None)
        self._take_problems()
        self.tally.lakes += 1
        self.tally.looks = self.reader.looks
        if not self.tally.problems:  # else somebody will want to look at it
            shutil.rmtree(lake)
        return self.tally.kills.total() - before

    def kill(self, stage: Stage, lake: Path, reached: Callable[[], bool], then_s: float) -> str | None:
        """Begin a run and kill it; the phase that it was in, None where it had ended before."""
        worker = self._warm()
        ended = worker.run_until(reached, then_s, "run", stage.landing, "--lake", lake)
        if ended is not None:
            self._expect_success(lake, ended.exit_code, ended.errors)
            return None
        self._worker = None
        found = phase(lake)
        self.tally.kills[found] += 1
        return found

    def complete(self, stage: Stage, lake: Path, about: str) -> None:
        """Run to the end, and compare."""
        ended = self._warm().run("run", stage.landing, "--lake", lake)
        self._expect_success(lake, ended.exit_code, ended.errors)
        if ended.exit_code == 0:
            self.tally.problems += [f"{about}, {lake}: {problem}" for problem in differences(lake, stage.lake)]

    def _expect_success(self, lake: Path, exit_code: int, errors: str) -> None:
        if exit_code:
            self.tally.problems.append(f"{lake}: exit code {exit_code}: {errors}")

    def _warm(self) -> Worker:
        if self._worker is None:
            self._worker, self._next = self._next, Worker(self.folder)
        return self._worker

    def _take_problems(self) -> None:
        self.tally.problems += self.reader.problems
        self.reader.problems = []


def _moment(chance: random.Random, stage: Stage, lake: Path) -> tuple[Callable[[], bool], float]:
    """Any moment of the run; or just after something on the disk has grown, where that is quickly over."""
    if chance.random() < 0.5:
        return lambda: True, chance.uniform(0, stage.seconds) * chance.choice((0.3, 0.6, 1))
    measure, most = GROWING[chance.choice(list(GROWING))]
    by = 1 + int(most * chance.random() ** 2)  # mostly little: a run that goes on after a kill has less to do
    return grown(measure, lake, by), chance.uniform(0, _THEN_S) * chance.randint(0, 1)


def grown(measure: Callable[[Path], int], lake: Path, by: int) -> Callable[[], bool]:
    """Return a check whether a measure of the lake has grown by so much since this call."""
    begins = measure(lake)
    return lambda: measure(lake) >= begins + by


def torture(folder: Path, times: int, seed: int, progress: Progress) -> Tally:
    """So many kills, spread over as many lakes as it takes; ends with the first lake that is not as it should be."""
    task = progress.add_task("undisturbed", total=times)
    torturer = Torturer(folder)
    progress.update(task, description="kills")
    try:
        for trial_seed in count(seed):
            left = times - torturer.tally.kills.total()
            if left <= 0 or torturer.tally.problems:
                break
            progress.advance(task, torturer.trial(trial_seed, left))
            if not progress.console.is_terminal:  # a log shows no bar
                progress.console.print(f"seed {trial_seed}: {torturer.tally}", soft_wrap=True)
    except Hung as error:
        torturer.tally.problems.append(str(error))
    finally:
        torturer.close()
    return torturer.tally
