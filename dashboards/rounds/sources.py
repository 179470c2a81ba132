"""Readings of terminal, shoe and cameras for every card of a round, side by side."""

from typing import Any

from dashboards.packets import timeline
from dashboards.packets.gather import Dossier
from replay import felt

Data = dict[str, Any]


def side_by_side(dossier: Dossier) -> list[Data]:
    """Every card with all that is known of it; ``across``: whether it lies across because its hand was doubled."""
    table = felt.scene(dossier.account, dossier.retold.audit.encoded.events)
    across = {
        (f"seat{box.seat}.hand{hand.number}", place): card.sideways
        for box in table.boxes
        for hand in box.hands
        for place, card in enumerate(hand.cards, 1)
    }
    return [_compared(card, across.get((card["zone"], card["position"]))) for card in timeline.cards(dossier)]


def _compared(card: Data, across: bool | None) -> Data:
    """A card with the way it lies, on which sources may disagree as well."""
    seen = [look["sideways"] for look in card["sightings"] if look["sideways"] is not None]
    found = {**card, "across": bool(across)}
    if across is None or all(way == across for way in seen) or card["agreement"] == "disagree":
        return found
    why = "its hand was doubled, but it was seen upright" if across else "seen across, but its hand was not doubled"
    return {**found, "agreement": "disagree", "why": why}
