"""Loads the compiled engine when a server starts, so that nobody waits for it at the first round."""

import threading
from datetime import date
from typing import Final

from replay import floor, notation
from replay.audit import audit

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


def warm_up() -> None:
    """Judge a round in a thread, once in a process."""
    if _ONCE.acquire(blocking=False):
        threading.Thread(target=_judge, name="warm up", daemon=True).start()


def _judge() -> None:
    script = notation.load(_ROUND)
    plan = floor.parse(script.floor)
    table = plan.tables[0]
    audit(plan, table.id, max(table.since, _DAY), script.events, trace=True)
