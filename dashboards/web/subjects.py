"""What a route is about: a case, a round or a finding. It decides what a regulator may see and what the log says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy.orm import Session

from dashboards.web.visit import Visit
from warehouse.cases import cases
from warehouse.cases.words import FINDING, ROUND


@dataclass(frozen=True)
class Subject:
    """A sort of subject: how the log names it, and whether a regulator may see what an address names."""

    kind: str
    name: Callable[[Mapping[str, Any]], str]
    is_shared: Callable[[Visit, Session], bool]

    def label(self, path: Mapping[str, Any]) -> str:
        """What the log calls it: ``round P21-04/2026-01-05/17``."""
        return f"{self.kind} {self.name(path)}".strip()


def round_id(path: Mapping[str, Any]) -> str:
    """The round that a path ``/rounds/{table}/{day}/{round:rest}`` names."""
    return f"{path['table']}/{path['day']}/{path['round']}"


def _case_is_shared(visit: Visit, session: Session) -> bool:
    return cases.may_see_case(session, visit.account.id, visit.path["case_id"])


def _round_is_shared(visit: Visit, session: Session) -> bool:
    return cases.may_see_item(session, visit.account.id, ROUND, round_id(visit.path))


def _finding_is_shared(visit: Visit, session: Session) -> bool:
    """Whether it is in a shared case itself, or belongs to a round that is; for that the address names the day."""
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
