"""Invariants of every round, clean or not, under every rulebook."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from math import ceil
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replay import cards, notation, ops, rules
from replay.audit import Audit, Settlement
from replay.engine import layout as L
from replay.rulebook_file import odds
from tests import generator
from tests.generator import BOOKS, Box, Event, Hand, Round, Setup
from tests.some import some

SEEDS = st.integers(0, 2**32 - 1)
REMOVES = [book for book in BOOKS if not book.startswith("mbs")]  # mbs voids for a ten and plays a card found face up

Test = Callable[..., None]
Amounts = dict[tuple[str, int], tuple[int, int]]  # by kind and hand: paid and taken


def over_rounds(books: list[str], examples: int = 40) -> Callable[[Test], Test]:
    """A test of a rulebook and a seed, for some seeds of every rulebook."""

    def decorate(test: Test) -> Test:
        tried: Test = settings(max_examples=examples, deadline=None, derandomize=True)(given(seed=SEEDS)(test))
        over_books: Test = pytest.mark.parametrize("book", books)(tried)
        return over_books

    return decorate


def clean_round(book: str, seed: int) -> tuple[Setup, Random, Round, Audit]:
    rng = Random(seed)
    setup = generator.random_setup(book, rng)
    round_ = generator.play_round(setup, rng, generator.shuffled(setup, rng))
    return setup, rng, round_, setup.audit(round_.events())


def settled_events(book: str, seed: int) -> tuple[Setup, Random, list[Event]]:
    setup, rng, round_, result = clean_round(book, seed)
    return setup, rng, generator.settled(round_, result.settlements, rng)


def expected(line: Settlement) -> tuple[object, ...]:
    """Return every field of a settlement that follows from the rulebook."""
    place = (line.seat, line.bettor, line.for_bettor, line.kind, line.hand, line.stake_cents)
    return (*place, line.expected_paid_cents, line.expected_taken_cents, line.clause, line.reason, line.odds)


def is_undetermined(line: Settlement) -> bool:
    return line.verdict == "undetermined"


@over_rounds(list(BOOKS), 100)
def test_clean_rounds_have_no_findings(book: str, seed: int) -> None:
    setup, rng, round_, result = clean_round(book, seed)
    assert {finding.code for finding in result.findings} <= {"settlement.missing"}
    assert not any(map(is_undetermined, result.settlements))
    assert setup.audit(generator.settled(round_, result.settlements, rng)).findings == ()


@pytest.mark.parametrize("book", BOOKS)
def test_a_clean_day_has_no_findings(book: str) -> None:
    rng = Random(book)
    setup = generator.random_setup(book, rng)
    result = setup.audit(generator.day(setup, rng, 60))
    assert [finding.message for finding in result.findings] == []


@over_rounds(list(BOOKS), 80)
def test_every_card_drawn_is_somewhere(book: str, seed: int) -> None:
    setup, rng, events = settled_events(book, seed)
    result = setup.audit(generator.mutated(events, rng, seed % 5))
    drawn = result.encoded.tape.op == ops.DRAW
    roles = Counter(int(role) for role in result.verdicts.zones[drawn, 0])
    assert roles[L.UNPLACED] == 0
    assert sum(roles.values()) == np.count_nonzero(drawn)
    assert roles[L.TO_BOX] == result.verdicts.hands[:, L.O_CARDS].sum()
    assert roles[L.TO_DEALER] == result.verdicts.rounds[:, L.R_DEALER_CARDS].sum()
    assert not result.verdicts.zones[~drawn].any()


@over_rounds(list(BOOKS), 80)
def test_nobody_is_taken_for_more_than_the_stake(book: str, seed: int) -> None:
    setup, rng, events = settled_events(book, seed)
    for line in some(setup.audit(generator.mutated(events, rng, seed % 5)).settlements):
        assert 0 <= line.expected_taken_cents <= line.stake_cents
        assert line.expected_paid_cents >= 0
        if is_undetermined(line):
            assert (line.expected_paid_cents, line.expected_taken_cents, line.variance_cents) == (0, 0, 0)


def stated_odds(setup: Setup, line: Settlement) -> Fraction:
    """The odds that the cited clause states for what the wager won by; matches of two cards add up."""
    book = setup.table.book
    stated = {name for name, clause in book.stated_by.items() if book.clauses[clause].id == line.clause}
    name = f"odds.{line.odds}"
    if name in stated:
        return odds(book.parameters[name])
    assert line.odds is not None and line.odds.startswith("match.")
    decks = f"odds.match.{6 if setup.table.decks <= 6 else 8}"
    parts = [part for part in line.odds.split(".")[1].replace("-", " ").split() if part in ("suited", "unsuited")]
    times = {"2": 2}.get(line.odds.split(".")[1][0], 1) if len(parts) == 1 else 1
    assert f"{decks}.{parts[0]}" in stated
    return sum((odds(book.parameters[f"{decks}.{part}"]) for part in parts * times), Fraction(0))


@over_rounds(list(BOOKS), 80)
def test_a_wager_is_paid_by_the_clause_that_is_cited(book: str, seed: int) -> None:
    setup, _, _, result = clean_round(book, seed)
    for line in some(result.settlements):
        if line.odds is None or not line.expected_paid_cents:
            continue
        if line.reason == "outcome.capped":
            assert line.expected_paid_cents == setup.rules.payout_cap
        else:
            assert line.expected_paid_cents == ceil(line.stake_cents * stated_odds(setup, line))


# A second opinion: the rulebooks side by side, on hands that are known in full.


def won_by(round_: Round, hand: Hand) -> tuple[int, Fraction]:
    """1, 0 or -1 for a win, tie or loss, and the odds of a win before bonuses."""
    r, points, dealers = round_.setup.rules, hand.total(), cards.total(round_.dealer)[0]
    even = Fraction(1)
    if points > 21:
        return -1, even
    if hand.is_blackjack():
        return 1, even if r.blackjack_against_21 and dealers != 21 else Fraction(3, 2)
    if points == 21 and r.wins_at_once:
        return 1, even
    if points == 21 and dealers == 21:
        if len(hand.cards) == 2:
            three_to_two = r.split_21 == rules.SPLIT21_WIN_3_2
            return int(r.split_21 != rules.SPLIT21_PUSH), Fraction(3, 2) if three_to_two else even
        return -1 if len(round_.dealer) == 2 else 1, even
    return (1 if dealers > 21 else (points > dealers) - (points < dealers)), even


def bonus(hand: Hand) -> Fraction | None:
    """The odds of a bonus 21."""
    ranks, suits = sorted(int(cards.RANK[card]) for card in hand.cards), {int(cards.SUIT[card]) for card in hand.cards}
    if hand.total() != 21:
        return None
    if ranks in ([cards.SIX, cards.SEVEN, cards.EIGHT], [cards.SEVEN] * 3):
        return Fraction(3, 2) if len(suits) > 1 else Fraction(3 if suits == {0} else 2)
    return {5: Fraction(3, 2), 6: Fraction(2)}.get(len(hand.cards), Fraction(3) if len(hand.cards) > 6 else None)


def winnings(round_: Round, hand: Hand, bettor: int, kind: str, stake: int) -> int:
    r = round_.setup.rules
    result, paid_at = won_by(round_, hand)
    if result < 1:
        return 0
    joined = kind == "double" or bettor in hand.doublers
    no_bonus = (hand.doubled and (joined or not r.undoubled_bonus)) or (hand.split and not r.bonus_on_split)
    extra = None if no_bonus else bonus(hand)
    paid = ceil(stake * (extra or paid_at))
    return min(paid, r.payout_cap) if r.payout_cap and kind != "double" else paid


def second_opinion(round_: Round, box: Box, bettor: int, stakes: dict[tuple[str, int], int]) -> Amounts:
    """Return the payments and collections of one bettor's main, split and double wagers, in cents."""
    r = round_.setup.rules
    dealer_blackjack = len(round_.dealer) == 2 and cards.total(round_.dealer)[0] == 21
    spared = dealer_blackjack and len(box.hands) > 1 and r.after_split != rules.AFTER_SPLIT_ALL
    amounts: Amounts = {}
    collected = False
    for hand in box.hands:
        bust = hand.total() > 21 and not r.bust_original_only
        for kind, stake in [(kind, cents) for (kind, number), cents in stakes.items() if number == hand.number]:
            paid, taken = winnings(round_, hand, bettor, kind, stake), 0
            if bettor in box.surrendered:
                paid, taken = 0, stake if dealer_blackjack else stake // 2
            elif bettor in hand.rescued:
                paid, taken = 0, 0 if kind == "double" else stake
                collected = collected or r.after_split == rules.AFTER_SPLIT_ORIGINAL
            elif won_by(round_, hand)[0] < 0:
                back = dealer_blackjack and not bust and (kind == "double" or (spared and collected))
                taken = 0 if back else stake
                if kind != "double":
                    collected = collected or not bust or r.after_split == rules.AFTER_SPLIT_ORIGINAL
            amounts[kind, hand.number] = paid, taken
    return amounts


