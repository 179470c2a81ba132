"""The record of a table's day in true time: terminal lines, shoe lines, cards and sightings."""

import random
from typing import Any

from tests.adversary.people import PACES

Event = tuple[int, str, dict[str, Any]]


class Card:
    """A card drawn, with its place on the table."""

    __slots__ = ("card", "ended", "index", "n", "position", "round", "shoe", "sighting", "t", "zone")

    def __init__(self, shoe: str, n: int, card: str, t: int, index: int, round_id: str | None) -> None:
        self.shoe, self.n, self.card, self.t, self.index, self.round = shoe, n, card, t, index, round_id
        self.zone, self.ended, self.position = "", "", 0
        self.sighting: dict[str, Any] | None = None


class Tape:
    """Events in true order with a running clock in true milliseconds."""

    def __init__(self, start_ms: int, rng: random.Random, camera: bool) -> None:
        self.t = start_ms
        self.rng = rng
        self.camera = camera
        self.pace = PACES["usual"]
        self.events: list[Event] = []
        self.cards: list[Card] = []
        self.seen: list[Event] = []

    def mark(self) -> tuple[int, int, int, int]:
        """Return the state to which a failed round is rolled back."""
        return self.t, len(self.events), len(self.cards), len(self.seen)

    def rollback(self, mark: tuple[int, int, int, int]) -> None:
        """Forget everything since mark."""
        self.t = mark[0]
        del self.events[mark[1] :], self.cards[mark[2] :], self.seen[mark[3] :]

    def wait(self, low_ms: int, high_ms: int) -> None:
        """Let between low_ms and high_ms pass."""
        self.t += int(low_ms + self.rng.random() * (high_ms - low_ms))

    def step(self) -> None:
        """Let the time between two events at the dealer's pace pass."""
        low, high = self.pace
        self.t += int(low + self.rng.random() * (high - low))

    def key(self, kind: str, /, **fields: Any) -> None:
        """Add a terminal line at the dealer's pace."""
        self.step()
        self.events.append((self.t, kind, fields))

    def device(self, kind: str, /, **fields: Any) -> None:
        """Add a shoe or reader line other than a draw."""
        self.step()
        fields["#"] = "shoe"
        self.events.append((self.t, kind, fields))

    def draw(self, shoe: str, n: int, card: str, round_id: str | None) -> Card:
        """Add a draw and return its card."""
        self.step()
        drawn = Card(shoe, n, card, self.t, len(self.events), round_id)
        self.events.append((self.t, "draw", {"#": "shoe", "shoe": shoe, "n": n, "card": card, "face": "down"}))
        self.cards.append(drawn)
        return drawn

    def sight(self, card: Card, zone: str, order: int, face_up: bool = True, sideways: bool = False) -> None:
        """Add a camera sighting shortly after the present moment; a card that lies face down is not read."""
        if not self.camera:
            return
        self.leave(card)
        t = self.t + int(40 + self.rng.random() * 55)
        fields = {
            "zone": zone,
            "order": order,
            "face": "up" if face_up else "down",
            "card": card.card if face_up else None,
            "confidence": round(0.95 + self.rng.random() * 0.049, 3),
            "sideways": sideways,
            "until": 0,
        }
        card.sighting = fields
        self.seen.append((t, "seen", fields))

    def leave(self, card: Card) -> None:
        """End a card's present sighting, because the card is moved or cleared away."""
        if card.sighting and not card.sighting["until"]:
            card.sighting["until"] = self.t

    def clear(self, mark: tuple[int, int, int, int]) -> None:
        """End every sighting since mark, because the table is cleared."""
        for t, _, fields in self.seen[mark[3] :]:
            if not fields["until"]:
                fields["until"] = max(t, self.t)
