"""The plain-text notation: what a bad text is told, and what cannot be said."""

from typing import Any

import pytest

from replay import ops
from replay.notation import Event, NotationError, Script, dump, load
from tests.replay.notation_events import AT, FLOOR, HEADER, decision, draw, shoe, terminal, wager

TIMES = "@14:05:07, @14:05:07.250 or @2026-11-16T14:05:07.250+08:00"
PLACES = "a place such as 3, 3.2 or 3.2/2 (box, hand, bettor, each from 1)"
KINDS = f"a kind ({', '.join(ops.KINDS[: ops.SUPER_BONUS])})"
SETTLE_KINDS = f"{KINDS[:-1]}, super-bonus, super-bonus-share)"
RULINGS = f"a ruling ({', '.join(ops.RULINGS)})"
AMOUNT = "an amount such as 25 or 12.50"
BAD_HEADERS = [
    ("", 1, "expected 'rulebook' in the header, found the end of the text; add a line such as 'rulebook md-pontoon21'"),
    (
        "# nothing\n\n",
        3,
        "expected 'rulebook' in the header, found the end of the text; add a line such as 'rulebook md-pontoon21'",
    ),
    ("decks 6", 1, "expected 'rulebook NAME' first, found 'decks'; begin with a line such as 'rulebook md-pontoon21'"),
    ("\nround 1", 2, "expected 'rulebook' in the header, found 'round'; add a line such as 'rulebook md-pontoon21'"),
    ("rulebook a\nround 1", 2, "expected 'decks' in the header, found 'round'; add a line such as 'decks 6'"),
    ("rulebook a", 1, "expected 'decks' in the header, found the end of the text; add a line such as 'decks 6'"),
    ("rulebok a", 1, "expected a statement, found 'rulebok'; did you mean 'rulebook'?"),
    ("rulebook", 1, "expected a word, found the end of the line"),
    ("rulebook a b", 1, "expected the end of the line, found 'b'"),
    ("rulebook a\nrulebook b", 2, "expected 'rulebook' once, found 'rulebook'; it stands in line 1 already"),
    ("rulebook a\ndecks six", 2, "expected a number from 1, found 'six'"),
    ("rulebook a\ndecks 0", 2, "expected a number from 1, found '0'"),
    ("rulebook a\nday 16.11.2026", 2, "expected a day such as 2026-11-16, found '16.11.2026'"),
    ("rulebook a\nday 2026-02-30", 2, "expected a day such as 2026-11-16, found '2026-02-30'"),
    ("rulebook a\nlimits 5 1000", 2, "expected 'to', found '1000'"),
    ("rulebook a\nchip 1.5", 2, f"expected {AMOUNT}, found '1.5'"),
    ("rulebook a\noption x true", 2, "expected '=', found 'true'"),
    (
        "rulebook a\noption x = 1.5",
        2,
        "expected true, false, an integer or a word, found '1.5'; put it in quotes if it is a word",
    ),
    (
        "rulebook a\noption x_cents = five",
        2,
        "expected cents such as 500, or false, found 'five'; x_cents is in whole cents",
    ),
    (
        "rulebook a\noption x = 1\noption x = 2",
        3,
        "expected 'option x' once, found 'option x'; it stands in line 2 already",
    ),
    ("rulebook a\nmeter spin reset 10", 2, "expected 'rate', found the end of the line"),
    (
        "rulebook a\nprogressive bonus",
        2,
        "expected a progressive (bonus-spin, bsx16), found 'bonus'; did you mean 'bonus-spin'?",
    ),
    (
        "rulebook a\ndecks 6\nround 1\nboxes 7",
        4,
        "expected 'boxes' in the header, found 'boxes'; move it above the first round or event",
    ),
    ('rulebook "a', 1, "expected a closing quote, found the end of the line; quotes come in pairs"),
    ('rulebook "\\x"', 1, "expected a quoted text with no escapes but those of JSON, found '\"\\x\"'"),
]
BAD_EVENTS = [
    ("bett 1 25", "expected a statement, found 'bett'; did you mean 'bet'?"),
    ("Bet 1 25", "expected a statement, found 'Bet'; did you mean 'bet'?"),
    ("round 2", "expected 'end' of round 1 before the next, found 'round 2'; write 'end' above it"),
    (
        "round 2 @14:05:07",
        f"expected no time after 'round', found '@{AT}'; it is no event, put the time on the next line",
    ),
    ("bet 0 25", f"expected {PLACES}, found '0'"),
    ("bet 1.0 25", f"expected {PLACES}, found '1.0'"),
    ("bet 1/ 25", f"expected {PLACES}, found '1/'"),
    ("bet x 25", f"expected {PLACES}, found 'x'"),
    ("0 hit", f"expected {PLACES}, found '0'"),
    ("bet 1", f"expected {AMOUNT}, found the end of the line"),
    ("bet 1 $25", f"expected {AMOUNT}, found '$25'"),
    ("bet 1 2.5", f"expected {AMOUNT}, found '2.5'"),
    ("bet 1 1,00", f"expected {AMOUNT}, found '1,00'"),
    ("bet 1 -25", f"expected {AMOUNT}, found '-25'"),
    ("bet 1 mtach 5", f"expected {KINDS}, found 'mtach'; did you mean 'match'?"),
    ("bet 1 super-bonus 5", f"expected {KINDS}, found 'super-bonus'"),
    ("bet 1 25 by bob", "expected 'patron' or 'for' or the end of the line, found 'by'"),
    ("bet 1 25 patron", "expected a name, found the end of the line"),
    (
        "bet 1 25 patron Lee, Bob",
        "expected one name without a comma, found 'Lee,'; put it in quotes if the comma belongs to it",
    ),
    ("pay 1 bonus 5", f"expected {SETTLE_KINDS}, found 'bonus'; did you mean 'bonus-spin'?"),
    ("pay 1 25 1.10", "expected 'take', found '1.10'"),
    ("push 1 main 25", "expected the end of the line, found '25'"),
    ("no bets", "expected 'more', found 'bets'"),
    ("deal", "expected a card such as 7S, found the end of the line"),
    ("deal 8S 1S", "expected a card such as 7S, found '1S'"),
    ("deal 7s", "expected a card such as 7S, found '7s'"),
    ("dealer 10S 7S", "expected a card such as 7S, found '10S'"),
    ("1 hti 9C", "expected an action (hit, stand, double, split, surrender, rescue), found 'hti'; did you mean 'hit'?"),
    ("1 hit 25", "expected cards or 'by' after 'hit', found '25'; only split and double take an amount"),
    ("1/2 hit", "expected a box and hand such as 3.2, found '1/2'; write 'by 2' after the action"),
    ("1 hit by x", "expected a number from 1, found 'x'"),
    ("1 hit 9C by 1", "expected a card such as 7S, found 'by'"),
    ("assign 1.2 to hand 2", "expected a box and bettor such as 1/2, found '1.2'; the hand comes after 'to hand'"),
    ("rule shoe.ten-found by ito", f"expected {RULINGS}, found 'by'"),
    ("rule shoe.ten-found remove-card, continu", f"expected {RULINGS}, found 'continu'; did you mean 'continue'?"),
    (
        "rule shoe.ten-found continue by a, b",
        "expected one name without a comma, found 'a,'; put it in quotes if the comma belongs to it",
    ),
    (
        "bsx16 spn",
        f"expected a progressive action ({', '.join(ops.PROGRESSIVE_ACTIONS)}), found 'spn'; did you mean 'spin'?",
    ),
    ("bsx16 paid meter third", "expected a meter (primary, secondary), found 'third'"),
    ("inspection D1 cards 288 tens 24 by dana,", "expected a name on both sides of a comma, found the end of the line"),
    ("cut S1 by dealer top 10", "expected 'bottom', found the end of the line"),
    ("shoe ends", "expected a whole number, found the end of the line"),
    ("fault roof", "expected a device (shoe, shuffler, reader, progressive, power), found 'roof'"),
    ("end @14:05", f"expected a time such as {TIMES}, found '@14:05'"),
    ("end @25:05:07", f"expected a time such as {TIMES}, found '@25:05:07'"),
]


