"""A table laid by hand: cards a second apart, and what a camera sees of them."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from pipelines.reconcile.compare import Reconciled, compare
from pipelines.reconcile.discrepancies import arguments
from pipelines.stories.camera_draws import draws_from_camera
from replay.finding_sentences import sentence
from tests.pipelines.reconcile import zone_cards

TABLE, STEP_MS, LAG_MS = "P21-04", 1000, 200
_PLACED = {"first_zone": pl.String(), "first_position": pl.Int16(), "doubled": pl.Boolean(), "round": pl.String()}


class Felt:
    """One table: rounds are ``1``, ``2`` and so on, all with wagers on the boxes given."""

    def __init__(self, *boxes: int, codes: Sequence[str] = ()) -> None:
        self.cards: list[dict[str, Any]] = []
        self.seen: list[dict[str, Any]] = []
        self.boxes, self.codes = list(boxes), list(codes)
        self.ms, self.round = 0, "1"
        self.decided_ms: int | None = None

    def draw(self, card: str | None, zone: str | None, position: int | None = None, **more: Any) -> int:
        """A card out of the shoe; says when."""
        self.ms += STEP_MS
        row = {"table": TABLE, "round": self.round, "row": len(self.cards), "shoe": "S1", "n": len(self.cards) + 1}
        row |= {"card": card, "zone": zone, "position": position, "ms": self.ms, "doubled": False}
        self.cards.append({**row, "first_zone": zone, "first_position": position, **more})
        return self.ms

    def see(self, card: str | None, zone: str, order: int, **more: Any) -> None:
        """A sighting, of the card drawn last unless ``ms`` says otherwise."""
        row: dict[str, Any] = {"table": TABLE, "round": self.round, "zone": zone, "order": order}
        row |= {"seq": len(self.seen) + 1}
        row |= {"face": "up", "card": card, "confidence": 0.97, "sideways": False, "ms": self.ms + LAG_MS}
        row |= more
        self.seen.append({"until_ms": row["ms"] + 60_000, **row})

    def lay(self, card: str, zone: str, position: int, doubled: bool = False) -> None:
        """A card that lies where it should and is seen there."""
        self.draw(card, zone, position, doubled=doubled)
        self.see(card, zone, position, sideways=doubled)

    def deal(self, *boxes: str, dealer: str = "5H") -> None:
        """Two cards to boxes 1, 2 and so on, and the dealer's first between; all seen."""
        for seat, two in enumerate(boxes, 1):
            self.lay(two[:2], f"seat{seat}.hand1", 1)
        self.lay(dealer, "dealer", 1)
        for seat, two in enumerate(boxes, 1):
            self.lay(two[2:], f"seat{seat}.hand1", 2)

    def split(self, seat: int, card: str, seen: str | None = "") -> None:
        """The box's second card becomes hand 2; seen there as it is unless ``seen`` says otherwise."""
        zone = f"seat{seat}.hand2"
        (moved,) = (line for line in self.cards if (line["zone"], line["position"]) == (f"seat{seat}.hand1", 2))
        assert moved["card"] == card
        moved |= {"zone": zone, "position": 1}
        (before,) = (line for line in self.seen if (line["zone"], line["order"]) == (f"seat{seat}.hand1", 2))
        self.ms += STEP_MS
        before["until_ms"] = self.ms
        self.see(card if seen == "" else seen, zone, 1)

    def frames(self) -> zone_cards.TableDay:
        """Return the table's day as the reconciliation takes it."""
        placed = {**zone_cards.CARDS, **_PLACED}
        seen = {**zone_cards.SIGHTINGS, "round": pl.String()}
        names = sorted({line["round"] for line in (*self.cards, *self.seen)} - {None}) or ["1"]
        line = {"table": TABLE, "boxes": self.boxes, "codes": self.codes, "started_ms": 0, "ended_ms": self.ms}
        line |= {"decided_ms": self.decided_ms}
        return zone_cards.TableDay(
            pl.DataFrame(self.cards, schema=placed),
            pl.DataFrame(self.seen, schema=seen),
            pl.DataFrame([{**line, "round": name} for name in names], schema=zone_cards.ROUNDS),
        )

    def compared(self) -> Reconciled:
        day = self.frames()
        return compare(day.cards, day.sightings, day.rounds)

    def found(self) -> list[tuple[Any, ...]]:
        """Code, seat, hand and ordinal of every discrepancy."""
        return self.compared().discrepancies.select("code", "seat", "hand", "n").rows()

    def messages(self) -> list[str]:
        """The sentence of every discrepancy."""
        rows = self.compared().discrepancies.to_dicts()
        return [sentence(row["form"], row["seat"], row["hand"], None, None, arguments(row)) for row in rows]

    def drawn(self) -> pl.DataFrame:
        day = self.frames()
        return draws_from_camera(day.sightings, day.rounds)
