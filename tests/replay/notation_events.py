"""Events of the notation, as tests write them."""

from typing import Any

from replay.notation import Event, load

HEADER = "rulebook md-pontoon21\nday 2026-11-16\ndecks 6\n"
AT = "2026-11-16T14:05:07.000+00:00"
FLOOR = load(HEADER).floor


def events_of(body: str) -> list[Event]:
    return list(load(HEADER + body).events)


def terminal(type_: str, **fields: Any) -> Event:
    return {"source": "terminal", "type": type_, **fields}


def shoe(type_: str, **fields: Any) -> Event:
    return {"source": "shoe", "type": type_, **fields}


def draw(n: int, card: str, shoe_id: str = "S1", face: str = "down", **fields: Any) -> Event:
    return shoe("draw", shoe=shoe_id, n=n, card=card, face=face, **fields)


def wager(seat: int, bettor: int, kind: str, cents: int, **fields: Any) -> Event:
    return terminal("wager", round="1", seat=seat, bettor=bettor, kind=kind, cents=cents, **fields)


def decision(seat: int, hand: int, action: str, **fields: Any) -> Event:
    return terminal("decision", round="1", seat=seat, hand=hand, action=action, **fields)


def settle(seat: int, bettor: int, kind: str, hand: int, paid: int, taken: int) -> Event:
    amounts = {"paid_cents": paid, "taken_cents": taken}
    return terminal("settle", round="1", seat=seat, bettor=bettor, kind=kind, hand=hand, **amounts)


def rule(ruling: str | list[str], **fields: Any) -> Event:
    return terminal("irregularity", round="1", code="shoe.ten-found", ruling=ruling, **fields)


def progressive(system: str, action: str, **fields: Any) -> Event:
    return terminal("progressive", round="1", system=system, action=action, **fields)
