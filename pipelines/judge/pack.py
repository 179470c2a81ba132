"""Numbers into the buffers of Arrow columns: values, and a bit for each that says whether it is there."""

import numpy as np
import numpy.typing as npt

from replay.columns import I32, I64, U8
from replay.compiled import entry

Place = npt.NDArray[np.int32]


@entry
def pick(numbers: I32, none: int, place: Place, picked: Place, valid: U8) -> int:
    """Renumber what occurs, from 0 in the order of numbers: into ``place`` by number and ``picked`` by row.

    Returns how many rows have nothing; -1 in ``place`` is a number that does not occur.
    """
    place[:] = -1
    absent = 0
    for row in range(len(numbers)):
        if numbers[row] == none:
            absent += 1
        else:
            place[numbers[row]] = 0
    if absent == len(numbers):
        return absent
    used = 0
    for number in range(len(place)):
        if place[number] == 0:
            place[number] = used
            used += 1
    for row in range(len(numbers)):
        if numbers[row] != none:
            picked[row] = place[numbers[row]]
            valid[row >> 3] |= 1 << (row & 7)
    return absent


@entry
def present(numbers: I64, none: int, valid: U8) -> int:
    """Set a bit for each number that is there; returns how many are not."""
    absent = 0
    for row in range(len(numbers)):
        if numbers[row] == none:
            absent += 1
        else:
            valid[row >> 3] |= 1 << (row & 7)
    return absent
