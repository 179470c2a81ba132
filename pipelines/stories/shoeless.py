"""Rounds whose cards the shoe does not tell: from the camera where it saw them, else undetermined."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from pipelines.align.align import Alignment
from pipelines.align.ordered import InferredLines, OrderedLines
from pipelines.stories.camera_draws import draws_from_camera
from replay.columns import ABSENT, CAMERA, I64, SEED_OF, SHOE, TERMINAL, TYPE_OF, Columns, Lines, Mask
from replay.outages import Outage, outages

_DRAW: Final = TYPE_OF["draw"]
_LOADED: Final = TYPE_OF["shoe_loaded"]
LOST_CARDS: Final = "cards are missing from what the shoe sent"
LOST_EVENTS: Final = "events are missing from what the terminal sent"
HALF_SEEN: Final = "the camera did not see every card, or not in which order"


@dataclass(frozen=True)
class Shown:
    """A table's lines with all cards that any source shows, as they happened."""

    ordered: OrderedLines
    lost: frozenset[str]  # rounds in or beside which lines of the terminal are missing
    shoeless: frozenset[str]  # rounds whose cards the shoe does not tell
    by_camera: frozenset[str]  # ... and the camera does
    doubt: dict[str, str]

    def cards_from(self, rounds: Iterable[str]) -> list[str | None]:
        """The source that tells the cards of each round; none where no source does."""
        other = {name: "camera" if name in self.by_camera else None for name in self.shoeless}
        return [other.get(name, "shoe") for name in rounds]

    def doubts(self, rounds: Iterable[str]) -> list[str | None]:
        return [self.doubt.get(name) for name in rounds]

    def evidence(self, rounds: Iterable[str], seen: Collection[int]) -> list[str]:
        """Name the sources of each round; ``seen`` has the numbers of rounds with sightings."""
        found = []
        for number, name in enumerate(rounds):
            shoe = "" if name in self.shoeless else "+shoe"
            found.append(f"terminal{shoe}{'+camera' if number in seen else ''}")
        return found


def complete(lines: Lines, aligned: Alignment) -> Shown:
    """The lines as aligned, with the camera's cards where the shoe's are missing."""
    shoeless: list[int] = _shoeless(lines.columns, aligned).tolist()
    doubt = {name: why for name, why in zip(aligned.rounds, aligned.doubt, strict=True) if why}
    silences = outages(lines, aligned.order, aligned.corrected)
    lost = frozenset(aligned.rounds[number] for number in _gaps(lines.columns, aligned, silences))
    doubt |= dict.fromkeys(lost, LOST_EVENTS)
    has_shoe = bool((lines.columns.source == SHOE).any())
    doubt |= {aligned.rounds[number]: LOST_CARDS for number in shoeless if has_shoe}
    names = frozenset(aligned.rounds[number] for number in shoeless)
    ordered = OrderedLines(lines, aligned.order, aligned.corrected)
    if not shoeless or not (lines.columns.source == CAMERA).any():
        return Shown(ordered, lost, names, frozenset(), doubt)
    drawn = draws_from_camera(_sightings(lines, aligned), pl.DataFrame({"table": "", "round": sorted(names)}))
    doubt |= dict.fromkeys(drawn.filter(~pl.col("sure"))["round"].to_list(), HALF_SEEN)
    by_camera = frozenset(drawn["round"].to_list())
    return Shown(_filled(ordered, aligned, drawn, by_camera), lost, names, by_camera, doubt)


def _shoeless(columns: Columns, aligned: Alignment) -> I64:
    """Rounds that lack cards: all without a shoe, those around cards that are lost, those before and after it spoke."""
    every = np.arange(len(aligned.rounds))
    shoe = np.flatnonzero(columns.source == SHOE)
    if not len(shoe):
        return every
    draws = aligned.order[columns.type[aligned.order] == _DRAW]
    numbers = aligned.round[draws]
    lacking = np.zeros(len(every) + 1, np.bool_)
    begun = np.maximum.accumulate(np.where(numbers >= 0, numbers, -1)) if len(draws) else numbers
    for before, after in _lost(columns, draws):
        first = begun[before] if before >= 0 else 0
        last = numbers[after] if numbers[after] >= 0 else begun[after]
        lacking[max(first, 0) : last + 1] = True
    lacking[:-1] |= _unheard(columns, aligned, shoe) & ~np.isin(every, numbers)
    lacking[:-1] |= _silent(np.isin(every, numbers))
    return np.flatnonzero(lacking[:-1])


def _silent(drawn: Mask) -> Mask:
    """Mark rounds without a single card, and those beside several of them: their cards may have been lost, too."""
    none = ~drawn
    several = none & (np.append(none[1:], False) | np.append(False, none[:-1]))
    beside: Mask = none | np.append(several[1:], False) | np.append(False, several[:-1])
    return beside


