"""What the numbers of a device's lines tell: events that are missing, or that came twice."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

GAP: Final = "evidence.sequence-gap"
DUPLICATE: Final = "evidence.duplicate"

_MOST_SHOWN: Final = 12  # numbers or ranges of them

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, order=True)
class Note:
    """One per code, source and device: where it first shows, how many events it is about, and which."""

    code: str
    source: str
    device: str  # empty where lines name none
    path: str
    line: int  # the one after the gap, or the one that came again
    count: int
    ranges: str  # of ``seq``
    message: str


def gap_note(source: str, device: str, path: str, line: int, firsts: Numbers, lasts: Numbers) -> Note:
    """Events that are missing, as ranges of their numbers."""
    count, ranges = int((lasts - firsts + 1).sum()), _shown(firsts, lasts)
    said = f"{count} events are missing: {ranges}" if count > 1 else f"1 event is missing: {ranges}"
    return Note(GAP, source, device, path, line, count, ranges, said + _of(device))


def duplicate_note(source: str, device: str, path: str, line: int, seqs: Numbers) -> Note:
    """Events that came twice, by their numbers in ascending order."""
    begins = np.flatnonzero(np.diff(seqs, prepend=seqs[0] - 2) != 1)
    ends = np.append(begins[1:], len(seqs)) - 1
    count, ranges = len(seqs), _shown(seqs[begins], seqs[ends])
    said = f"{count} events came more than once: {ranges}" if count > 1 else f"1 event came more than once: {ranges}"
    return Note(DUPLICATE, source, device, path, line, count, ranges, said + _of(device))


def _of(device: str) -> str:
    return f" (device {device})" if device else ""


def _shown(firsts: Numbers, lasts: Numbers) -> str:
    pairs = zip(firsts[:_MOST_SHOWN].tolist(), lasts[:_MOST_SHOWN].tolist(), strict=True)
    shown = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in pairs)
    more = int((lasts[_MOST_SHOWN:] - firsts[_MOST_SHOWN:] + 1).sum())
    return f"{shown} and {more} more" if more else shown
