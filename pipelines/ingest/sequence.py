"""Findings about a device's sequence numbers: events that are missing or came twice."""

from typing import Final

import numpy as np
import numpy.typing as npt

from replay.finding import Finding

GAP: Final = "evidence.sequence-gap"
DUPLICATE: Final = "evidence.duplicate"

_MOST_SHOWN: Final = 12  # numbers or ranges of them

Numbers = npt.NDArray[np.int64]


def gap_finding(source: str, device: str, path: str, line: int, firsts: Numbers, lasts: Numbers) -> Finding:
    """Events that are missing, as ranges of their numbers."""
    count, ranges = int((lasts - firsts + 1).sum()), _shown(firsts, lasts)
    return _finding(GAP, source, device, path, line, count, ranges)


def duplicate_finding(source: str, device: str, path: str, line: int, seqs: Numbers) -> Finding:
    """Events that came twice, by their numbers in ascending order."""
    begins = np.flatnonzero(np.diff(seqs, prepend=seqs[0] - 2) != 1)
    ends = np.append(begins[1:], len(seqs)) - 1
    count, ranges = len(seqs), _shown(seqs[begins], seqs[ends])
    return _finding(DUPLICATE, source, device, path, line, count, ranges)


def _finding(code: str, source: str, device: str, path: str, line: int, count: int, ranges: str) -> Finding:
    said = {"count": count, "ranges": ranges, "device": device}
    return Finding(code=code, device=f"{source} {device}".rstrip(), path=path, line=line, said=said)


def _shown(firsts: Numbers, lasts: Numbers) -> str:
    pairs = zip(firsts[:_MOST_SHOWN].tolist(), lasts[:_MOST_SHOWN].tolist(), strict=True)
    shown = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in pairs)
    more = int((lasts[_MOST_SHOWN:] - firsts[_MOST_SHOWN:] + 1).sum())
    return f"{shown} and {more} more" if more else shown
