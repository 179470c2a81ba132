"""The plain-text notation: what each statement says, that nothing is lost, and what a bad text is told."""

import time
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from replay import cards
from replay import notation_forms as forms
from replay.notation import Event, NotationError, Script, dump, load

HEADER = "rulebook md-pontoon21\nday 2026-11-16\ndecks 6\n"


def events_of(body: str) -> list[Event]:
    return list(load(HEADER + body).events)


def terminal(type_: str, **fields: Any) -> Event:
    return {"source": "terminal", "type": type_, **fields}


def shoe(type_: str, **fields: Any) -> Event:
    return {"source": "shoe", "type": type_, **fields}


def draw(n: int, card: str, shoe_id: str = "S1", face: str = "down", **fields: Any) -> Event:
    return shoe("draw", shoe=shoe_id, n=n, card=card, face=face, **fields)


# A whole table, in canonical form.
CANONICAL = """\
rulebook md-pontoon21
table P21-04
property Harbour Casino
day 2026-11-16
decks 6
boxes 7
limits 15 to 1000
chip 1
currency USD
option bonus_spin = B
option match_min_cents = 500
option payout_cap_cents = false
option resplit_aces = true
option settle_order = "12"
reading dealer_blackjack_after_split = original
meter spin rate 150000 reset 1000
progressive bonus-spin meter spin jackpot 1000 authorise 1200
progressive bsx16 meter a secondary b authorise 1200

open dealer dana @13:00:00
inspection D1 cards 288 tens 24 by dana, ito
reader ok by ito
shoe S1 cards 288
cut S1 by seat 3 top 120 bottom 168
burn 4C

round 12
bet 1 25
bet 1 match 5
bet 1/2 12.50 patron bob
bet 1/2 insurance 5 for 1
no more bets @14:05:07
deal 8S 9H KD 8C 7D AH @14:05:07.250
offer insurance open
check no-blackjack
offer insurance closed
bet 1.2/2 split 12.50
1 split 25 3H @2026-11-16T14:05:40.000-05:00
1.1 hit 9C ^2D
1.1 stand 4D
1.2 double 25 7D
assign 1/2 to hand 2
withdraw 1/2 match
deal 6H 9C
take 1 25
pay 1.2 split 25
pay 1/2 -12.50
pay 1 bonus-spin 100 take 1.10
push 2 main
rule shoe.ten-found remove-card, continue by ito box 3 hand 1 bettor 2 shoe S1 card 5, 6 exposed refused by 1, 2
bonus-spin prize box 2 bettor 1 symbol 1000 pays 1000 meter primary 1250.40 by ito
bsx16 end_round meter 10
end

dealer eve
fault shuffler jam in tray 2
repaired shuffler
shoe S2 decks 8 set D2 shuffle manual from discards at 53

round 13
bet 1 25
no more bets
deal 4S 5S
cut card
deal 6S
shoe ends 60
continue S1 at 20
deal 6D
1 hit 7D
deal 8D
end

close
"""


def test_canonical_text_stays_as_it_is() -> None:
    script = load(CANONICAL)
    assert dump(script) == CANONICAL
    assert load(dump(script)) == script


def test_floor() -> None:
    assert load(CANONICAL).floor == {
        "property": {"name": "Harbour Casino"},
        "meter": [{"id": "spin", "rate_ppm": 150000, "reset_cents": 100000}],
        "table": [
            {
                "id": "P21-04",
                "from": date(2026, 11, 16),
                "rulebook": "md-pontoon21",
                "decks": 6,
                "boxes": 7,
                "currency": "USD",
                "min_cents": 1500,
                "max_cents": 100000,
                "chip_unit_cents": 100,
                "options": {
                    "bonus_spin": "B",
                    "match_min_cents": 500,
                    "payout_cap_cents": False,
                    "resplit_aces": True,
                    "settle_order": "12",
                },
                "readings": {"dealer_blackjack_after_split": "original"},
                "progressive": {
                    "bonus-spin": {"meter": "spin", "jackpot_cents": 100000, "authorise_from_cents": 120000},
                    "bsx16": {"meter": "a", "secondary_meter": "b", "authorise_from_cents": 120000},
                },
            }
        ],
    }