@over_rounds(list(BOOKS), 150)
def test_hands_are_worth_what_a_second_reading_says(book: str, seed: int) -> None:
    _, _, round_, result = clean_round(book, seed)
    for box in some(round_.boxes):
        for bettor in box.stakes:
            mine = [line for line in result.settlements if (line.seat, line.bettor) == (box.seat, bettor)]
            lines = [line for line in mine if line.kind in ("main", "split", "double")]
            stakes = {(line.kind, line.hand): line.stake_cents for line in lines}
            seen = {(line.kind, line.hand): (line.expected_paid_cents, line.expected_taken_cents) for line in lines}
            assert seen == second_opinion(round_, box, bettor, stakes)


def with_card(events: list[Event], at: int, card: str, face: str) -> list[Event]:
    """One card more, and those after it numbered on."""
    before = [event for event in events[:at] if event["type"] == "draw"]
    extra = {"source": "shoe", "type": "draw", "shoe": "S1", "n": len(before) + 1, "card": card, "face": face}
    later = [{**event, "n": event["n"] + 1} if event["type"] == "draw" else event for event in events[at:]]
    return [*events[:at], extra, *later]


@pytest.mark.parametrize("face", ["up", "down"])
@over_rounds(REMOVES)
def test_a_card_that_is_removed_changes_nothing_but_the_finding(book: str, seed: int, face: str) -> None:
    setup, rng, events = settled_events(book, seed)
    closed = next(i for i, event in enumerate(events) if event["type"] == "bets_closed")
    name = cards.NAMES[rng.choice(range(37, 41) if face == "down" else [1, 5, 21, 25, 41, 52])]
    code = "shoe.ten-found" if face == "down" else "shoe.face-up"
    before, after = (
        setup.audit(events),
        setup.audit(with_card(events, rng.randint(closed + 1, len(events) - 1), name, face)),
    )
    assert after.settlements == before.settlements
    assert [finding.code for finding in after.findings] == [code]


