"""Irregular rounds: events that the contract allows and no clean round has."""

from collections.abc import Sequence
from random import Random
from typing import Any, Final

from replay import cards, codes, ops
from tests.generator.play import FACES, STAKES, Event


def mutated(events: Sequence[Event], rng: Random, times: int) -> list[Event]:
    """The same events with a few dropped, repeated, moved, changed or put in; all values stay the contract's."""
    changed = [dict(event) for event in events]
    for _ in range(times):
        if changed:
            rng.choice(_MUTATIONS)(changed, rng)
    return changed


def _drop(events: list[Event], rng: Random) -> None:
    del events[rng.randrange(len(events))]


def _repeat(events: list[Event], rng: Random) -> None:
    events.insert(rng.randrange(len(events) + 1), dict(rng.choice(events)))


def _move(events: list[Event], rng: Random) -> None:
    events.insert(rng.randrange(len(events)), events.pop(rng.randrange(len(events))))


def _change(events: list[Event], rng: Random) -> None:
    """Another value in one field."""
    event = rng.choice(events)
    names = [name for name in event if name in _OTHER_VALUES]
    if names:
        name = rng.choice(names)
        event[name] = rng.choice(
            ops.PROGRESSIVE_ACTIONS if "system" in event and name == "action" else _OTHER_VALUES[name]
        )


def _change_amount(events: list[Event], rng: Random) -> None:
    amounts = [(event, name) for event in events for name in event if name.endswith("cents")]
    if amounts:
        event, name = rng.choice(amounts)
        event[name] = rng.choice((0, 1, 499, 2500, 100001, event[name] * 2, event[name] // 2, event[name] + 1))


def _change_card(events: list[Event], rng: Random) -> None:
    draws = [event for event in events if event["type"] == "draw"]
    if draws:
        event = rng.choice(draws)
        event.update(rng.choice(({"face": "up"}, {"card": cards.NAMES[rng.choice(FACES)]})))


def _put_in(events: list[Event], rng: Random) -> None:
    """Something new at any place of the round."""
    names = [event["round"] for event in events if event.get("round")]
    place = {"seat": rng.randint(1, 7), "bettor": rng.randint(1, 3), "hand": rng.randint(1, 3)}
    terminal = {"source": "terminal", "round": rng.choice(names or ["1"])}
    new: Event = rng.choice(
        [
            {"source": "shoe", "type": "draw", "shoe": "S1", "n": 99, "card": cards.NAMES[rng.choice(FACES)]},
            {"source": "shoe", "type": "hole_card_check", "result": rng.choice(ops.CHECK_RESULTS)},
            {"source": "shoe", "type": rng.choice(("fault", "repaired")), "device": rng.choice(ops.DEVICES)},
            {"source": "shoe", "type": "shoe_loaded", "shoe": "S2", "from": rng.choice(("decks", "discards"))},
            {"source": "shoe", "type": "cut_card", "shoe": "S1", "n": 5},
            {**terminal, "type": "wager", **place, "kind": rng.choice(_WAGERS), "cents": rng.choice(STAKES)},
            {**terminal, "type": "decision", **place, "action": rng.choice(ops.ACTIONS)},
            {**terminal, "type": "assign", **place},
            {**terminal, "type": "withdraw", **place, "kind": rng.choice(_WAGERS)},
            {**terminal, "type": "settle", **place, "kind": rng.choice(ops.KINDS), "paid_cents": rng.choice(STAKES)},
            {**terminal, "type": "offer", "what": "surrender", "state": "open"},
            {**terminal, "type": "progressive", **place, **_progressive(rng)},
            {**terminal, "type": "irregularity", **place, **_ruling(rng)},
            {**terminal, "type": "irregularity", **_ruling(rng)},
        ]
    )
    events.insert(rng.randrange(len(events) + 1), new)


def _progressive(rng: Random) -> Event:
    symbol = rng.choice(("jackpot", "jackpot-secondary", "500", "community-50"))
    amounts = {"prize_cents": rng.choice(STAKES), "meter_cents": rng.choice(STAKES)}
    action = rng.choice(ops.PROGRESSIVE_ACTIONS)
    return {"system": rng.choice(ops.SYSTEMS), "action": action, "symbol": symbol, **amounts}


def _ruling(rng: Random) -> Event:
    fields: Event = {"code": rng.choice(_RULED), "ruling": rng.sample(ops.RULINGS, rng.randint(1, 2))}
    if rng.random() < 0.5:
        fields.update(n=rng.sample(range(1, 20), 2), exposed=rng.random() < 0.5)
    if rng.random() < 0.3:
        fields["refused_by"] = rng.sample(range(1, 8), 2)
    return fields


_MUTATIONS: Final = (_drop, _repeat, _move, _change, _change_amount, _change_card, _put_in, _put_in)
_WAGERS: Final = ops.KINDS[: ops.SUPER_BONUS]
_RULED: Final = tuple(code.name for code in codes.CODES)
_OTHER_VALUES: Final[dict[str, Sequence[Any]]] = {
    "seat": range(1, 9),
    "hand": range(1, 5),
    "bettor": range(1, 5),
    "kind": _WAGERS,
    "action": ops.ACTIONS,
    "patron": ("P11", "P21", "P31"),
    "result": ops.CHECK_RESULTS,
}