def test_header_defaults() -> None:
    script = load("\ufeff# a comment\r\n\r\nrulebook mbs-pontoon\r\ndecks 8\r\n")
    assert script.events == ()
    assert script.floor == {
        "table": [
            {
                "id": "T1",
                "from": date(2026, 1, 1),
                "rulebook": "mbs-pontoon",
                "decks": 8,
                "boxes": 7,
                "currency": "USD",
                "min_cents": 500,
                "max_cents": 100000,
                "chip_unit_cents": 100,
            }
        ]
    }
    assert load(dump(script)) == script


OUTSIDE: list[tuple[str, list[Event]]] = [
    ("open dealer dana", [terminal("open", dealer="dana", decks=6)]),
    ("open decks 8 dealer Dana Lee", [terminal("open", dealer="Dana Lee", decks=8)]),
    ('open dealer "decks, #1"', [terminal("open", dealer="decks, #1", decks=6)]),
    (
        "inspection D1 cards 288 tens 24 by dana lee,ito",
        [terminal("inspection", decks_id="D1", cards=288, tens_removed=24, by=["dana lee", "ito"])],
    ),
    ("dealer eve", [terminal("dealer_change", dealer="eve")]),
    ("dealer 4711", [terminal("dealer_change", dealer="4711")]),
    ('dealer "JD"', [terminal("dealer_change", dealer="JD")]),
    ("shoe S1", [shoe("shoe_loaded", shoe="S1", decks_id="D1", decks=6, shuffle="machine")]),
    (
        "shoe S9 decks 8 set D2 shuffle none cards 384 from decks at 53\nburn 4C",
        [
            shoe("shoe_loaded", **{"from": "decks"}, shoe="S9", decks_id="D2", decks=8, shuffle="none", cards=384),
            draw(53, "4C", "S9"),
        ],
    ),
    ("continue S7 at 53\nburn 4C ^TD", [draw(53, "4C", "S7"), draw(54, "TD", "S7", face="up")]),
    ("burn 4C\ncontinue S2\nburn 5C\ncontinue S1\nburn 6C", [draw(1, "4C"), draw(1, "5C", "S2"), draw(2, "6C")]),
    ("cut S1 by dealer top 1 bottom 2", [terminal("cut", shoe="S1", by="dealer", from_top=1, from_bottom=2)]),
    ("burn 4C 5C\ncut card", [draw(1, "4C"), draw(2, "5C"), shoe("cut_card", shoe="S1", n=2)]),
    ("cut card", [shoe("cut_card", shoe="S1", n=0)]),
    ("shoe ends 60", [shoe("shoe_ended", shoe="S1", remaining=60)]),
    (
        'shoe "ends"',
        [shoe("shoe_loaded", shoe="ends", decks_id="D1", decks=6, shuffle="machine")],
    ),
    ("reader fault by ito", [shoe("reader_check", result="fault", by="ito")]),
    ("check blackjack", [shoe("hole_card_check", result="blackjack")]),
    ("fault power", [shoe("fault", device="power")]),
    ("fault shuffler card jam, tray 2", [shoe("fault", device="shuffler", kind="card jam, tray 2")]),
    ("repaired shuffler jam", [shoe("repaired", device="shuffler", kind="jam")]),
    (
        "rule shoe.composition withdraw-decks",
        [terminal("irregularity", code="shoe.composition", ruling="withdraw-decks")],
    ),
    ("close @14:05:07.25" + "0", [terminal("close", ts="2026-11-16T14:05:07.250+00:00")]),
    ("close @2026-11-17T04:05:07Z", [terminal("close", ts="2026-11-17T04:05:07.000Z")]),
    ("close @2026-11-17T04:05:07.250+08:00", [terminal("close", ts="2026-11-17T04:05:07.250+08:00")]),
]


