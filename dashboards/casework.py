"""Cases as pages use them: the one that a form names, and what the lake says of its rounds and findings."""

import pyarrow as pa
from sqlalchemy.orm import Session

from dashboards.lake.pinned import Pinned
from dashboards.web.visit import Visit
from warehouse.cases import cases
from warehouse.cases.errors import Refused
from warehouse.cases.models import Case
from warehouse.cases.words import FINDING, ROUND
from warehouse.schemas import DATASETS

_KEYS = {ROUND: ("rounds", "round_id"), FINDING: ("findings", "finding_id")}


def chosen_case(visit: Visit, session: Session) -> Case:
    """The case that the form names by its number, or a new one with the form's title; ``Refused`` for none."""
    wanted = visit.text("case")
    if wanted == "new":
        case = cases.open_case(session, visit.text("title"), visit.account.name, visit.now)
        visit.record(session, "open", f"case {case.id}", title=case.title)
        return case
    found = cases.find(session, int(wanted)) if wanted.isascii() and wanted.isdigit() else None
    if found is None:
        raise Refused(f"There is no case {wanted!r}; choose one, or open a new one.")
    return found


def rows_of_case(lake: Pinned, case: Case) -> tuple[pa.Table, pa.Table]:
    """The rows of the case's rounds, and those of its findings, at a snapshot."""
    return _rows(lake, case, ROUND), _rows(lake, case, FINDING)


def _rows(lake: Pinned, case: Case, kind: str) -> pa.Table:
    dataset, key = _KEYS[kind]
    query = f"FROM {dataset} WHERE {key} IN (SELECT unnest($refs::VARCHAR[]))"
    found = [
        lake.day(day).table(query, refs=[item.ref for item in case.items if item.kind == kind])
        for day in sorted({item.gaming_day for item in case.items if item.kind == kind})
        if day in lake.days
    ]
    return pa.concat_tables(found) if found else DATASETS[dataset].arrow.empty_table()