@pytest.mark.parametrize(("text", "line", "message"), BAD_HEADERS, ids=[text for text, _, _ in BAD_HEADERS])
def test_bad_header(text: str, line: int, message: str) -> None:
    with pytest.raises(NotationError) as error:
        load(text)
    assert (error.value.line, str(error.value)) == (line, f"line {line}: {message}")


@pytest.mark.parametrize(("text", "message"), BAD_EVENTS, ids=[text for text, _ in BAD_EVENTS])
def test_bad_statement(text: str, message: str) -> None:
    with pytest.raises(NotationError) as error:
        load(f"{HEADER}\nround 1\n{text}\n")
    assert (error.value.line, str(error.value)) == (6, f"line 6: {message}")


def test_statement_like_no_other() -> None:
    with pytest.raises(
        NotationError, match=r"line 4: expected a statement, found 'xyzzy'; statements are rulebook, .*bet"
    ):
        load(HEADER + "xyzzy")


@pytest.mark.parametrize(
    "text", ["bet 1 25", "1 hit", "end", "pay 1 25", "no more bets", "offer insurance open", "assign 1 to hand 2"]
)
def test_event_of_a_round_outside_one(text: str) -> None:
    with pytest.raises(NotationError) as error:
        load(f"{HEADER}round 1\nend\n{text}")
    message = f"line 6: expected an open round for '{text.split()[0]}', found none; write 'round NAME' above it"
    assert str(error.value) == message


