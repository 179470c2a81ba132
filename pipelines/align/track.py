"""A clock's offset through the day, roughly: the path through what short windows of the day vote for."""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pipelines.align import votes
from replay.columns import I64

NEAR_MS: Final = 60_000  # how far off a clock is looked for first
FAR_MS: Final = 900_000  # and where it is not found there
MOST_DRIFT: Final = 200e-6  # of a clock that is not broken
BIN_MS: Final = 20
_FAR_GAIN: Final = 0.1  # more of the facts that an offset far away has to explain
_APART_MS: Final = 1_500  # offsets that far apart are different ones
_PEAKS: Final = 4  # offsets considered in each window
_ROUGH_MS: Final = 600  # how far a window's vote may miss
_STEP_PRICE: Final = 0.2  # share of a window's facts that a step has to win
_ENOUGH: Final = 0.5  # share of the facts that a clock has to agree with
_PLAIN: Final = 0.8  # share from which nobody looks further away


class Window(NamedTuple):
    """A short stretch of the day: the offsets that agree with most of its facts."""

    at_ms: int
    lows: I64  # from here
    highs: I64  # to here
    agree: I64  # facts that these offsets agree with
    facts: int
    size: int  # rounds or sightings in it


class Track(NamedTuple):
    """An offset for each window, and the share of all facts that they agree with."""

    offsets: I64
    steps: npt.NDArray[np.bool_]  # by window: whether the clock stepped before it
    sizes: I64  # by window: its rounds or sightings
    share: float  # of all facts that hold, less what steps cost

    @property
    def sure(self) -> bool:
        """Whether it agrees with enough."""
        return self.share >= _ENOUGH


def window(at_ms: int, tally: I64, facts: int, size: int) -> Window:
    """Find the offsets that most facts of a window agree with; changes ``tally``."""
    lows, highs, heights = (np.zeros(_PEAKS, np.int64) for _ in range(3))
    zero = (len(tally) - 1) // 2
    votes.peaks(tally, zero, _APART_MS // BIN_MS, lows, highs, heights)
    return Window(at_ms, (lows - zero) * BIN_MS, (highs + 1 - zero) * BIN_MS, heights, facts, size)


def nearest(at: Callable[[int], list[Window]]) -> Track:
    """Follow an offset through windows that are looked for near zero or, if that explains little, far away."""
    near = follow(at(NEAR_MS))
    if near.share >= _PLAIN:
        return near
    far = follow(at(FAR_MS))
    return far if far.share > near.share + _FAR_GAIN else near


def follow(windows: list[Window]) -> Track:
    """Choose an offset for each window so that most facts hold with few steps (Viterbi's algorithm)."""
    total = np.array([window.agree for window in windows], np.float64)
    lows, highs = (np.array([getattr(window, name) for window in windows]) for name in ("lows", "highs"))
    came_from = np.zeros(lows.shape, np.int64)
    for n in range(1, len(windows)):
        passed = windows[n].at_ms - windows[n - 1].at_ms
        apart = np.maximum(lows[n][:, None] - highs[n - 1], lows[n - 1] - highs[n][:, None])
        steps = apart > _ROUGH_MS + MOST_DRIFT * passed
        price = _STEP_PRICE * (windows[n].facts + windows[n - 1].facts)
        scores = total[n - 1] - np.where(steps, price, np.maximum(apart, 0) / (10 * _ROUGH_MS))
        came_from[n] = scores.argmax(axis=1)
        total[n] += scores.max(axis=1)
    chosen = np.empty(len(windows), np.int64)
    chosen[-1] = int(total[-1].argmax())
    for n in range(len(windows) - 1, 0, -1):
        chosen[n - 1] = came_from[n, chosen[n]]
    rows = np.arange(len(windows))
    low, high = lows[rows, chosen], highs[rows, chosen]
    gaps = np.diff([window.at_ms for window in windows])
    apart = np.maximum(low[1:] - high[:-1], low[:-1] - high[1:])
    steps = np.append(False, apart > _ROUGH_MS + MOST_DRIFT * gaps)
    facts = max(1, sum(window.facts for window in windows))
    sizes = np.array([window.size for window in windows])
    return Track((low + high) // 2, steps, sizes, float(total[-1].max()) / facts)
