"""Tables of a gaming day: who dealt when, from which shoe, and what went wrong."""