UNSAYABLE: list[tuple[list[Event], str]] = [
    ([shoe("seen", card="7S")], "event 1 (seen): the notation has no such event type"),
    ([terminal("close", device="T2")], "event 1 (close): the field 'device' has no place in the notation"),
    ([terminal("close", round="1")], "event 1 (close): the field 'round' has no place in the notation"),
    ([shoe("close")], "event 1 (close): the field 'source' must be 'terminal', found 'shoe'"),
    (
        [terminal("close", ts="2026-11-16T14:05:07+00:00")],
        "event 1 (close): the field 'ts' must be RFC 3339 with milliseconds and offset, "
        "found '2026-11-16T14:05:07+00:00'",
    ),
    ([terminal("open", decks=6)], "event 1 (open): the field 'dealer' is missing"),
    ([terminal("bets_closed")], "event 1 (bets_closed): the field 'round' is missing"),
    (
        [terminal("bets_closed", round="1"), terminal("bets_closed", round="2")],
        "event 2 (bets_closed): the field 'round' is 2 while round '1' has not ended",
    ),
    (
        [terminal("bets_closed", round="1"), terminal("irregularity", code="x", ruling="continue")],
        "event 2 (irregularity): the field 'round' is missing while round '1' is open",
    ),
    ([wager(1, 1, "main", -5)], "event 1 (wager): the field 'cents' cannot be written: expected whole cents, found -5"),
    (
        [draw(1, "7S"), draw(2, "1S")],
        "event 2 (draw): the field 'card' cannot be written: "
        "expected a card such as 7S that lies up or down, found '1S' 'down'",
    ),
    ([draw(0, "7S")], "event 1 (draw): the field 'n' cannot be written: expected a number from 1, found 0"),
    (
        [decision(1, 1, "hit", bettors=[])],
        "event 1 (decision): the field 'bettors' cannot be written: expected a list with something in it, found []",
    ),
]


@pytest.mark.parametrize(("events", "message"), UNSAYABLE, ids=[message for _, message in UNSAYABLE])
def test_dump_names_what_it_cannot_say(events: list[Event], message: str) -> None:
    with pytest.raises(ValueError) as error:
        dump(Script(FLOOR, tuple(events)))
    assert str(error.value) == message


UNSAYABLE_FLOORS: list[tuple[dict[str, Any], str]] = [
    ({"table": []}, "the floor must have exactly one table; write a text for each"),
    (
        {**FLOOR, "property": {"name": "A", "timezone": "UTC"}},
        "the field 'property.timezone' has no place in the notation",
    ),
    ({**FLOOR, "camera": 1}, "the field 'camera' has no place in the notation"),
    ({"table": [{**FLOOR["table"][0], "pit": 1}]}, "the field 'table.pit' has no place in the notation"),
    ({"table": [{**FLOOR["table"][0], "options": {}}]}, "the field 'options' of the floor is empty; leave it out"),
    (
        {"table": [{**FLOOR["table"][0], "options": {"x": 1.5}}]},
        "the field 'x' cannot be written: expected true, false, an integer or a word, found 1.5",
    ),
    (
        {"table": [{**FLOOR["table"][0], "from": "2026-01-01"}]},
        "the field 'from' of the table must be a date, found '2026-01-01'",
    ),
]


@pytest.mark.parametrize(("floor", "message"), UNSAYABLE_FLOORS, ids=[message for _, message in UNSAYABLE_FLOORS])
def test_dump_names_what_it_cannot_say_of_a_floor(floor: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:
        dump(Script(floor, ()))
    assert str(error.value) == message
