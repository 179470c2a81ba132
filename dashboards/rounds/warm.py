"""Loads the compiled engine when a server starts, so that nobody waits for it at the first round."""

import atexit
import gc
import threading
from datetime import date
from typing import Final

import numpy as np

from replay import floor, notation
from replay.audit import audit
from replay.columns import SEEDS, Columns, Lines
from replay.encode import encode

_ROUND: Final = """\
rulebook md-pontoon21
decks 6
round 1
bet 1 25
no more bets
deal 9H TS 8C 7D
end
"""
_DAY: Final = date(2026, 1, 1)
_ONCE: Final = threading.Lock()  # taken by the first server of the process, and kept


def warm_up() -> threading.Thread | None:
    """Judge a round in a thread, once in a process; the thread, where this is the first time."""
    if not _ONCE.acquire(blocking=False):
        return None
    thread = threading.Thread(target=_warm, name="warm up", daemon=True)
    thread.start()
    return thread


def _warm() -> None:
    """Judge a round, then exempt the loaded objects from garbage collection, which would stall pages for 0.1 s."""
    _judge()
    gc.collect()
    gc.freeze()
    atexit.register(gc.unfreeze)  # else DuckDB complains at exit that its objects are still referenced


def _judge() -> None:
    """A round in the notation, and the encoder of stored lines, which such a round does without."""
    nothing = np.zeros(0, np.int64)
    encode(Lines(Columns.blank(0), list(SEEDS)), nothing, nothing)
    script = notation.load(_ROUND)
    plan = floor.parse(script.floor)
    table = plan.tables[0]
    audit(plan, table.id, max(table.since, _DAY), script.events, trace=True)
