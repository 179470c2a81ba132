"""What the lake says of the rounds and findings of a case."""

import pyarrow as pa

from dashboards.lake.pinned import Pinned
from warehouse.cases.models import Case
from warehouse.cases.words import FINDING, ROUND
from warehouse.schemas import DATASETS

_KEYS = {ROUND: ("rounds", "round_id"), FINDING: ("findings", "finding_id")}


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
