"""What a route is about: a case, a round or a finding. It decides what a regulator may see and what the log says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy.orm import Session

from warehouse.cases import cases
from warehouse.cases.words import FINDING, ROUND


@dataclass(frozen=True)
class Subject:
    """A sort of subject: how its name comes from the path, and whether it is shared with a regulator."""

    kind: str
    name: Callable[[Mapping[str, Any]], str]
    is_shared: Callable[[Session, int, str], bool]

    def label(self, path: Mapping[str, Any]) -> str:
        """What the log calls it: ``round P21-04/2026-01-05/17``."""
        return f"{self.kind} {self.name(path)}"


def round_id(path: Mapping[str, Any]) -> str:
    """The round that a path ``/rounds/{table}/{day}/{round:path}`` names."""
    return f"{path['table']}/{path['day']}/{path['round']}"


CASE: Final = Subject(
    "case",
    lambda path: str(path["case_id"]),
    lambda session, account_id, name: cases.may_see_case(session, account_id, int(name)),
)
A_ROUND: Final = Subject(
    ROUND, round_id, lambda session, account_id, name: cases.may_see_item(session, account_id, ROUND, name)
)
A_FINDING: Final = Subject(
    FINDING,
    lambda path: str(path["finding_id"]),
    lambda session, account_id, name: cases.may_see_item(session, account_id, FINDING, name),
)
# The list of cases: its page shows a regulator the shared ones only.
OWN_CASES: Final = Subject("cases", lambda path: "", lambda session, account_id, name: True)