@pytest.mark.parametrize(("text", "events"), OUTSIDE, ids=[text for text, _ in OUTSIDE])
def test_statement_outside_a_round(text: str, events: list[Event]) -> None:
    assert events_of(text) == events
    script = load(HEADER + text)
    assert load(dump(script)) == script


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


AT = "2026-11-16T14:05:07.000+00:00"
INSIDE: list[tuple[str, list[Event]]] = [
    ("bet 1 25", [wager(1, 1, "main", 2500)]),
    ("bet 1 main 1,000", [wager(1, 1, "main", 100000)]),
    *[(f"bet 3 {kind} 5", [wager(3, 1, kind, 500)]) for kind in forms.KINDS if kind not in ("split", "double")],
    ("bet 3/2 10.05 patron bob for 1", [wager(3, 2, "main", 1005, patron="bob", for_bettor=1)]),
    ('bet 3/2 10 patron "bob for 2"', [wager(3, 2, "main", 1000, patron="bob for 2")]),
    ("bet 1.2/2 split 10", [wager(1, 2, "split", 1000, hand=2)]),
    ("bet 1 double 10", [wager(1, 1, "double", 1000, hand=1)]),
    ("bet 1.1 25", [wager(1, 1, "main", 2500, hand=1)]),
    ("no more bets", [terminal("bets_closed", round="1")]),
    ("deal 8S | ^9H # cards", [draw(1, "8S"), draw(2, "9H", face="up")]),
    ("dealer 6H 9C", [draw(1, "6H"), draw(2, "9C")]),
    ("burn 6H", [draw(1, "6H")]),
    ("offer surrender closed", [terminal("offer", round="1", what="surrender", state="closed")]),
    *[(f"1 {action}", [decision(1, 1, action)]) for action in forms.ACTIONS],
    ("2.3 hit 9C KD", [decision(2, 3, "hit"), draw(1, "9C"), draw(2, "KD")]),
    ("1 surrender by 1, 3", [decision(1, 1, "surrender", bettors=[1, 3])]),
    ("1.2 rescue by 2", [decision(1, 2, "rescue", bettors=[2])]),
    ("1 hit by 1 ,2 9C", [decision(1, 1, "hit", bettors=[1, 2]), draw(1, "9C")]),
    (
        "1 split 25 3H @14:05:07",
        [wager(1, 1, "split", 2500, hand=2, ts=AT), decision(1, 1, "split", ts=AT), draw(1, "3H", ts=AT)],
    ),
    (
        "1 split 25\n2 split\n1 split 25\nbet 1.4/2 split 5\n1.3 split 30 by 1",
        [
            *(wager(1, 1, "split", 2500, hand=2), decision(1, 1, "split"), decision(2, 1, "split")),
            *(wager(1, 1, "split", 2500, hand=3), decision(1, 1, "split"), wager(1, 2, "split", 500, hand=4)),
            *(wager(1, 1, "split", 3000, hand=4), decision(1, 3, "split", bettors=[1])),
        ],
    ),
    ("1.2 double 25 7D", [wager(1, 1, "double", 2500, hand=2), decision(1, 2, "double"), draw(1, "7D")]),
    ("assign 1/2 to hand 2", [terminal("assign", round="1", seat=1, bettor=2, hand=2)]),
    ("withdraw 1.2/2 split", [terminal("withdraw", round="1", seat=1, bettor=2, kind="split", hand=2)]),
    ("withdraw 1", [terminal("withdraw", round="1", seat=1, bettor=1, kind="main", hand=1)]),
    ("pay 1 25", [settle(1, 1, "main", 1, 2500, 0)]),
    ("pay 1.2 split 25", [settle(1, 1, "split", 2, 2500, 0)]),
    ("pay 2 super-bonus 1000", [settle(2, 1, "super-bonus", 1, 100000, 0)]),
    ("pay 2 super-bonus-share 50", [settle(2, 1, "super-bonus-share", 1, 5000, 0)]),
    ("pay 1 bonus-spin 100 take 1.10", [settle(1, 1, "bonus-spin", 1, 10000, 110)]),
    ("pay 1 -25", [settle(1, 1, "main", 1, -2500, 0)]),
    ("take 3/2 -0.50", [settle(3, 2, "main", 1, 0, -50)]),
    ("push 2", [settle(2, 1, "main", 1, 0, 0)]),
    ("rule shoe.ten-found continue", [rule("continue")]),
    ("rule shoe.ten-found continue, by ito lee", [rule(["continue"], by="ito lee")]),
    (
        "rule shoe.ten-found remove-card, continue card 5 refused by 1 exposed no",
        [rule(["remove-card", "continue"], n=5, refused_by=[1], exposed=False)],
    ),
    ("rule shoe.ten-found use-next card 105,106 exposed", [rule("use-next", n=[105, 106], exposed=True)]),
    *[(f"bsx16 {action}", [progressive("bsx16", action)]) for action in forms.PROGRESSIVE_ACTIONS],
    (
        "bonus-spin prize symbol jackpot meter 12.50",
        [progressive("bonus-spin", "prize", symbol="jackpot", meter_cents=1250)],
    ),
    ("bsx16 paid meter secondary by ito", [progressive("bsx16", "paid", meter="secondary", by="ito")]),
    ("end", [terminal("round_end", round="1")]),
]


