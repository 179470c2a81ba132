"""Every step of a round with the line that tells of it, and every card with all that is known of it."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from dashboards.packets.gather import Dossier, Row
from replay.narrative import Cited, RoundStep, UsedReading
from replay.wording import card_text, place_text

Data = dict[str, Any]


def steps(dossier: Dossier) -> list[Data]:
    """The round step by step."""
    return [_step(dossier, step) for step in dossier.account.steps]


def _step(dossier: Dossier, step: RoundStep) -> Data:
    event, line = dossier.event(step), dossier.line(step)
    return {
        "step": step.number,
        "type": event["type"],
        "turn": step.turn,
        "words": step.words,
        "card": step.card,
        "place": step.place,
        "seat": step.seat,
        "hand": step.hand,
        "hand_cards": list(step.cards),
        "total": step.total,
        "soft": step.soft,
        "clause": cited(step.clause),
        "findings": [{"code": mark.code, "severity": mark.severity, "message": mark.message} for mark in step.findings],
        "corrected": _moment(step),
        "shoe": event.get("shoe"),
        "n": event.get("n") if event["type"] == "draw" else None,
        "line": source(line) if line else None,
    }


def _moment(step: RoundStep) -> datetime | None:
    return datetime.fromisoformat(step.time) if step.time else None


def source(row: Row) -> Data:
    """Return a line's source, device, file and line number, with its time on the device's own clock."""
    return {
        "source": row.get("source", "camera"),
        "device": row["device"],
        "seq": row["seq"],
        "own_time": row["ts"],
        "path": row["path"],
        "line": row["line"],
    }


def cited(clause: Cited | None) -> Data | None:
    """A clause for JSON."""
    if clause is None:
        return None
    return {"rulebook": clause.rulebook, "number": clause.number, "id": clause.id, "says": clause.says}


def reading(used: UsedReading) -> Data:
    """A reading for JSON."""
    return {
        "name": used.name,
        "value": used.value,
        "default": used.default,
        "clause": cited(used.clause),
        "why": used.why,
    }


# Cards.


def cards(dossier: Dossier) -> list[Data]:
    """Return every card drawn, including those burned since the previous round, with each source's reading."""
    published = {row["place"]: row for row in dossier.cards}
    found = []
    for step in dossier.account.steps:
        event = dossier.event(step)
        if event["type"] != "draw":
            continue
        row = published.get(step.event + 1, {})  # places are counted from 1
        found.append(_card(dossier, step, event, dossier.line(step), row))
    return found


def _card(dossier: Dossier, step: RoundStep, event: Data, line: Row | None, row: Row) -> Data:
    zone, position = row.get("zone"), row.get("position")
    looks = [_look(each) for each in _sightings(dossier, row)]
    agreement, why = _compare(event.get("card"), zone, looks, row)
    return {
        "step": step.number,
        "shoe": event.get("shoe"),
        "n": event.get("n"),
        "card": event.get("card"),
        "face": event.get("face", "down"),
        "place": step.place,
        "zone": zone,
        "position": position,
        "corrected": _moment(step),
        "shoe_time": line["ts"] if line else None,
        "line": source(line) if line else None,
        "sightings": looks,
        "agreement": agreement,
        "why": why,
    }


def _sightings(dossier: Dossier, row: Row) -> list[Row]:
    """Return the camera sightings of a card, at its dealt zone or at the zone where a camera saw it instead.

    If several cards lay at the position in turn (a split moves one), the audit's match is returned.
    """
    if not row or row["zone"] is None:
        return []
    zone = row["seen_zone"] or row["zone"]
    seen = row["card"] if row["source"] == "camera" else row["seen_card"]
    there = [each for each in dossier.sightings if each["zone"] == zone and each["card"] in (None, seen)]
    at_place = [each for each in there if each["order"] == row["position"]]
    return at_place if at_place or zone == row["zone"] else [each for each in there if each["card"]][:1]


def _look(row: Row) -> Data:
    return {
        "camera": row["camera"],
        "own_time": row["ts"],
        "corrected": row["corrected"],
        "until": row["until"],
        "zone": row["zone"],
        "order": row["order"],
        "face": row["face"],
        "card": row["card"],
        "confidence": row["confidence"],
        "sideways": row["sideways"],
        "frame": row["frame"],
        "path": row["path"],
        "line": row["line"],
    }


def _compare(card: str | None, zone: str | None, looks: list[Data], row: Row) -> tuple[str, str]:
    """Compare the sources on a card: return the verdict as a short state and as a sentence."""
    if card is None:
        return "not read", "the camera saw a card here and could not read it"
    if row.get("source") == "camera":
        return "one source", "only the camera tells of it"
    seen, seen_zone = row.get("seen_card"), row.get("seen_zone")
    if seen and seen != card:
        return "disagree", f"the shoe read {card_text(card)}, the camera saw {card_text(seen)}"
    if seen_zone and seen_zone != zone:
        return "disagree", f"dealt to {zone_words(zone)}, seen at {zone_words(seen_zone)}"
    if seen:
        return "agree", "shoe and camera agree"
    return "one source", "the camera saw a card here and did not read it" if looks else "no camera saw it"


def zone_words(zone: str | None) -> str:
    """``box 3 hand 2`` for ``seat3.hand2``."""
    if zone is None:
        return "no known place"
    if not zone.startswith("seat"):
        return {"dealer": "the dealer", "discard": "the discards", "burn": "the burned cards"}.get(zone, zone)
    seat, _, hand = zone.removeprefix("seat").partition(".hand")
    return place_text(int(seat), int(hand or 1))


def marked(listed: list[Data]) -> Iterator[tuple[int, int, int]]:
    """Box, hand and place of the cards on which sources disagree."""
    for card in listed:
        if card["agreement"] == "disagree" and card["zone"] and card["position"]:
            seat, _, hand = card["zone"].removeprefix("seat").partition(".hand")
            if seat.isdecimal() and hand.isdecimal():
                yield int(seat), int(hand), card["position"]
            elif card["zone"] == "dealer":
                yield 0, 0, card["position"]
