"""A round's lines in the order of another of its stories, for stepping through what else may have happened."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl

from replay import narrative
from replay.columns import I64
from replay.narrative import Considered
from warehouse.rounds.order import StoredLines, supposed_lines
from warehouse.rounds.place import Place, RoundError

F64 = npt.NDArray[np.float64]

_NEXT: Final = 1e-4  # from one line to the one behind it, where places in the order are whole numbers


def considered(place: Place) -> Considered:
    """Read the explanations that were considered for a round."""
    is_ambiguous = "evidence.ambiguous" in place.of_round("findings")["code"]
    return narrative.considered(place.of_round("stories").to_dicts(), is_ambiguous)


def find_story(place: Place, rank: int) -> dict[str, Any]:
    """Read one of a round's stories."""
    told = place.of_round("stories").sort("rank").to_dicts()
    for story in told:
        if story["rank"] == rank:
            return story
    there = f"there are 1 to {len(told)}" if told else "it did not have to be inferred"
    raise RoundError(f"{place.round_id} has no explanation {rank}; {there}")


def as_told(lines: StoredLines, place: Place, story: dict[str, Any]) -> StoredLines:
    """Put a round's lines into the order of one of its stories, with the line that it supposes."""
    own = lines.order[np.array(story["order"]) - 1]
    keys = lines.place.astype(float)
    _take_out(lines, place, own, keys)
    _put_in(lines, own, keys)
    if story["code"] is None:
        return _ordered(lines.rows, keys)
    at = float(keys[own[max(story["at"] - 1, 0)]]) + _NEXT / 2
    row = pl.DataFrame([story], schema=place.of_round("stories").schema).with_columns(place=pl.lit(at))
    timed = lines.rows.with_columns(place=pl.Series(keys))
    line = supposed_lines(row, timed).drop("place")
    return _ordered(pl.concat([lines.rows, line], how="diagonal"), np.append(keys, at))


def _take_out(lines: StoredLines, place: Place, own: I64, keys: F64) -> None:
    """Move the round's lines that are not the story's out of the round; changes ``keys``."""
    rows = lines.rows
    others = (rows["round_id"] == place.round_id).fill_null(False).to_numpy() & (lines.place > 0)
    others[own] = False
    keys[others & rows["path"].is_null().to_numpy()] = 0  # what the likeliest story supposes
    drawn = others & rows["type"].is_in(["draw", "hole_card_check"]).to_numpy()
    types, places = rows["type"].to_numpy()[own], lines.place[own]
    closed, ended = places[types == "bets_closed"], places[types == "round_end"]
    if not len(closed) or not len(ended):
        return
    early = drawn & (lines.place < places[types == "draw"].min(initial=len(keys)))
    late = drawn & ~early
    keys[early] = closed[0] - 1 + keys[early] / (len(keys) + 1)
    keys[late] = ended[0] + keys[late] / (len(keys) + 1)


def _put_in(lines: StoredLines, own: I64, keys: F64) -> None:
    """Keep the terminal's lines where they are, and every other line behind the line before it; changes ``keys``."""
    terminal = (lines.rows["source"] == "terminal").to_numpy()[own]
    before = np.where(terminal, keys[own], keys[own[terminal]].min() - 0.5)
    count = np.arange(len(own))
    behind = count - np.maximum.accumulate(np.where(terminal, count, -1))
    keys[own] = np.maximum.accumulate(before) + np.where(terminal, 0, behind * _NEXT)


def _ordered(rows: pl.DataFrame, keys: F64) -> StoredLines:
    order = np.argsort(keys, kind="stable")[np.count_nonzero(keys == 0) :]
    places = np.zeros(len(keys), np.int64)
    places[order] = np.arange(1, len(order) + 1)
    return StoredLines(rows, places, order)