@pytest.mark.parametrize(("text", "events"), INSIDE, ids=[text for text, _ in INSIDE])
def test_statement_inside_a_round(text: str, events: list[Event]) -> None:
    assert events_of(f"round 1\n{text}") == events
    script = load(f"{HEADER}round 1\n{text}")
    assert load(dump(script)) == script
    assert dump(load(dump(script))) == dump(script)


def test_hand_numbers_start_again_with_each_round() -> None:
    events = events_of("round 1\n1 split 25\nend\nround 2\n1 split 25")
    assert [event["hand"] for event in events if event["type"] == "wager"] == [2, 2]
    assert dump(Script(FLOOR, tuple(events))).count("\n1 split 25\n") == 2


def test_events_before_the_first_of_a_round_stand_above_it() -> None:
    text = dump(load(f"{HEADER}round 1\nburn 4C\nbet 1 25\nno more bets\ndeal 5C\nend\nround 2\nend"))
    body = text.partition("currency USD\n\n")[2]
    assert body == "burn 4C\n\nround 1\nbet 1 25\nno more bets\ndeal 5C\nend\n\nround 2\nend\n"


def test_cards_with_times_of_their_own_stand_on_lines_of_their_own() -> None:
    text = dump(load(f"{HEADER}round 1\n1 hit @14:05:07\ndeal 9C @14:05:08\ndeal 8C @14:05:08\n1 stand"))
    assert text.endswith("round 1\n1 hit @14:05:07\ndeal 9C 8C @14:05:08\n1 stand\n")


def test_cards_after_the_last_decision_are_not_written_as_the_hands() -> None:
    text = dump(load(f"{HEADER}round 1\n1 hit 2C\n1 hit 3C 4C\nend"))
    assert text.endswith("1 hit 2C\n1 hit 3C\ndeal 4C\nend\n")


TIMES = "@14:05:07, @14:05:07.250 or @2026-11-16T14:05:07.250+08:00"
PLACES = "a place such as 3, 3.2 or 3.2/2 (box, hand, bettor, each from 1)"
KINDS = "a kind (main, match, pair, insurance, bonus-spin, bsx16, split, double)"
SETTLE_KINDS = f"{KINDS[:-1]}, super-bonus, super-bonus-share)"
RULINGS = f"a ruling ({', '.join(forms.RULING_NAMES)})"
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
        f"expected a progressive action ({', '.join(forms.PROGRESSIVE_ACTIONS)}), found 'spn'; did you mean 'spin'?",
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


