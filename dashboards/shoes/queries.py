"""Queries of the shoe pages on the lake."""

from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from dashboards.lake.gravity import BY_GRAVITY
from dashboards.lake.pinned import Scope
from replay.cards import RANKS, SUITS

Row = dict[str, Any]
DAY: Final = """
SELECT s.*, coalesce(f.findings, 0) AS findings FROM shoes AS s
LEFT JOIN (SELECT shoe, count(*) AS findings FROM findings WHERE shoe IS NOT NULL GROUP BY shoe) AS f USING (shoe)
WHERE NOT list_contains($hidden::VARCHAR[], shoe)
ORDER BY s."table", loaded, shoe
"""
_SHOE: Final = """
WITH placed AS (
    SELECT *, lag(shoe) OVER turns AS before, lead(shoe) OVER turns AS after FROM shoes
    WINDOW turns AS (PARTITION BY "table" ORDER BY loaded NULLS FIRST, shoe)
)
FROM placed WHERE shoe = $shoe
"""
_CARDS: Final = "FROM cards WHERE shoe = $shoe ORDER BY n, ts"
_COMPOSITION: Final = """
WITH full_deck AS (
    SELECT rank || suit AS card, rank, suit, (position(rank IN $ranks) - 1) * 4 + position(suit IN $suits) AS place
    FROM (SELECT unnest(string_split($ranks, '')) AS rank), (SELECT unnest(string_split($suits, '')) AS suit)
), drawn AS (
    SELECT card, count(*) AS drawn FROM cards WHERE shoe = $shoe AND card IS NOT NULL GROUP BY card
)
SELECT gaming_day, "table", shoe, card, rank, suit, coalesce(drawn, 0)::BIGINT AS drawn,
    CASE WHEN $from_decks THEN CASE rank WHEN 'T' THEN 0 ELSE decks END END::BIGINT AS should_hold
FROM full_deck LEFT JOIN drawn USING (card), shoes WHERE shoe = $shoe ORDER BY place
"""
# How it was made ready: the inspection of its decks, the load, the cut.
_EVENTS: Final = """
SELECT type, corrected AS "at", decks, cards, tens_removed, shuffle, "from", from_top, from_bottom, "by", remaining
FROM events WHERE "table" = $table AND type IN ('inspection', 'shoe_loaded', 'cut', 'shoe_ended')
    AND (shoe = $shoe OR (type = 'inspection' AND decks_id = $decks_id)) ORDER BY corrected, seq
"""
_FINDINGS: Final = f"""
FROM findings WHERE shoe = $shoe ORDER BY {BY_GRAVITY}, "at" NULLS LAST, finding_id
"""


@dataclass(frozen=True)
class Shoe:
    """A shoe of a gaming day."""

    scope: Scope
    name: str
    row: Row
    events: list[Row]

    @classmethod
    def find(cls, scope: Scope, name: str) -> "Shoe | None":
        """The shoe of that name."""
        row = scope.row(_SHOE, shoe=name)
        if row is None:
            return None
        events = scope.rows(_EVENTS, table=row["table"], shoe=name, decks_id=row["decks_id"])
        return cls(scope, name, row, events)

    @property
    def is_from_decks(self) -> bool:
        """Return whether the shoe was filled with whole decks, so that its expected contents are known."""
        return not any(event["type"] == "shoe_loaded" and event["from"] == "discards" for event in self.events)

    def cards(self) -> list[Row]:
        """Its cards, in the order in which they came out."""
        return self.scope.rows(_CARDS, shoe=self.name)

    def composition(self) -> list[Row]:
        """Every card of a deck, tens included, with how many came out and how many it should hold."""
        rows: list[Row] = self.composition_file().to_pylist()
        return rows

    def findings(self) -> list[Row]:
        """Return the findings about the shoe."""
        return self.scope.rows(_FINDINGS, shoe=self.name)

    def cards_file(self) -> pa.Table:
        """Its cards, for a file."""
        return self.scope.table(_CARDS, shoe=self.name)

    def composition_file(self) -> pa.Table:
        """Its composition, for a file."""
        return self.scope.table(_COMPOSITION, shoe=self.name, ranks=RANKS, suits=SUITS, from_decks=self.is_from_decks)
