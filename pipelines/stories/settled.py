"""Settlements of which nothing can be said."""

from replay import ops, rules
from replay.engine import layout as L


def leave_open(line: L.I64) -> None:
    """Make a settlement undetermined; changes it."""
    line[[L.S_PAID, L.S_TAKEN, L.S_VARIANCE]] = 0
    line[L.S_VERDICT], line[L.S_CLAUSE], line[L.S_ODDS] = ops.UNDETERMINED, rules.NO_CLAUSE, -1
