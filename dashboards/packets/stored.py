"""A case of the database as a packet prints it. Apart from the rest: without such a case, no database is loaded."""

from datetime import datetime
from pathlib import Path

from dashboards.packets.case import CaseError, CaseFile, Statement
from warehouse.cases import activity, cases, disputes
from warehouse.cases.activity import Actor
from warehouse.cases.database import Database
from warehouse.cases.errors import CasesError
from warehouse.cases.models import Case
from warehouse.cases.words import ROUND


def case_file(case: Case, as_of: datetime | None = None) -> CaseFile:
    """A case as it stands, or as it stood at a time."""
    entered = [row for row in case.disputes if as_of is None or row.at <= as_of]
    said = [row for row in case.statements if as_of is None or row.at <= as_of]
    told = disputes.told(entered[-1] if entered else None)
    statements = tuple(Statement(row.who, row.said, row.said_on) for row in said)
    return CaseFile(number=str(case.id), statements=statements, **vars(told))


def has_round(case: Case, round_id: str) -> bool:
    """Return whether a case contains a round, as a packet prints only its own round's dispute."""
    return any((item.kind, item.ref) == (ROUND, round_id) for item in case.items)


def read_case(
    database: str | Path, number: int, round_id: str, as_of: datetime | None, actor: Actor, now: datetime
) -> CaseFile:
    """A case of a database, for a packet of one of its rounds; that somebody looked at it goes into the log."""
    try:
        kept = Database(database, create=False)
    except CasesError as error:
        raise CaseError(str(error)) from error
    try:
        with kept.write() as session:
            case = cases.find(session, number)
            if case is None:
                raise CaseError(f"{kept}: there is no case {number}")
            if not has_round(case, round_id):
                held = ", ".join(item.ref for item in case.items if item.kind == ROUND) or "none"
                raise CaseError(f"{kept}: case {number} is not about {round_id}; its rounds: {held}")
            activity.record(session, actor, now, "view", f"case {number}", {"packet of": round_id})
            return case_file(case, as_of)
    finally:
        kept.close()