@over_rounds([book for book in BOOKS if book not in REMOVES])
def test_a_card_that_is_played_face_up_changes_nothing_but_the_finding(book: str, seed: int) -> None:
    setup, rng, events = settled_events(book, seed)
    draws = [i for i, event in enumerate(events) if event["type"] == "draw"]
    at = rng.choice(draws)
    changed = [*events[:at], {**events[at], "face": "up"}, *events[at + 1 :]]
    before, after = setup.audit(events), setup.audit(changed)
    assert after.settlements == before.settlements
    assert [finding.code for finding in after.findings] == ["shoe.face-up"]


def seated(round_: Round, order: list[int]) -> list[Event]:
    """The same hands with the boxes in another order: everybody gets the same cards, in a new seat."""
    seats = sorted(box.seat for box in round_.boxes)
    moved = dict(zip(order, seats, strict=True))
    played = round_.played
    closed = next(i for i, event in enumerate(played) if event["type"] == "bets_closed")
    ends = [i for i, event in enumerate(played) if event["type"] == generator.MOMENT]
    what = {played[i]["what"]: i for i in ends}
    dealt = played[closed + 1 : what["dealt"]]
    first, second, rest = dealt[: len(seats)], dealt[len(seats) + 1 : 2 * len(seats) + 1], dealt[2 * len(seats) + 1 :]
    places = [seats.index(seat) for seat in order]
    deal = [*(first[n] for n in places), dealt[len(seats)], *(second[n] for n in places), *rest]
    turns = what.get("turns", what["second"])
    blocks: list[Event] = []
    for seat in order:
        blocks += block_of(played, seat)
    last = max([turns, *(i for i in ends if played[i]["what"] == "hand")])
    tail = played[last + 1 :]
    events = [*played[: closed + 1], *deal, *played[what["dealt"] : turns], *blocks, *tail]
    relabelled = [{**event, "seat": moved[event["seat"]]} if event.get("seat") else event for event in events]
    return [event for event in relabelled if event["type"] != generator.MOMENT]


