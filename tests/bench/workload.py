"""A tape of many rounds: some thousands that differ, over and over."""

from random import Random
from typing import NamedTuple

import numpy as np
import polars as pl

from replay import cards, ops
from replay.bulk import judge_all
from replay.encode import encode_events
from replay.engine import layout as L
from replay.rules import Rules
from replay.tape import I64, Tape
from tests import generator


class Workload(NamedTuple):
    """A tape, its rounds' offsets and contexts, the table's rules, and how many cards and boxes it has."""

    tape: Tape
    offsets: I64
    contexts: I64
    rules: Rules
    rounds: int
    cards: int
    boxes: int

    def bytes(self) -> int:
        return sum(column.nbytes for column in self.tape) + self.offsets.nbytes + self.contexts.nbytes


def make(book: str, distinct: int, rounds: int, seed: int) -> Workload:
    """Settled rounds of a table with side wagers, tiled up to the number that is wanted."""
    rng = Random(seed)
    setup = generator.plain_setup(book, **({"match": True} if not book.startswith(("mbs", "div15")) else {}))
    played = list(generator.rounds(setup, rng, distinct, stacked=False))
    encoded = encode_events(event for events in generator.settle_all(setup, played, rng) for event in events)
    copies = -(-rounds // distinct)
    tape = Tape._make(np.tile(column, copies) for column in encoded.tape)
    rows = int(encoded.offsets[-1])
    starts = (encoded.offsets[:-1] + rows * np.arange(copies)[:, None]).reshape(-1)
    offsets = np.append(starts, rows * copies).astype(np.int64)
    boxes = sum(len(round_.boxes) for round_ in played) * copies
    drawn = int(np.count_nonzero(tape.op == ops.DRAW))
    contexts = np.zeros(distinct * copies, np.int64)
    return Workload(tape, offsets, contexts, setup.rules, distinct * copies, drawn, boxes)


def hand_cards(work: Workload) -> pl.DataFrame:
    """The cards of all hands, as the engine placed them: round, seat, hand, value."""
    zones = np.concatenate([part.zones for part in judge_all(work.tape, work.offsets, work.contexts, work.rules)])
    placed = np.flatnonzero((zones[:, 0] == L.TO_BOX) | (zones[:, 0] == L.TO_DEALER))
    numbers = np.repeat(np.arange(work.rounds), np.diff(work.offsets))
    columns = {
        "round": numbers[placed].astype(np.int32),
        "seat": zones[placed, 1].astype(np.int32),
        "hand": zones[placed, 2].astype(np.int32),
        "value": cards.VALUE[work.tape.card[placed]].astype(np.int32),
    }
    return pl.DataFrame(columns)
