"""A camera's clock, worked out from the cards that it saw and when the same cards were drawn."""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from pipelines.align import votes
from pipelines.align.clock import Clock, Piece, joined
from pipelines.align.track import BIN_MS, Window, nearest, window
from replay.columns import I64, SEED_OF, Columns

_SEEN_WITHIN_MS: Final = 400  # from a card's draw to its sighting
_SIGHTINGS: Final = 200  # of a window
_MATCH_MS: Final = 1_000
_SPLIT_ZONE: Final = re.compile(r"seat\d+\.hand(?!1$)\d+")
_FIRST: Final = 0.05  # share of sightings that are sooner than any should be


def fit(seen: I64, seen_card: I64, drawn: I64, drawn_card: I64) -> Clock | None:
    """Fit the clock by times and words of sightings and draws, sightings in the order of time; None without any.

    A card is seen after it is drawn, so each piece runs along the soonest sightings.
    """
    known = seen_card > 0
    since, until = (int(seen[0]), int(seen[-1]) + 1) if len(seen) else (0, 1)
    seen, seen_card = seen[known], seen_card[known]
    if not len(seen) or not len(drawn):
        return None
    by_card = np.lexsort((drawn, drawn_card))
    drawn, drawn_card = drawn[by_card], drawn_card[by_card]
    track = nearest(lambda reach: _windows(seen, seen_card, drawn, drawn_card, reach))
    groups = np.arange(len(seen)) // _SIGHTINGS
    rough = track.offsets[groups]
    late = np.empty(len(seen), np.int64)
    votes.nearest(seen - rough, seen_card, drawn, drawn_card, late)
    begins = np.flatnonzero(np.append(True, track.steps[groups][1:] & (np.diff(groups) > 0)))
    pieces = []
    for first, last in zip(begins.tolist(), [*begins[1:].tolist(), len(seen)], strict=True):
        edge = since if first == 0 else int(seen[first])
        pieces.append(_piece(seen[first:last], rough[first:last], late[first:last], edge, until))
    return Clock(joined(pieces), track.sure)


def _windows(seen: I64, seen_card: I64, drawn: I64, drawn_card: I64, reach: int) -> list[Window]:
    """Let windows of some sightings each vote for offsets."""
    wide = _SEEN_WITHIN_MS // BIN_MS
    windows = []
    for n in range(0, len(seen), _SIGHTINGS):
        part = slice(n, n + _SIGHTINGS)
        tally = np.zeros(2 * reach // BIN_MS + 1, np.int64)
        votes.matches(seen[part], seen_card[part], drawn, drawn_card, reach, BIN_MS, tally)
        total = np.cumsum(np.append(tally, np.zeros(wide, np.int64)))
        within = total[wide:] - np.append(np.zeros(1, np.int64), total)[: len(tally)]
        windows.append(window(int(seen[part][len(seen[part]) // 2]), within, len(seen[part]), len(seen[part])))
    return windows


def _piece(seen: I64, rough: I64, late: I64, since: int, until: int) -> Piece:
    """Lay a piece along the soonest sightings."""
    matched = np.abs(late) <= _MATCH_MS
    offset = (rough + late)[matched]
    if not len(offset):
        return Piece(since, until, float(np.median(rough)), 0.0, _MATCH_MS, 0, len(seen))
    at = (seen[matched] - since).astype(np.float64)
    drift = float(np.polyfit(at, offset, 1)[0]) if len(at) > _SIGHTINGS // 10 and np.ptp(at) > 0 else 0.0
    level = float(np.quantile(offset - drift * at, _FIRST))
    return Piece(since, until, level, drift, _SEEN_WITHIN_MS // 2, int(matched.sum()), int((~matched).sum()))


def laid(columns: Columns, rows: I64, words: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Mark sightings that show a card just drawn, for want of a shoe: not one that a split moved or that was turned."""
    zone, order = columns.text("zone")[rows], columns.number("order")[rows]
    up = columns.text("face")[rows] == SEED_OF["up"]
    split_zones = [word for word in np.unique(zone).tolist() if _SPLIT_ZONE.fullmatch(words[word])]
    again = np.isin(zone, split_zones) & (order == 1)
    by_place = np.lexsort((np.arange(len(rows)), order, zone))
    same = (np.diff(zone[by_place]) == 0) & (np.diff(order[by_place]) == 0)
    again[by_place[1:]] |= same & up[by_place[1:]] & ~up[by_place[:-1]]
    fresh: npt.NDArray[np.bool_] = ~again
    return fresh
