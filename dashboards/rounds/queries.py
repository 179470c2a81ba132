"""Queries of the round page on the lake, without judging the round again."""

from dataclasses import dataclass
from typing import Any, Final

from dashboards.lake.gravity import BY_GRAVITY
from dashboards.lake.pinned import Scope

Row = dict[str, Any]

# The datasets that can be exported for a round.
DATASETS: Final = ("settlements", "cards", "hands", "findings", "stories", "events", "sightings", "rounds")
_SORTED: Final = {
    "settlements": "seat, bettor, hand, kind",
    "cards": "place",
    "hands": "seat, hand",
    "findings": f'{BY_GRAVITY}, "at" NULLS LAST, finding_id',
    "stories": "rank",
    "events": "place NULLS LAST, source, seq",
    "sightings": "corrected, seq",
    "rounds": "started",
}
# The table names the row groups to read: rows lie by table, then by time.
_OWN: Final = '"table" = $table AND round_id = $round_id'
# Machines that shuffle on and on have one shoe for a whole day: those next to the round are enough.
REACH: Final = 40
_NEIGHBOURS: Final = """
WITH played AS (
    SELECT round_id, round, shoe, started, verdict, void, findings, row_number() OVER turns AS place,
        lag(round_id) OVER turns AS before, lead(round_id) OVER turns AS after,
        lag(shoe) OVER turns AS shoe_before, lead(shoe) OVER turns AS shoe_after
    FROM rounds WHERE "table" = $table WINDOW turns AS (ORDER BY started, round_id)
), own AS (SELECT shoe, place FROM played WHERE round_id = $round_id)
SELECT played.* FROM played, own
WHERE played.shoe IS NOT DISTINCT FROM own.shoe AND abs(played.place - own.place) <= $reach
ORDER BY played.place
"""


@dataclass(frozen=True)
class RoundRows:
    """The rows of one round at a snapshot."""

    scope: Scope
    table_id: str
    round_id: str

    def round(self) -> Row | None:
        """The round itself."""
        return self.scope.row(f"FROM rounds WHERE {_OWN}", **self._params())

    def settlements(self) -> list[Row]:
        """Return the round's settlements, expected and actual."""
        return self.scope.rows(self.query("settlements"), **self._params())

    def findings(self) -> list[Row]:
        """Return the round's findings."""
        return self.scope.rows(self.query("findings"), **self._params())

    def stories(self) -> list[Row]:
        """Read the explanations that were considered for it."""
        return self.scope.rows(self.query("stories"), **self._params())

    def neighbours(self) -> list[Row]:
        """Rounds of its shoe in order, each with the one before and after it at the table."""
        return self.scope.rows(_NEIGHBOURS, **self._params(), reach=REACH)

    def file(self, dataset: str) -> Any:
        """The rows of a dataset, for a file."""
        return self.scope.table(self.query(dataset), **self._params())

    @staticmethod
    def query(dataset: str) -> str:
        """The query for the round's rows of a dataset."""
        return f"FROM {dataset} WHERE {_OWN} ORDER BY {_SORTED[dataset]}"

    def _params(self) -> dict[str, str]:
        return {"table": self.table_id, "round_id": self.round_id}
