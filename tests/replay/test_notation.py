"""The plain-text notation: what each statement says."""

from datetime import date

import pytest

from replay import ops
from replay.notation import Event, Script, dump, load
from tests.replay.notation_events import (
    AT,
    FLOOR,
    HEADER,
    decision,
    draw,
    events_of,
    progressive,
    rule,
    settle,
    shoe,
    terminal,
    wager,
)

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
    (
        "rule deal.player-one-card continue box 3 missed 1",
        [terminal("irregularity", code="deal.player-one-card", ruling="continue", seat=3, card=1)],
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


INSIDE: list[tuple[str, list[Event]]] = [
    ("bet 1 25", [wager(1, 1, "main", 2500)]),
    ("bet 1 main 1,000", [wager(1, 1, "main", 100000)]),
    *[
        (f"bet 3 {kind} 5", [wager(3, 1, kind, 500)])
        for kind in ops.KINDS[: ops.SUPER_BONUS]
        if kind not in ("split", "double")
    ],
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
    *[(f"1 {action}", [decision(1, 1, action)]) for action in ops.ACTIONS],
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
    ("rule shoe.ten-found remove-card card 7 inferred", [rule("remove-card", n=7, inferred=True)]),
    *[(f"bsx16 {action}", [progressive("bsx16", action)]) for action in ops.PROGRESSIVE_ACTIONS],
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
