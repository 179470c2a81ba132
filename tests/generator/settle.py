"""Generated rounds settled as the engine expects it, at the prescribed moments, and whole days of them."""

from collections.abc import Iterable, Sequence
from random import Random

from replay import cards, rules
from replay.audit import Settlement
from tests.generator.play import MOMENT, Event, Round, Setup, Shoe, play_round, shuffled


def settled(round_: Round, settlements: Iterable[Settlement], rng: Random) -> list[Event]:
    """The round's events with settle lines for what is expected, each at its moment and in the prescribed order."""
    due: dict[tuple[str, int, int], list[Settlement]] = {}
    lines = list(settlements)
    super_seats = {line.seat for line in lines if line.kind == "super-bonus"}
    for line in lines:
        if line.expected_paid_cents or line.expected_taken_cents:
            due.setdefault(_moment_of(round_, line, super_seats, rng), []).append(line)
    events: list[Event] = []
    for event in round_.played:
        if event["type"] != MOMENT:
            events.append(event)
            continue
        for line in _ordered(round_, event["what"], due.pop((event["what"], event["seat"], event["hand"]), []), rng):
            events += _lines(round_.name, line, rng)
    assert not due, f"no moment for {due}"
    return events


def _moment_of(round_: Round, line: Settlement, super_seats: set[int], rng: Random) -> tuple[str, int, int]:
    r, up = round_.setup.rules, int(cards.RANK[round_.dealer[0]])
    if line.kind in ("match", "pair"):
        return "dealt", 0, 0
    if line.kind == "insurance":
        return ("second" if r.insurance_after_second or not r.reader else "checked"), 0, 0
    if line.kind == "bsx16":
        ran = any(event["type"] == MOMENT and event["what"] == "xtreme" for event in round_.played)
        return ("xtreme" if ran else "end"), 0, 0
    if line.kind not in ("main", "split", "double"):
        return "end", 0, 0
    hand = round_.hand(line.seat, line.hand)
    box = next(box for box in round_.boxes if box.seat == line.seat)
    at_hand = ("hand", line.seat, line.hand)
    stopped = not any(event.get("what") == "hand" for event in round_.played)
    if line.bettor in box.surrendered:
        return ("end", 0, 0) if r.surrender_waits >> up & 1 else at_hand
    if hand.total() > 21 or line.bettor in hand.rescued:
        return rng.choice((at_hand, ("end", 0, 0)))
    if r.wins_at_once and hand.total() == 21:
        if r.super_waits and line.seat in super_seats:
            return "end", 0, 0
        return ("dealt", 0, 0) if hand.is_blackjack() else at_hand
    at_once = round_.setup.table.book.id.startswith("md") and not r.reader_up >> up & 1
    return at_hand if hand.is_blackjack() and at_once and not stopped else ("end", 0, 0)


def _ordered(round_: Round, what: str, lines: list[Settlement], rng: Random) -> list[Settlement]:
    r = round_.setup.rules
    rng.shuffle(lines)
    order = {"dealt": r.match_order, "end": r.settle_order}.get(what, rules.ORDER_FREE)
    if order == rules.ORDER_COLLECT_FIRST:
        lines.sort(key=lambda line: line.expected_paid_cents > 0)
    elif order == rules.ORDER_RIGHT_TO_LEFT:
        lines.sort(key=lambda line: -line.seat)
    return lines


def _lines(name: str, line: Settlement, rng: Random) -> list[Event]:
    """A settle line; at times a payment comes in two parts."""
    paid = line.expected_paid_cents
    parts = [(paid, line.expected_taken_cents)]
    if paid > 1 and rng.random() < 0.05:
        parts = [(paid // 2, line.expected_taken_cents), (paid - paid // 2, 0)]
    place = {"seat": line.seat, "bettor": line.bettor, "kind": line.kind, "hand": line.hand}
    return [
        {"source": "terminal", "type": "settle", "round": name, **place, "paid_cents": paid, "taken_cents": taken}
        for paid, taken in parts
    ]


def settle_all(setup: Setup, played: Sequence[Round], rng: Random) -> list[list[Event]]:
    """Rounds with the settle lines that the engine expects of them."""
    result = setup.audit(event for round_ in played for event in round_.events())
    by_round: dict[str, list[Settlement]] = {}
    for line in result.settlements:
        by_round.setdefault(line.round, []).append(line)
    return [settled(round_, by_round.get(round_.name, []), rng) for round_ in played]


# A table's day.


def day(setup: Setup, rng: Random, count: int) -> list[Event]:
    """An opened table: inspected decks, shoes with burn and cut card, and that many rounds, settled."""
    r, number, shoe_number = setup.rules, 0, 0
    events: list[Event] = [{"source": "terminal", "type": "open", "decks": setup.table.decks, "dealer": "ann"}]
    if r.reader:
        events.append({"source": "shoe", "type": "reader_check", "result": "ok", "by": "ann"})
    for decks_id in ("D1", "D2"):
        fields = {"decks_id": decks_id, "cards": 48 * setup.table.decks, "tens_removed": 4 * setup.table.decks}
        events.append({"source": "terminal", "type": "inspection", **fields, "by": ["ann", "bob"]})
    while number < count:
        shoe_number += 1
        shoe = shuffled(setup, rng, f"S{shoe_number}", stacked=False)
        events += _open_shoe(setup, shoe, f"D{1 + shoe_number % 2}")
        stop = rng.randint(len(shoe.cards) // 2 + 1, len(shoe.cards) * 5 // 8)
        while number < count and shoe.drawn < stop:
            number += 1
            events += settle_all(setup, [play_round(setup, rng, shoe, str(number))], rng)[0]
        if shoe.drawn >= stop:
            events = _with_cut_card(events, shoe.name, stop)
        events.append(
            {"source": "shoe", "type": "shoe_ended", "shoe": shoe.name, "remaining": len(shoe.cards) - shoe.drawn}
        )
    return [*events, {"source": "terminal", "type": "close"}]


def _open_shoe(setup: Setup, shoe: Shoe, decks_id: str) -> list[Event]:
    loaded = {"shoe": shoe.name, "decks_id": decks_id, "decks": setup.table.decks, "shuffle": "machine"}
    cut = {"shoe": shoe.name, "by": "seat 3", "from_top": 60, "from_bottom": len(shoe.cards) - 60}
    events = [
        {"source": "shoe", "type": "shoe_loaded", **loaded},
        {"source": "terminal", "type": "cut", **cut},
    ]
    return [*events, shoe.draw()] if setup.rules.burn_first else events


def _with_cut_card(events: list[Event], shoe: str, drawn: int) -> list[Event]:
    """The cut card comes out after that many cards."""
    card = {"source": "shoe", "type": "cut_card", "shoe": shoe, "n": drawn}
    at = next(i for i, e in enumerate(events) if e["type"] == "draw" and e["shoe"] == shoe and e["n"] == drawn)
    return [*events[: at + 1], card, *events[at + 1 :]]
