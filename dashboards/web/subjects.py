"""Subjects of routes: case, round, finding. The subject decides a regulator's access and the name in the log."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy.orm import Session

from dashboards.web.visit import Visit
from warehouse.cases import cases
from warehouse.cases.words import FINDING, ROUND


@dataclass(frozen=True)
class Subject:
    """A kind of subject: its name in the log, and the check of a regulator's access to it."""

    kind: str
    name: Callable[[Mapping[str, Any]], str]
    is_shared: Callable[[Visit, Session], bool]

    def label(self, path: Mapping[str, Any]) -> str:
        """Return the subject's name in the log, such as ``round P21-04/2026-01-05/17``."""
        return f"{self.kind} {self.name(path)}".strip()


def round_id(path: Mapping[str, Any]) -> str:
    """Return the id of the round in a path ``/rounds/{table}/{day}/{round:rest}``."""
    return f"{path['table']}/{path['day']}/{path['round']}"


def _case_is_shared(visit: Visit, session: Session) -> bool:
    return cases.may_see_case(session, visit.account.id, visit.path["case_id"])


def _round_is_shared(visit: Visit, session: Session) -> bool:
    return cases.may_see_item(session, visit.account.id, ROUND, round_id(visit.path))


def _finding_is_shared(visit: Visit, session: Session) -> bool:
    """Return whether a finding, or its round, is in a shared case; the round is found by the day in the address."""
    finding_id = visit.path["finding_id"]
    if cases.may_see_item(session, visit.account.id, FINDING, finding_id):
        return True
    if "day" not in visit.query:
        return False
    query = "SELECT round_id FROM findings WHERE finding_id = $finding_id AND round_id IS NOT NULL"
    found = visit.lake.day(visit.day()).row(query, finding_id=finding_id)
    return found is not None and cases.may_see_item(session, visit.account.id, ROUND, found["round_id"])


CASE: Final = Subject("case", lambda path: str(path["case_id"]), _case_is_shared)
A_ROUND: Final = Subject(ROUND, round_id, _round_is_shared)
A_FINDING: Final = Subject(FINDING, lambda path: str(path["finding_id"]), _finding_is_shared)
# The list of cases: its page shows a regulator the shared ones only.
OWN_CASES: Final = Subject("cases", lambda path: "", lambda visit, session: True)