def _unheard(columns: Columns, aligned: Alignment, shoe: I64) -> Mask:
    """Rounds that were over before the shoe's first line or began after its last."""
    terminal = np.flatnonzero((aligned.round >= 0) & (columns.source == TERMINAL))
    numbers, times, spoke = aligned.round[terminal], aligned.corrected[terminal], aligned.corrected[shoe]
    began, over = (np.full(len(aligned.rounds), edge) for edge in (1 << 62, -(1 << 62)))
    np.minimum.at(began, numbers, times)
    np.maximum.at(over, numbers, times)
    unheard: Mask = (over < spoke.min()) | (began > spoke.max())
    return unheard


def _lost(columns: Columns, draws: I64) -> list[tuple[int, int]]:
    """Places in the draws between which cards are missing, by their ordinals in the shoe."""
    shoe, n = columns.text("shoe")[draws], columns.number("n")[draws]
    if not len(draws):
        return []
    is_new = np.append(True, shoe[1:] != shoe[:-1])
    jumps = np.append(False, (n[1:] != n[:-1] + 1) & ~is_new[1:])
    loaded = np.isin(shoe, columns.text("shoe")[columns.type == _LOADED])
    starts = is_new & (n != 1) & (loaded | (np.arange(len(draws)) > 0))
    return [(place - 1, place) for place in np.flatnonzero(jumps | starts).tolist()]


def _gaps(columns: Columns, aligned: Alignment, silences: list[Outage]) -> list[int]:
    """Rounds in or beside which terminal lines are missing."""
    rows = np.flatnonzero(columns.source == TERMINAL)
    seq, stream = columns.number("seq")[rows], columns.stream[rows]
    gaps = np.flatnonzero((np.diff(seq) > 1) & (np.diff(stream) == 0))
    silent = [row for each in silences if each.source == TERMINAL for row in (each.before, each.after)]
    beside = np.unique(aligned.round[np.concatenate([rows[gaps], rows[gaps + 1], silent]).astype(np.int64)])
    found: list[int] = beside[beside >= 0].tolist()
    return found


def _sightings(lines: Lines, aligned: Alignment) -> pl.DataFrame:
    rows = np.flatnonzero((lines.columns.source == CAMERA) & (aligned.round >= 0))
    rows = rows[_by_one_camera(lines.columns.stream[rows], aligned.round[rows])]
    c, words = lines.columns.take(rows), np.array(lines.words, object)
    until = c.number("until")
    shift = aligned.corrected[rows] - c.number("ts")
    return pl.DataFrame(
        {
            "table": np.full(len(rows), ""),
            "round": [aligned.rounds[number] for number in aligned.round[rows].tolist()],
            "seq": c.number("seq"),
            "zone": words[c.text("zone")].tolist(),
            "order": c.number("order"),
            "face": words[c.text("face")].tolist(),
            "card": [word or None for word in words[c.text("card")].tolist()],
            "ms": aligned.corrected[rows],
            "until_ms": np.where(until == ABSENT, aligned.corrected[rows], until + shift),
        },
        schema_overrides={"order": pl.Int16, **dict.fromkeys(("table", "round", "zone", "face", "card"), pl.String)},
    )


def _by_one_camera(camera: npt.NDArray[np.int32], number: I64) -> Mask:
    """Sightings of the camera that has most of their round: where two look on, every card is seen twice."""
    pairs, which, count = np.unique(np.stack([number, camera]), axis=1, return_inverse=True, return_counts=True)
    by_round = np.lexsort((-count, pairs[0]))
    is_first = np.diff(pairs[0][by_round], prepend=-1) != 0
    chosen = np.zeros(len(count), np.bool_)
    chosen[by_round[is_first]] = True
    found: Mask = chosen[which]
    return found


def _filled(ordered: OrderedLines, aligned: Alignment, drawn: pl.DataFrame, by_camera: frozenset[str]) -> OrderedLines:
    """Replace the shoe's draws of these rounds with inferred lines for the camera's cards."""
    order, ms = ordered.order, drawn["ms"].to_numpy()
    replaced = np.array([name in by_camera for name in aligned.rounds] + [False])
    kept = order[~((ordered.lines.columns.type[order] == _DRAW) & replaced[aligned.round[order]])]
    times = np.maximum.accumulate(aligned.corrected[kept]) if len(kept) else aligned.corrected[kept]
    inferred = InferredLines(_draws(drawn["card"].to_list(), ms), ms, np.searchsorted(times, ms, "right"))
    return ordered._replace(order=kept).insert(inferred)


def _draws(cards: list[str | None], ms: I64) -> Columns:
    """The camera's cards as draws; one that was not read has no name."""
    columns = Columns.blank(len(cards))
    columns.source[:], columns.type[:] = CAMERA, _DRAW
    columns.number("ts")[:] = ms
    columns.text("card")[:] = [SEED_OF[card or ""] for card in cards]
    return columns
