"""Replays rounds through the rulebooks: cards, rules, engine, findings, narrative, simulator.

>>> import replay
>>> verdict = replay.settle("tests/rules/examples/md-pontoon21-overpaid.txt")  # or a text in the notation
>>> verdict.settlements.filter(variance_cents=1250)["verdict"].to_list()
['overpaid']
>>> told = replay.explain("tests/rules/examples/md-pontoon21-overpaid.txt")
>>> "overpaid 12.50" in str(told)
True
>>> replay.rulebook("mbs-pontoon").odds["7-card-21"]
'3:1'
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from replay.library import load as rulebook
    from replay.narrative.told import Narration
    from replay.settling import RoundsError, UnknownRound, Verdict, explain, settle

__all__ = ["Narration", "RoundsError", "UnknownRound", "Verdict", "explain", "rulebook", "settle"]


def __getattr__(name: str) -> Any:
    """Import what the library offers when it is asked for, so that small commands start at once."""
    if name == "Narration":
        from replay.narrative.told import Narration

        return Narration
    if name == "rulebook":
        from replay import library

        return library.load
    if name in __all__:
        from replay import settling

        return getattr(settling, name)
    raise AttributeError(f"module 'replay' has no attribute {name!r}")
