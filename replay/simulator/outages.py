"""Minutes of a day that a device's lines are lost from: their numbers jump, and rounds are blind."""

from bisect import bisect_right
from collections.abc import Sequence
from random import Random
from typing import Final

import numpy as np
import numpy.typing as npt

from replay.simulator import landing
from replay.simulator.nature import NatureError, PlannedOutage
from replay.simulator.plant.evidence import Material
from replay.simulator.truth import OddRound
from replay.tape import I64

_MINUTE_MS: Final = 60_000
_TRIES: Final = 500


def lose(material: Material, wanted: Sequence[PlannedOutage], rng: Random) -> list[OddRound]:
    """Lose lines of a table's day, note the findings about them, and return the rounds that lost a line."""
    odd: list[OddRound] = []
    for device in dict.fromkeys(outage.device for outage in wanted):
        times = [outage.minutes for outage in wanted if outage.device == device for _ in range(outage.times)]
        if not times or device not in material.sources():
            continue
        ms, rounds = material.logged(device)
        lost = np.zeros(len(ms), np.bool_)
        for minutes in times:
            _lose_once(lost, ms, minutes, rng, f"{device} at {material.names.table} on {material.day}")
        blind = np.unique(rounds[lost & (rounds > 0)]).tolist()
        odd += [OddRound(number, f"blind:{device}") for number in blind]
        material.used |= set(blind)
        material.lost[device] = set(np.flatnonzero(lost).tolist())
        material.found("evidence.sequence-gap", material.path(device, _first_part(lost, material.form.parts)))
    return odd


def _lose_once(lost: npt.NDArray[np.bool_], ms: I64, minutes: float, rng: Random, where: str) -> None:
    """Lose some minutes' lines, not the first nor the last, with lines left before and after every outage."""
    lasts = round(minutes * _MINUTE_MS)
    for _ in range(_TRIES if len(ms) > 2 else 0):
        at = rng.randrange(1, len(ms) - 1)
        begins = rng.randint(min(int(ms[at - 1]) + 1, int(ms[at])), int(ms[at]))
        end = int(np.searchsorted(ms, begins + lasts))
        if at < end < len(ms) and not lost[at - 1 : end + 1].any():
            lost[at:end] = True
            return
    raise NatureError(f"--outage: {minutes:g} minutes do not fit into the lines of the {where}; play more rounds")


def _first_part(lost: npt.NDArray[np.bool_], parts: int) -> int:
    """Return the part in which the first gap shows: where the line after it stands."""
    first = int(np.argmax(lost))
    after = first + int(np.argmin(lost[first:]))
    return bisect_right(landing.first_lines(len(lost), parts), after) - 1