def block_of(played: list[Event], seat: int) -> list[Event]:
    """The events of one box's turn."""
    ends = [i for i, event in enumerate(played) if event.get("what") == "hand"]
    mine = [i for i in ends if played[i]["seat"] == seat]
    if not mine:
        return []
    before = [i for i in ends if i < mine[0]]
    start = max(before) if before else next(i for i, event in enumerate(played) if event.get("what") == "turns")
    return played[start + 1 : mine[-1] + 1]


@over_rounds(list(BOOKS))
def test_a_hand_is_worth_the_same_in_any_box(book: str, seed: int) -> None:
    setup, rng, round_, result = clean_round(book, seed)
    order = [box.seat for box in round_.boxes]
    rng.shuffle(order)
    moved = dict(zip(order, sorted(order), strict=True))
    after = setup.audit(seated(round_, order))
    assert {finding.code for finding in after.findings} <= {"settlement.missing"}
    before = Counter((moved[line.seat], *expected(line)[1:]) for line in result.settlements)
    assert Counter(expected(line) for line in after.settlements) == before


@over_rounds(list(BOOKS))
def test_the_order_of_settle_lines_changes_no_expected_amount(book: str, seed: int) -> None:
    setup, rng, events = settled_events(book, seed)
    places = [i for i, event in enumerate(events) if event["type"] == "settle"]
    shuffled = list(events)
    for place, other in zip(places, rng.sample(places, len(places)), strict=True):
        shuffled[place] = events[other]
    before, after = setup.audit(events).settlements, setup.audit(shuffled).settlements
    assert list(map(expected, after)) == list(map(expected, before))


@over_rounds(list(BOOKS))
def test_the_notation_keeps_the_verdicts(book: str, seed: int) -> None:
    setup, rng, events = settled_events(book, seed)
    changed = generator.mutated(events, rng, 2) if seed % 2 else events
    try:
        text = notation.dump(notation.Script(setup.data, tuple(changed)))
    except ValueError:
        assert changed is not events
        return  # what the notation cannot say, such as a line of a round that has ended
    script = notation.load(text)
    before, after = setup.audit(changed), generator.from_data(script.floor).audit(script.events)
    assert after.settlements == before.settlements
    assert after.findings == before.findings


@over_rounds(list(BOOKS), 120)
def test_every_variance_belongs_to_one_finding(book: str, seed: int) -> None:
    setup, rng, events = settled_events(book, seed)
    result = setup.audit(generator.mutated(events, rng, 1 + seed % 6))
    told = sum(finding.variance_cents for finding in result.findings)
    assert told == sum(line.variance_cents for line in result.settlements)
    assert all(line.verdict in ("correct", "undetermined") for line in result.settlements if not line.variance_cents)
