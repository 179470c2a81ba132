"""The dispute of a case: what it is about, what people said, how it ended. Nothing of it is edited away."""

from dataclasses import asdict
from datetime import date, datetime, timedelta
from typing import Final

from replay.ops import MAX_SEAT
from warehouse.cases.cases import must_be_open
from warehouse.cases.dispute import Dispute
from warehouse.cases.errors import Refused
from warehouse.cases.models import Case, CaseDispute, CaseStatement

LONGEST_TEXT: Final = 10_000
# What is called how, and has how many characters at most.
_TEXTS: Final = {
    "complaint": ("complaint", LONGEST_TEXT),
    "patron": ("number of the card", 80),
    "patron_name": ("complainant's name", 200),
    "requested_by": ("name of who asked", 200),
    "outcome": ("outcome", LONGEST_TEXT),
}


def told(row: CaseDispute | None) -> Dispute:
    """Read a row."""
    return Dispute(**{name: getattr(row, name) for name in asdict(Dispute())}) if row else Dispute()


def keep(case: Case, wanted: Dispute, seen: int | None, author: str, now: datetime) -> list[str]:
    """Enter a case's dispute anew; the names of what changed. What was entered before stays on record.

    ``seen`` is the id of the row that the author had before them: ``Refused`` where another one was entered since.
    """
    must_be_open(case)
    last = case.dispute
    if (last.id if last else None) != seen:
        raise Refused(f"{last.author if last else 'Somebody'} has changed the dispute meanwhile; reload the page.")
    before, after = asdict(told(last)), asdict(wanted)
    after |= {name: _text(after[name]) for name in _TEXTS}
    _check(Dispute(**after), now)
    changed = [name for name in after if after[name] != before[name]]
    if changed:
        case.disputes.append(CaseDispute(**after, author=author, at=now))
    return changed


def add_statement(case: Case, who: str, said: str, on: date | None, author: str, now: datetime) -> None:
    """Write down what somebody said."""
    must_be_open(case)
    who, said = who.strip(), _text(said) or ""
    if not 0 < len(who) <= 200:
        raise Refused(f"Say in 1 to 200 characters who said it; these are {len(who)}.")
    if not 0 < len(said) <= LONGEST_TEXT:
        raise Refused(f"A statement has 1 to {LONGEST_TEXT} characters, this one {len(said)}.")
    _refuse_to_come(on, "a statement", now)
    case.statements.append(CaseStatement(who=who, said=said, said_on=on, author=author, at=now))


def _text(value: str | None) -> str | None:
    """As it was typed, whatever the browser ends lines with; None where nothing was."""
    return (value or "").replace("\r\n", "\n").strip() or None


def _check(wanted: Dispute, now: datetime) -> None:
    for name, (called, most) in _TEXTS.items():
        if (size := len(getattr(wanted, name) or "")) > most:
            raise Refused(f"The {called} has {size} characters; {most} is the most.")
    if wanted.seat is not None and not 1 <= wanted.seat <= MAX_SEAT:
        raise Refused(f"There is no box {wanted.seat}; expected 1 to {MAX_SEAT}.")
    _refuse_to_come(wanted.received, "the complaint", now)
    _refuse_to_come(wanted.outcome_on, "the outcome", now)
    if wanted.outcome_on and not wanted.outcome:
        raise Refused(f"The outcome of {wanted.outcome_on} is missing; say what it was.")
    if wanted.outcome_on and wanted.received and wanted.outcome_on < wanted.received:
        raise Refused(f"The outcome of {wanted.outcome_on} is before the complaint of {wanted.received}.")


def _refuse_to_come(day: date | None, what: str, now: datetime) -> None:
    """No day that is still to come; at the property it may be tomorrow already."""
    if day is not None and day > now.date() + timedelta(days=1):
        raise Refused(f"{day} is still to come; expected the day of {what}.")
