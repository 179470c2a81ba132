"""A judged round told step by step, with every verdict explained.

Plain data that a terminal, a web page or a PDF can show; all of it comes from an ``Audit`` made with ``trace=True``.
"""

from replay.audit import Audit, Settlement
from replay.engine import layout as L
from replay.narrative.candidates import Considered, ConsideredCandidate, considered
from replay.narrative.forms import (
    ChangedSetting,
    Cited,
    Explanation,
    FindingAccount,
    FindingMark,
    HandAccount,
    RoundAccount,
    RoundStep,
    UsedReading,
    cited,
)
from replay.narrative.teller import Teller
from replay.narrative.verdicts import explain, tell_finding
from replay.ops import KINDS

__all__ = [
    "ChangedSetting",
    "Cited",
    "Considered",
    "ConsideredCandidate",
    "Explanation",
    "FindingAccount",
    "FindingMark",
    "HandAccount",
    "RoundAccount",
    "RoundStep",
    "UsedReading",
    "account",
    "accounts",
    "cited",
    "considered",
    "settings",
    "table_findings",
]


def account(audit: Audit, name: str) -> RoundAccount:
    """The account of one round of an audit that was made with ``trace=True``."""
    if name not in audit.encoded.rounds:
        raise KeyError(f"no round {name!r}; there are {', '.join(audit.encoded.rounds) or 'none'}")
    teller = Teller(audit, name)
    table, line = audit.table, audit.verdicts.rounds[teller.index]
    numbers = {step.event: step.number for step in teller.steps}
    return RoundAccount(
        round=name,
        rulebook=table.book.id,
        title=table.book.title,
        version=table.book.version,
        table=table.id,
        currency=table.currency,
        decks=table.decks,
        boxes=table.boxes,
        min_cents=table.min_cents,
        max_cents=table.max_cents,
        settings=settings(audit),
        void=bool(line[L.R_VOID]),
        void_logged=bool(line[L.R_VOID_LOGGED]),
        dealer=teller.dealer,
        hands=tuple(teller.hands.values()),
        steps=teller.steps,
        explanations=tuple(explain(teller, s) for s in sorted(teller.settlements, key=_order)),
        findings=tuple(tell_finding(audit, f, numbers[teller.shows_at(f)]) for f in teller.findings),
    )


def _order(s: Settlement) -> tuple[int, int, int, int]:
    return s.seat, s.bettor, s.hand, KINDS.index(s.kind)


def accounts(audit: Audit) -> list[RoundAccount]:
    """Every round, in the order of their first events."""
    return [account(audit, name) for name in audit.encoded.rounds]


def table_findings(audit: Audit) -> tuple[FindingAccount, ...]:
    """Findings that belong to no round's account, such as a floor.toml that the rulebook does not allow.

    Every event stands in the account of some round, if there is one; so do the findings of these events.
    """
    left = [f for f in audit.findings if not audit.encoded.rounds or (f.round is None and f.event is None)]
    return tuple(tell_finding(audit, f, None) for f in left)


def settings(audit: Audit) -> tuple[ChangedSetting, ...]:
    """Options and readings of the table that differ from the rulebook's defaults."""
    book = audit.table.book
    found = []
    for name, value in audit.table.options.items():
        default = book.options[name].default if name in book.options else None
        if value != default:
            found.append(ChangedSetting("option", name, value, default))
    for name, chosen in audit.table.readings.items():
        if chosen != book.readings[name].default:
            found.append(ChangedSetting("reading", name, chosen, book.readings[name].default))
    return tuple(found)
