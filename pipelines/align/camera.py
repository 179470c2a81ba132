"""How far a camera's clock is ahead: by the cards that it saw, against the same cards as they were drawn."""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from pipelines.align import votes
from pipelines.align.fit import FAR_MS, NEAR_MS, Fit, Line, Stretch, agree, through
from replay.columns import I64, SEED_OF, Columns

_BIN_MS: Final = 100
_LATEST_MS: Final = 400  # from a card's draw to its sighting
_PER_STRETCH: Final = 300
_MOST_STRETCHES: Final = 16
_MATCH_MS: Final = 1_000
_SPLIT_ZONE: Final = re.compile(r"seat\d+\.hand(?!1$)\d+")
_FIRST: Final = 0.05  # share of sightings that are sooner than any should be


def fit_cards(seen: I64, seen_card: I64, drawn: I64, drawn_card: I64) -> Fit | None:
    """The clock by cards: times and words of sightings and draws, each in the order of time.

    A card is seen after it is drawn, so the line runs along the soonest sightings.
    """
    known = seen_card > 0
    seen, seen_card = seen[known], seen_card[known]
    if not len(seen) or not len(drawn):
        return None
    by_card = np.lexsort((drawn, drawn_card))
    drawn, drawn_card = drawn[by_card], drawn_card[by_card]
    found = _stretches(seen, seen_card, drawn, drawn_card, NEAR_MS)
    if not agree(found):
        found = _stretches(seen, seen_card, drawn, drawn_card, FAR_MS)
    firm = [stretch for stretch in found if stretch.is_firm()] or found
    line = through(firm, int(seen[0]), _LATEST_MS)
    line, support = _refined(line, seen, seen_card, drawn, drawn_card)
    agreeing = sum(stretch.off_ms(line) == 0 for stretch in firm if stretch.is_firm())
    return Fit(line, _LATEST_MS, _LATEST_MS, found, support, agreeing > 0 and 2 * agreeing >= len(firm))


def _stretches(seen: I64, seen_card: I64, drawn: I64, drawn_card: I64, reach: int) -> list[Stretch]:
    step = max(_PER_STRETCH, -(-len(seen) // _MOST_STRETCHES))
    return [
        _stretch(seen[n : n + _PER_STRETCH], seen_card[n : n + _PER_STRETCH], drawn, drawn_card, reach)
        for n in range(0, len(seen), step)
    ]


def _stretch(seen: I64, seen_card: I64, drawn: I64, drawn_card: I64, reach: int) -> Stretch:
    """The reading at which most cards were seen within the usual time."""
    wide = _LATEST_MS // _BIN_MS
    tally = np.zeros(2 * reach // _BIN_MS + 1, np.int64)
    votes.matches(seen, seen_card, drawn, drawn_card, reach, _BIN_MS, tally)
    total = np.concatenate([[0], np.cumsum(tally)])
    within = total[wide:] - total[:-wide]
    best = int(np.argmax(within))
    ahead = best * _BIN_MS - reach
    apart = np.abs(np.arange(len(within)) - best) > 2 * wide
    return Stretch(
        first_round=-1,
        last_round=-1,
        at_ms=int(seen[0] + seen[-1]) // 2 - ahead,
        low_ms=ahead - _LATEST_MS // 2,
        high_ms=ahead + _LATEST_MS // 2,
        least_ms=ahead - _LATEST_MS // 2,
        most_ms=ahead + _LATEST_MS // 2,
        votes=int(within[best]),
        elsewhere=int(within[apart].max(initial=0)),
        spans=len(seen),
        selective=len(seen),
    )


def _refined(line: Line, seen: I64, seen_card: I64, drawn: I64, drawn_card: I64) -> tuple[Line, int]:
    """The line along the soonest sightings, and how many it rests on."""
    late = np.empty(len(seen), np.int64)
    votes.nearest(seen - line.at(seen), seen_card, drawn, drawn_card, late)
    matched = np.abs(late) <= _MATCH_MS
    if not matched.any():
        return line, 0
    mid = int(seen[0] + seen[-1]) // 2
    turned = line
    if matched.sum() > _PER_STRETCH // 10:
        at = (seen[matched] - mid).astype(np.float64)
        drift, _ = np.polyfit(at, late[matched], 1) if np.ptp(at) > 0 else (0.0, 0.0)
        turned = line.turned(mid, 0.0, float(drift))
    rest = late[matched] + line.at(seen[matched]) - turned.at(seen[matched])
    return turned.turned(mid, float(np.quantile(rest, _FIRST)), 0.0), int(matched.sum())


def laid(columns: Columns, rows: I64, words: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Which sightings show a card just drawn, for want of a shoe: not one that a split moved or that was turned."""
    zone, order = columns.text("zone")[rows], columns.number("order")[rows]
    up = columns.text("face")[rows] == SEED_OF["up"]
    split_zones = [word for word in np.unique(zone).tolist() if _SPLIT_ZONE.fullmatch(words[word])]
    again = np.isin(zone, split_zones) & (order == 1)
    by_place = np.lexsort((np.arange(len(rows)), order, zone))
    same = (np.diff(zone[by_place]) == 0) & (np.diff(order[by_place]) == 0)
    again[by_place[1:]] |= same & up[by_place[1:]] & ~up[by_place[:-1]]
    fresh: npt.NDArray[np.bool_] = ~again
    return fresh
