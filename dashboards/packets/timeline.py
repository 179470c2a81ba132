"""Every step of a round with the line that tells of it, and every card with all that is known of it."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from dashboards.packets.gather import Dossier, Row
from replay.narrative import Cited, Step, UsedReading
from replay.narrative.words import card_text, place_text

Data = dict[str, Any]


def steps(dossier: Dossier) -> list[Data]:
    """The round step by step."""
    return [_step(dossier, step) for step in dossier.account.steps]


def _step(dossier: Dossier, step: Step) -> Data:
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


def _moment(step: Step) -> datetime | None:
    return datetime.fromisoformat(step.time) if step.time else None


def source(row: Row) -> Data:
    """Where a line stands, and its time on the clock of what wrote it."""
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
    """Every card drawn, burned ones since the round before included, with what each source says of it."""
    published = {(row["shoe"], row["n"]): row for row in dossier.cards if row["source"] == "shoe"}
    seen_only = iter([row for row in dossier.cards if row["source"] == "camera"])
    found = []
    for step in dossier.account.steps:
        event = dossier.event(step)
        if event["type"] != "draw":
            continue
        line = dossier.line(step)
        row = next(seen_only, None) if line is None else published.get((event.get("shoe"), event.get("n")))
        found.append(_card(dossier, step, event, line, row or {}))
    return found


def _card(dossier: Dossier, step: Step, event: Data, line: Row | None, row: Row) -> Data:
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
    """What cameras saw at the card's place, or where they saw it instead."""
    if not row or row["zone"] is None:
        return []
    zone, position = row["zone"], row["position"]
    there = [each for each in dossier.sightings if each["zone"] == zone and each["order"] == position]
    if not there and row["seen_zone"] not in (None, zone):
        there = [each for each in dossier.sightings if (each["zone"], each["card"]) == (row["seen_zone"], row["card"])]
    # Before a split another card lay there: a camera that saw the card that was compared is asked for nothing else.
    told = {each["camera"] for each in there if row["seen_card"] and each["card"] == row["seen_card"]}
    return [each for each in there if each["camera"] not in told or each["card"] == row["seen_card"]]


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
    """Whether the sources agree on a card, in a word and in words."""
    read = [look for look in looks if look["card"]]
    if card is None:
        return "not read", "the camera saw a card here and could not read it"
    if not looks:
        return "one source", "no camera saw it"
    others = {look["card"] for look in read if look["card"] != card}
    if others:
        saw = " and ".join(card_text(other) for other in sorted(others))
        return "disagree", f"the shoe read {card_text(card)}, the camera saw {saw}"
    if any(look["zone"] != zone for look in looks):
        seen = ", ".join(sorted({zone_words(look["zone"]) for look in looks}))
        return "disagree", f"dealt to {zone_words(zone)}, seen at {seen}"
    if not read:
        return "one source", "the camera saw a card here and did not read it"
    if row.get("source") == "camera":
        return "one source", "only the camera tells of it"
    return "agree", "shoe and camera agree"


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
