"""A shoe for its page: cards dealt against expected by rank and suit, and in the order of dealing."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from replay.cards import RANKS, SUITS, TEN

Row = dict[str, Any]
_TEN: Final = RANKS[TEN]


def grid(composition: Sequence[Row], row: Row) -> list[Row]:
    """Return the suits with a cell per rank: cards dealt, cards expected, and the look that marks a discrepancy."""
    undrawn = sum(max((each["should_hold"] or 0) - each["drawn"], 0) for each in composition)
    all_gone = bool(row["missing"]) and undrawn == row["missing"]  # every card not dealt is missing
    cells = {(each["suit"], each["rank"]): {**each, "look": _look(each, all_gone)} for each in composition}
    return [{"suit": suit, "cells": [cells[suit, rank] for rank in RANKS]} for suit in SUITS]


def ranks(composition: Sequence[Row]) -> list[Row]:
    """Return the cards dealt and expected by rank."""
    found = []
    for rank in RANKS:
        own = [each for each in composition if each["rank"] == rank]
        due = [each["should_hold"] for each in own if each["should_hold"] is not None]
        found.append({"rank": rank, "drawn": sum(each["drawn"] for each in own), "due": sum(due) if due else None})
    return found


def _look(cell: Row, all_gone: bool) -> str:
    drawn, due = cell["drawn"], cell["should_hold"]
    if cell["rank"] == _TEN:
        return "ten" if drawn else "none"
    if due is None:
        return ""
    if drawn > due:
        return "extra"
    if drawn == due:
        return "full"
    return "gone" if all_gone else ""


def in_order(cards: Sequence[Row], cut_card_n: int | None) -> list[Row]:
    """Return the cards in the order of dealing, by round, with gaps for missing ordinals and the cut card."""
    found, last = [], 0
    for round_id, own in groupby(cards, key=lambda each: each["round_id"]):
        pieces: list[Row] = []
        for each in own:
            pieces += _between(last, each["n"], cut_card_n)
            pieces.append({**each, "piece": "card", "look": _marks(each)})
            last = each["n"] or last
        found.append({"round_id": round_id, "pieces": pieces})
    if cut_card_n is not None and last == cut_card_n and found:
        found[-1]["pieces"].append({"piece": "cut"})
    return found


def _between(last: int, n: int | None, cut_card_n: int | None) -> Iterator[Row]:
    """Yield the gap of unread ordinals and the cut card between two cards that were read."""
    if n is None:
        return
    if n > last + 1:
        yield {"piece": "gap", "of": f"{last + 1}" if n == last + 2 else f"{last + 1} to {n - 1}"}
    if cut_card_n is not None and last <= cut_card_n < n and cut_card_n > 0:
        yield {"piece": "cut"}


def _marks(card: Row) -> str:
    looks = ["is-ten"] if card["card"] and card["card"][0] == _TEN else []
    looks += ["is-up"] if card["face"] == "up" else []
    looks += ["aside"] if card["zone"] in ("burn", "discard", None) else []
    return " ".join(looks)