FLOOR = load(HEADER).floor
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


# Any script that the notation can say.

WORDS = [form.statement for form in forms.PLAIN_FORMS] + [
    "ends",
    "card",
    "by",
    "box",
    "JD",
    "10S",
    "a,b",
    "@1",
    "12",
    "no",
]
TEXTS = st.one_of(st.sampled_from([*WORDS, "", " ", "seat 3", "dana lee", "x by y", "7S AH"]), st.text(max_size=6))
NUMBERS = st.integers(1, 4)
COUNTS = st.integers(0, 400)
CENTS = st.one_of(st.integers(0, 20).map(lambda dollars: dollars * 100), st.integers(0, 10**9))
SIGNED = st.one_of(st.just(0), CENTS, CENTS.map(lambda cents: -cents))
SHOES = st.sampled_from(["S1", "S2", "ends"])
TIMESTAMPS = st.sampled_from(
    [
        f"2026-11-16T14:05:0{n}.{ms}{offset}"
        for n in "78"
        for ms in ("000", "250")
        for offset in ("+00:00", "Z", "+08:00")
    ]
)


def one_of(*choices: str) -> st.SearchStrategy[str]:
    return st.sampled_from(choices)


def listed(items: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(items, min_size=1, max_size=3)


def event(source: str, type_: str, optional: dict[str, Any] | None = None, **fields: Any) -> st.SearchStrategy[Event]:
    fixed = {"source": st.just(source), "type": st.just(type_)}
    return st.fixed_dictionaries({**fixed, **fields}, optional=optional or {})


PLACED: dict[str, Any] = {"seat": NUMBERS, "bettor": NUMBERS}
FAULT: dict[str, Any] = {"device": one_of("shoe", "shuffler", "reader", "progressive", "power")}
RULING = one_of(*forms.RULING_NAMES)
LOOSE = st.one_of(
    event("terminal", "open", dealer=TEXTS, decks=COUNTS),
    event("terminal", "inspection", decks_id=TEXTS, cards=COUNTS, tens_removed=COUNTS, by=listed(TEXTS)),
    event("terminal", "dealer_change", dealer=TEXTS),
    event("terminal", "cut", shoe=SHOES, by=TEXTS, from_top=COUNTS, from_bottom=COUNTS),
    event("terminal", "close"),
    event(
        *("shoe", "shoe_loaded", {"cards": COUNTS, "from": one_of("decks", "discards")}),
        shoe=SHOES,
        decks_id=TEXTS,
        decks=st.sampled_from([6, 8]),
        shuffle=one_of("machine", "manual", "preshuffled", "none"),
    ),
    event("shoe", "cut_card", shoe=SHOES, n=COUNTS),
    event("shoe", "shoe_ended", shoe=SHOES, remaining=COUNTS),
    event("shoe", "hole_card_check", result=one_of("blackjack", "no-blackjack", "fault")),
    event("shoe", "reader_check", result=one_of("ok", "fault"), by=TEXTS),
    event("shoe", "fault", {"kind": TEXTS}, **FAULT),
    event("shoe", "repaired", {"kind": TEXTS}, **FAULT),
)
IRREGULARITY = event(
    *("terminal", "irregularity"),
    {
        "by": TEXTS,
        "seat": NUMBERS,
        "hand": NUMBERS,
        "bettor": NUMBERS,
        "shoe": TEXTS,
        "exposed": st.booleans(),
        "n": st.one_of(NUMBERS, listed(st.integers(1, 400))),
        "refused_by": listed(NUMBERS),
    },
    code=TEXTS,
    ruling=st.one_of(RULING, listed(RULING)),
)
PROGRESSIVE = event(
    *("terminal", "progressive"),
    {
        "seat": NUMBERS,
        "bettor": NUMBERS,
        "symbol": TEXTS,
        "prize_cents": CENTS,
        "meter": one_of("primary", "secondary"),
        "meter_cents": CENTS,
        "by": TEXTS,
    },
    system=one_of("bonus-spin", "bsx16"),
    action=one_of(*forms.PROGRESSIVE_ACTIONS),
)
EXTRA = {"patron": TEXTS, "for_bettor": NUMBERS}
IN_ROUND = st.one_of(
    event("terminal", "wager", {**EXTRA, "hand": NUMBERS}, **PLACED, kind=one_of(*forms.KINDS[:6]), cents=CENTS),
    event("terminal", "wager", EXTRA, **PLACED, kind=one_of("split", "double"), cents=CENTS, hand=NUMBERS),
    event("terminal", "bets_closed"),
    event("terminal", "offer", what=one_of("insurance", "surrender"), state=one_of("open", "closed")),
    event(
        "terminal", "decision", {"bettors": listed(NUMBERS)}, seat=NUMBERS, hand=NUMBERS, action=one_of(*forms.ACTIONS)
    ),
    event("terminal", "assign", **PLACED, hand=NUMBERS),
    event("terminal", "withdraw", **PLACED, kind=one_of(*forms.KINDS), hand=NUMBERS),
    event(
        *("terminal", "settle"),
        **PLACED,
        kind=one_of(*forms.SETTLE_KINDS),
        hand=NUMBERS,
        paid_cents=SIGNED,
        taken_cents=SIGNED,
    ),
    IRREGULARITY,
    PROGRESSIVE,
)
CARDS = st.sampled_from(sorted(cards.BY_NAME))


@st.composite
def draws(pick: st.DrawFn) -> list[Event]:
    first, shoe_id = pick(st.sampled_from([1, 2, 3, 53])), pick(SHOES)
    names = pick(st.lists(st.tuples(CARDS, one_of("up", "down", "down")), min_size=1, max_size=4))
    return [draw(first + index, card, shoe_id, face) for index, (card, face) in enumerate(names)]


@st.composite
def additional_wagers(pick: st.DrawFn) -> list[Event]:
    """A split or double, mostly with the wager that belongs to it, and cards."""
    seat, hand, kind = pick(st.just(1) | NUMBERS), pick(NUMBERS), pick(one_of("split", "double"))
    bet = terminal("wager", seat=seat, bettor=pick(st.sampled_from([1, 1, 2])), kind=kind, cents=pick(CENTS))
    bet["hand"] = pick(st.sampled_from([2, 2, 3, 4])) if kind == "split" else pick(st.just(hand) | NUMBERS)
    return [bet, terminal("decision", seat=seat, hand=hand, action=kind), *pick(draws())]


def blocks(*choices: st.SearchStrategy[list[Event]]) -> st.SearchStrategy[list[Event]]:
    """One of the choices, each as often as the others (``one_of`` would weigh them by their own alternatives)."""
    return st.sampled_from(choices).flatmap(lambda choice: choice)


def alone(events: st.SearchStrategy[Event]) -> st.SearchStrategy[list[Event]]:
    return events.map(lambda one: [one])


ROUND_BLOCK = blocks(alone(IN_ROUND), additional_wagers(), draws(), alone(LOOSE))
BETWEEN_BLOCK = blocks(draws(), alone(LOOSE), alone(st.one_of(IRREGULARITY, PROGRESSIVE)))
CARRIES_ROUND = {
    "wager",
    "bets_closed",
    "offer",
    "decision",
    "assign",
    "withdraw",
    "settle",
    "irregularity",
    "progressive",
}


@st.composite
def scripts(pick: st.DrawFn) -> Script:
    events: list[Event] = []
    number_of_rounds = pick(st.integers(0, 3))
    for number in range(number_of_rounds):
        for block in pick(st.lists(BETWEEN_BLOCK, max_size=3)):
            events += block
        name = pick(TEXTS)
        opened = [terminal("bets_closed")]
        for block in pick(st.lists(ROUND_BLOCK, max_size=8)):
            opened += block
        if number < number_of_rounds - 1 or pick(st.booleans()):
            opened.append(terminal("round_end"))
        events += [{**one, "round": name} if one["type"] in {*CARRIES_ROUND, "round_end"} else one for one in opened]
    stamps = pick(st.none() | st.lists(st.none() | TIMESTAMPS, min_size=1, max_size=4))
    if stamps:
        pairs = [(one, stamps[index // 3 % len(stamps)]) for index, one in enumerate(events)]
        events = [one if ts is None else {**one, "ts": ts} for one, ts in pairs]
    return Script(pick(floors()), tuple(events))


SETTINGS = st.dictionaries(TEXTS, st.booleans() | st.integers(-(10**6), 10**6) | TEXTS, min_size=1, max_size=3)
PROGRESSIVE_TABLE = st.fixed_dictionaries(
    {},
    optional={"meter": TEXTS, "secondary_meter": TEXTS, "jackpot_cents": CENTS, "authorise_from_cents": CENTS},
)


@st.composite
def floors(pick: st.DrawFn) -> dict[str, Any]:
    table = st.fixed_dictionaries(
        {
            "id": TEXTS,
            "from": st.just(date(2026, 11, 16)) | st.dates(),
            "rulebook": TEXTS,
            "currency": TEXTS,
            "decks": st.sampled_from([6, 8]),
            "boxes": NUMBERS,
            "min_cents": CENTS,
            "max_cents": CENTS,
            "chip_unit_cents": CENTS,
        },
        optional={
            "options": SETTINGS,
            "readings": SETTINGS,
            "progressive": st.dictionaries(one_of("bonus-spin", "bsx16"), PROGRESSIVE_TABLE, min_size=1),
        },
    )
    meter = st.fixed_dictionaries({"id": TEXTS, "rate_ppm": COUNTS, "reset_cents": CENTS})
    optional = {"property": st.fixed_dictionaries({"name": TEXTS}), "meter": listed(meter)}
    return pick(st.fixed_dictionaries({"table": table.map(lambda one: [one])}, optional=optional))


@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(scripts())
def test_nothing_is_lost(script: Script) -> None:
    text = dump(script)
    assert load(text) == script
    assert dump(load(text)) == text


TOKENS = [*WORDS, *("1", "0", "/", "1.2", "25", "-1", ",", "|", "=", "#", '"', '""', "7S", "@14:05:07")]
STATEMENTS = st.sampled_from(
    ["1 hit", "bet 1", "bet", "pay 1", "deal", "rule", "rule x continue", "shoe", "dealer", "no more"]
)


@settings(deadline=None, max_examples=300)
@given(
    st.lists(st.tuples(STATEMENTS, st.lists(st.sampled_from(TOKENS), max_size=4)).map(lambda one: [one[0], *one[1]]))
)
def test_any_text_loads_or_is_told_why_not(lines: list[list[str]]) -> None:
    text = HEADER + "round 1\n" + "\n".join(" ".join(words) for words in lines)
    try:
        script = load(text)
    except NotationError as error:
        assert str(error).startswith(f"line {error.line}: ")
        assert "\n" not in str(error)
    else:
        assert load(dump(script)) == script


def test_thousands_of_small_texts_load_in_a_moment() -> None:
    text = HEADER + "round 1\nbet 1 25\nno more bets\ndeal 6S 9H 7S KD\n1 hit 8S\npay 1 75\nend\n"
    started = time.process_time()
    for _ in range(2000):
        load(text)
    assert time.process_time() - started < 4
