"""Clocks that are worse than usual: offsets, drift, late stamps, steps and restarts."""

from random import Random
from typing import Final, NamedTuple

import numpy as np

from replay.simulator.clocks import ClockStep, SimulatedClock, TableClocks
from replay.simulator.pace import Pause
from replay.tape import I64

MOST_OFFSET_MS: Final = 29_000  # of any clock, drift and steps included: late stamps stay within the 30 s tolerated
MOST_DRIFT_PPM: Final = 100.0
MOST_JITTER_MS: Final = 300
STEP_MS: Final = (3_000, 10_000)
_LEAST_RESTART_MS: Final = 3_000  # that a restarted clock is off from before
_SETTLES_MS: Final = 1_500  # after an event before a clock steps back: no line is stamped late into the step


class Traits(NamedTuple):
    """Faults of a clock."""

    offset_ms: int = MOST_OFFSET_MS
    drift_ppm: float = 0.0
    jitter_ms: int = 0
    steps: int = 0  # at most
    restarts: bool = False


MODES: Final = {
    "mild": Traits(drift_ppm=20.0, jitter_ms=100),
    "offset": Traits(),
    "drift": Traits(drift_ppm=MOST_DRIFT_PPM),
    "jitter": Traits(drift_ppm=MOST_DRIFT_PPM, jitter_ms=MOST_JITTER_MS),
    "step": Traits(drift_ppm=MOST_DRIFT_PPM, jitter_ms=MOST_JITTER_MS, steps=3),
    "restart": Traits(drift_ppm=MOST_DRIFT_PPM, jitter_ms=MOST_JITTER_MS, restarts=True),
    "hostile": Traits(drift_ppm=MOST_DRIFT_PPM, jitter_ms=MOST_JITTER_MS, steps=3, restarts=True),
}
_REFERENCE: Final = {"hostile": Traits(offset_ms=0, jitter_ms=MOST_JITTER_MS, steps=2)}


class LineTimes(NamedTuple):
    """Times of a table's lines by device, in milliseconds of true time."""

    terminal: I64
    shoe: I64
    camera: I64


def make(mode: str, usual: TableClocks, lines: LineTimes, pauses: tuple[Pause, ...], seed: str) -> TableClocks:
    """Return a table's clocks for a day; the terminal's is the reference, and wrong only in a hostile day."""
    rng = Random(seed)
    restarts: dict[str, list[Pause]] = {"shoe": [], "camera": []}
    for n, pause in enumerate(pauses):
        restarts["shoe" if n == 0 else rng.choice(("shoe", "camera"))].append(pause)
    exact = Traits(offset_ms=0)
    return usual._replace(
        terminal=_clock(_REFERENCE.get(mode, exact), usual, lines.terminal, [], rng),
        shoe=_clock(MODES[mode], usual, lines.shoe, restarts["shoe"], rng),
        camera=_clock(MODES[mode], usual, lines.camera, restarts["camera"], rng),
    )


def _clock(traits: Traits, usual: TableClocks, lines: I64, pauses: list[Pause], rng: Random) -> SimulatedClock:
    """Return a clock with those traits: evenly running at first, then stepped and restarted in the order of time."""
    drift = round(rng.uniform(-traits.drift_ppm, traits.drift_ppm), 2)
    clock = SimulatedClock(0, drift, (), traits.jitter_ms, rng.getrandbits(32))
    day = _Day(lines, usual.day_starts_ms)
    if traits.offset_ms:
        clock = clock._replace(offset_ms=rng.randint(*day.permitted(clock, usual.day_starts_ms)))
    count = rng.randint(1, traits.steps) if traits.steps else 0
    moments = [(rng.randint(int(lines[0]), int(lines[-1])), False) for _ in range(count)]
    moments = sorted(each for each in moments if not any(p.from_ms <= each[0] <= p.until_ms for p in pauses))
    moments = sorted([*moments, *((pause.back_ms, True) for pause in pauses if traits.restarts)])
    for n, (moment, restarts) in enumerate(moments):
        until = next((later for later, other in moments[n + 1 :] if other), int(lines[-1]))
        step = day.restart(clock, moment, rng) if restarts else day.step(clock, moment, until, rng)
        clock = clock if step is None else clock._replace(steps=(*clock.steps, step))
    return clock


class _Day(NamedTuple):
    """A device's day: when it logs something, and when the gaming day started."""

    lines: I64
    starts_ms: int

    def offset(self, clock: SimulatedClock, ms: int) -> int:
        """Return how far a clock is off at a moment."""
        return int(clock.shows(np.array([ms]), self.starts_ms)[0]) - ms

    def permitted(self, clock: SimulatedClock, ms: int) -> tuple[int, int]:
        """Return the least and greatest offset at a moment with which the clock is never off by too much later on."""
        gains = round(clock.drift_ppm * (int(self.lines[-1]) - ms) / 1e6)
        return -MOST_OFFSET_MS - min(0, gains), MOST_OFFSET_MS - max(0, gains)

    def restart(self, clock: SimulatedClock, ms: int, rng: Random) -> ClockStep:
        """Return the step of a device that comes back with another offset."""
        now, (least, most) = self.offset(clock, ms), self.permitted(clock, ms)
        near = (now - _LEAST_RESTART_MS, now + _LEAST_RESTART_MS)
        offset = rng.choice([each for each in range(least, most + 1, 100) if not near[0] < each < near[1]])
        return ClockStep(ms, offset - now)

    def step(self, clock: SimulatedClock, ms: int, until_ms: int, rng: Random) -> ClockStep | None:
        """Return a step near a moment and before another, None where neither direction is possible."""
        size = rng.randint(*STEP_MS)
        since = clock.steps[-1].at_ms if clock.steps else 0
        for by in rng.sample((-size, size), 2):
            at: int | None = max(ms, since + 1)
            if by < 0:
                at = self.quiet(size, ms, since, until_ms)
            if at is None:
                continue
            least, most = self.permitted(clock, at)
            if least <= self.offset(clock, at) + by <= most:
                return ClockStep(at, by)
        return None

    def quiet(self, size: int, near_ms: int, since_ms: int, until_ms: int) -> int | None:
        """Return a moment at which the clock can be put back without any stamp before the last; None without one."""
        before, after = self.lines[:-1], self.lines[1:]
        fits = (after - before > size + _SETTLES_MS) & (before > since_ms) & (after < until_ms)
        if not fits.any():
            return None
        nearest = before[fits][np.argmin(np.abs(before[fits] - near_ms))]
        return int(nearest) + _SETTLES_MS
