"""Pace of a table's day: time between events, pauses between rounds, and the bounds of the gaming day."""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from replay.simulator.nature import PACES
from replay.tape import I64

GAPS_MS: Final = {"dense": (100, 900), "sparse": (1500, 2500)}
LONGEST_MS: Final = 20_000  # between events that follow each other; what lasts longer is a break and stays as it is
_USUAL: Final = "usual"
_STRETCH: Final = (5, 30)  # rounds in which a mixed day has the same pace
_PAUSES: Final = (1, 2)
_PAUSE_MS: Final = (120_000, 360_000)
_BACK_MS: Final = (30_000, 90_000)  # from the beginning of a pause until a device is there again


class Pause(NamedTuple):
    """A break between two rounds in which a device restarts; nothing is logged meanwhile."""

    from_ms: int
    until_ms: int
    back_ms: int  # when the device is there again


def paced(ms: I64, rounds: I64, events: npt.NDArray[np.bool_], wanted: str, rng: np.random.Generator) -> I64:
    """Return other times for rows in order, at one of ``PACES``; what is no event happens with the event before."""
    assert wanted in PACES, wanted
    at = np.flatnonzero(events)
    paces = _paces(np.maximum.accumulate(rounds)[at[1:]], wanted, rng)
    gaps = np.diff(ms[at])
    for name, (least, most) in GAPS_MS.items():
        changed = (paces == name) & (gaps <= LONGEST_MS)
        gaps[changed] = rng.integers(least, most, int(changed.sum()), endpoint=True)
    times = ms[at[0]] + np.concatenate([[0], np.cumsum(gaps)])
    last = np.maximum(np.cumsum(events) - 1, 0)
    found: I64 = times[last]
    return found


def _paces(rounds: I64, wanted: str, rng: np.random.Generator) -> npt.NDArray[np.str_]:
    """Return the pace at every event, by the number of its round."""
    if wanted != "mixed":
        return np.full(len(rounds), wanted)
    every, names = int(rounds.max(initial=0)) + 1, [*GAPS_MS, _USUAL]
    lengths = rng.integers(*_STRETCH, every + 1, endpoint=True)
    stretches = np.repeat(np.arange(len(lengths)), lengths)[:every]
    # Each stretch has another pace than the one before it.
    which = np.cumsum(rng.integers(1, len(names), len(lengths))) % len(names)
    return np.array(names)[which[stretches[rounds]]]


def paused(ms: I64, rounds: I64, rng: np.random.Generator) -> tuple[I64, tuple[Pause, ...]]:
    """Return times with a break or two put between rounds, and the breaks."""
    numbers = np.unique(rounds[rounds > 1])
    count = min(int(rng.integers(*_PAUSES, endpoint=True)), len(numbers))
    ms, pauses = ms.copy(), []
    for number in np.sort(rng.choice(numbers, count, replace=False)):
        row = int(np.argmax(rounds == number))
        lasts, back = int(rng.integers(*_PAUSE_MS)), int(rng.integers(*_BACK_MS))
        ms[row:] += lasts
        began = int(ms[row - 1])
        pauses.append(Pause(began, int(ms[row]), began + back))
    return ms, tuple(pauses)


def fitted(ms: I64, pauses: tuple[Pause, ...], first_ms: int, last_ms: int) -> tuple[I64, tuple[Pause, ...]]:
    """Return times and pauses within the gaming day: begun earlier where they end too late, or hurried."""
    over, begins = int(ms[-1]) - last_ms, int(ms[ms >= first_ms][0])
    if over <= 0:
        return ms, pauses
    earlier = min(over, begins - first_ms)
    span, room = int(ms[-1]) - begins, last_ms - begins + earlier

    def fit(times: I64) -> I64:
        inside = begins - earlier + (times - begins) * min(room, span) // span
        found: I64 = np.where(times >= begins, inside, times)
        return found

    return fit(ms), tuple(Pause(*fit(np.array(pause)).tolist()) for pause in pauses)
