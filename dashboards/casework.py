"""Cases as pages use them: the one of an address or a form, its rows of the lake, its deadlines."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

import pyarrow as pa
from sqlalchemy.orm import Session
from starlette.exceptions import HTTPException

from dashboards.lake.pinned import Pinned
from dashboards.packets.case import Deadline, Rules, deadlines
from dashboards.web.numbers import whole
from dashboards.web.visit import Visit
from warehouse.cases import cases
from warehouse.cases.errors import Refused
from warehouse.cases.models import Case
from warehouse.cases.words import FINDING, ROUND
from warehouse.evidence.entries import EvidenceError
from warehouse.retention import holds
from warehouse.schemas import DATASETS

_KEYS = {ROUND: ("rounds", "round_id"), FINDING: ("findings", "finding_id")}


def case_of(visit: Visit, session: Session) -> Case:
    """The case that the address names."""
    case = cases.find(session, visit.path["case_id"])
    if case is None:
        raise HTTPException(404, f"There is no case {visit.path['case_id']}.")
    return case


def chosen_case(visit: Visit, session: Session) -> Case:
    """The case that the form names, or a new one with the form's title; ``Refused`` for none."""
    if visit.text("case") == "new":
        case = cases.open_case(session, visit.text("title"), visit.account.name, visit.now)
        visit.record(session, "open", f"case {case.id}", title=case.title)
        return case
    return named_case(visit, session)


def named_case(visit: Visit, session: Session) -> Case:
    """The case that the form names by its number; ``Refused`` for none."""
    wanted = visit.text("case")
    number = whole(wanted)
    found = None if number is None else cases.find(session, number)
    if found is None:
        raise Refused(f"There is no case {wanted!r}; choose one, or open a new one.")
    return found


def hold_round(visit: Visit, session: Session, round_id: str, why: str) -> None:
    """Protect a round's evidence from any clean-up; ``Refused`` where that cannot be."""
    try:
        is_new = holds.place(visit.site.settings.lake, round_id, visit.account.full_name, why, visit.now)
    except (holds.HoldError, EvidenceError, OSError) as error:
        raise Refused(f"The evidence of {round_id} cannot be held: {error}") from error
    if is_new:
        visit.record(session, "hold", f"round {round_id}", why=why)


def hold_rounds_in_dispute(visit: Visit, session: Session, case: Case) -> None:
    """The rounds of a case are held as soon as it has a dispute without an outcome."""
    if case.dispute is None or case.dispute.outcome:
        return
    for item in case.items:
        if item.kind == ROUND:
            hold_round(visit, session, item.ref, f"dispute, case {case.id}")


def rows_of_case(lake: Pinned, case: Case) -> tuple[pa.Table, pa.Table]:
    """The rows of the case's rounds, and those of its findings, at a snapshot."""
    return _rows(lake, case, ROUND), _rows(lake, case, FINDING)


def _rows(lake: Pinned, case: Case, kind: str) -> pa.Table:
    dataset, key = _KEYS[kind]
    query = f"FROM {dataset} WHERE {key} IN (SELECT unnest($refs::VARCHAR[])) ORDER BY {key}"
    found = [
        lake.day(day).table(query, refs=[item.ref for item in case.items if item.kind == kind])
        for day in sorted({item.gaming_day for item in case.items if item.kind == kind})
        if day in lake.days
    ]
    return pa.concat_tables(found) if found else DATASETS[dataset].arrow.empty_table()


@dataclass(frozen=True)
class Due:
    """A deadline of a case, as it looks on a day."""

    deadline: Deadline
    days_left: int  # below zero once it has passed
    is_answered: bool  # the case has an outcome: nothing is overdue any more

    @property
    def is_overdue(self) -> bool:
        """Return whether the deadline has passed without an outcome."""
        return self.days_left < 0 and not self.is_answered


def due_dates(case: Case, rulebooks: Iterable[str], rules: Rules, today: date) -> list[Due]:
    """Return the deadlines that the jurisdictions of a case's rounds set, the earliest first."""
    dispute = case.dispute
    received, is_answered = (dispute.received, dispute.outcome is not None) if dispute else (None, False)
    found = [each for book in sorted(set(rulebooks)) for each in deadlines(received, rules, book)]
    found.sort(key=lambda each: each.by)
    return [Due(each, (each.by - today).days, is_answered) for each in found]
