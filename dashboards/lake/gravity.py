"""The order of lists of findings: by severity, then by absolute variance."""

from collections.abc import Mapping
from typing import Any, Final

from warehouse.schemas import SEVERITIES

SEVERITY_RANK: Final = "CASE severity WHEN 'high' THEN 0 WHEN 'medium' THEN 1 ELSE 2 END"
COST: Final = "abs(variance_cents) DESC"
BY_GRAVITY: Final = f"{SEVERITY_RANK}, {COST}"


def gravity(row: Mapping[str, Any]) -> tuple[int, int, str]:
    """Return the key that sorts rows of findings in the same way."""
    return -SEVERITIES.index(row["severity"]), -abs(row["variance_cents"]), row["finding_id"]
