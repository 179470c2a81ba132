"""The narrative of judged rounds: the words and numbers of steps, verdicts and findings."""

from dataclasses import asdict, fields
from string import Formatter

import pytest

from replay import floor, library, notation, situations
from replay.audit import Audit, audit
from replay.narrative import Explanation, RoundAccount, RoundStep, account, accounts, sentences, table_findings, words
from replay.wording import card_text, cards_text, without_suits
from tests.books import IDS
from tests.rules import worked

MD = "rulebook md-pontoon21\ndecks 6\n"
MA = "rulebook ma-pontoon21\ndecks 6\n"
MBS = "rulebook mbs-pontoon\ndecks 6\ncurrency SGD\n"
DIV15 = "rulebook div15-pontoon\ndecks 6\ncurrency AUD\n"

SPLIT = """
round 1
bet 1 20
no more bets
deal 8S KH 8C
1 split 20 5D
1.1 hit KD 9C
1.2 stand
dealer AC
take 1 20
take 1.2 split 20
end
"""


def judged(text: str, trace: bool = True) -> Audit:
    script = notation.load(text)
    plan = floor.parse(script.floor)
    table = plan.tables[0]
    return audit(plan, table.id, table.since, script.events, trace=trace)


def tell(text: str) -> RoundAccount:
    result = judged(text)
    return account(result, result.encoded.rounds[0])


def one_round(lines: str) -> str:
    """A round from its lines, with semicolons between them."""
    return "\n".join(("round 1", *lines.split("; "), "end"))


def explained(told: RoundAccount, seat: int = 1, kind: str = "main", hand: int = 1, bettor: int = 1) -> Explanation:
    return next(e for e in told.explanations if (e.seat, e.kind, e.hand, e.bettor) == (seat, kind, hand, bettor))


def step_with(told: RoundAccount, beginning: str) -> RoundStep:
    return next(step for step in told.steps if step.words.startswith(beginning))


def test_steps_of_a_split() -> None:
    told = tell(MA + SPLIT)
    assert [(s.turn, s.words, s.place, cards_text(s.cards), s.total) for s in told.steps] == [
        ("betting", "Box 1 bets 20.00", None, "", None),
        ("betting", "No more bets", None, "", None),
        ("deal", "8♠ to box 1", "box 1", "8♠", 8),
        ("deal", "K♥ to the dealer", "dealer", "K♥", 10),
        ("deal", "8♣ to box 1", "box 1", "8♠ 8♣", 16),
        ("deal", "Box 1 puts 20.00 on hand 2 for a split", None, "", None),
        ("box 1", "Box 1 splits 8♠ 8♣ into hands 1 and 2", "box 1", "8♠", 8),
        ("box 1", "5♦ to box 1", "box 1", "8♠ 5♦", 13),
        ("box 1", "Box 1 asks for a card", "box 1", "8♠ 5♦", 13),
        ("box 1", "K♦ to box 1", "box 1", "8♠ 5♦ K♦", 23),
        ("box 1 hand 2", "9♣ to box 1 hand 2", "box 1 hand 2", "8♣ 9♣", 17),
        ("box 1 hand 2", "Box 1 hand 2 stands", "box 1 hand 2", "8♣ 9♣", 17),
        ("dealer", "A♣ to the dealer", "dealer", "K♥ A♣", 21),
        ("settlement", "Box 1, main wager: 20.00 taken", None, "", None),
        ("settlement", "Box 1 hand 2, split wager: 20.00 taken", None, "", None),
        ("settlement", "The round ends", None, "", None),
    ]
    assert [step.number for step in told.steps] == list(range(1, 17))
    assert {s.words: s.clause.number for s in told.steps if s.clause} == {
        "No more bets": "5(d)",
        "Box 1 splits 8♠ 8♣ into hands 1 and 2": "10(a)",
        "A♣ to the dealer": "12(b)",
        "Box 1, main wager: 20.00 taken": "5(a)",
        "Box 1 hand 2, split wager: 20.00 taken": "10(d)",
    }


def test_hands_as_they_ended() -> None:
    told = tell(MA + SPLIT)
    assert [(hand.place, hand.cards, hand.worth, hand.from_split) for hand in told.hands] == [
        ("box 1", ("8S", "5D", "KD"), "23, bust", True),
        ("box 1 hand 2", ("8C", "9C"), "17", True),
    ]
    assert (told.dealer.cards, told.dealer.worth, told.dealer.total) == (("KH", "AC"), "blackjack", 21)


def test_cards_that_are_not_played() -> None:
    deal = "bet 1 20; no more bets; deal KS TD ^AH 8H 9C 9D; rule shoe.ten-found remove-card, continue by ito"
    told = tell(MD + "shoe S1\nburn 4C\n" + one_round(f"{deal}; 1 stand; pay 1 20"))
    assert [(s.words, s.place, s.card) for s in told.steps if s.place in ("burned", "removed")] == [
        ("4♣ is burned", "burned", "4C"),
        ("10♦ is taken out of play", "removed", "TD"),
        ("A♥ is taken out of play, which lay face up in the shoe", "removed", "AH"),
    ]
    assert told.steps[0].turn == "before the round"
    assert step_with(told, "9♦ to the dealer").words == "9♦ to the dealer, face down"
    assert step_with(told, "Ruling").words == "Ruling by ito on shoe.ten-found: take the card out and go on"


def test_findings_show_at_their_step() -> None:
    told = tell(MD + one_round("bet 1 25; no more bets; deal AS 7H KD KC; pay 1 50"))
    step = step_with(told, "Box 1, main wager: 50.00 paid")
    assert [(mark.code, mark.severity, mark.message) for mark in step.findings] == [
        ("settlement.overpaid", "low", "Box 1, main wager: overpaid 12.50")
    ]
    assert told.findings[0].step == step.number
    assert sum(len(each.findings) for each in told.steps) == len(told.findings)


def test_a_blackjack_paid_too_much() -> None:
    told = tell(MD + one_round("bet 1 25; no more bets; deal AS 7H KD KC; pay 1 50"))
    e = explained(told)
    assert e.player is not None
    assert (e.player.worth, e.dealer.worth) == ("blackjack", "17")
    assert e.decided == "The first two cards are a blackjack, which wins; the dealer has 17."
    assert e.clause is not None
    assert (e.clause.rulebook, e.clause.number, e.clause.says) == ("md-pontoon21", "12.A(2)", "Blackjack pays 3:2")
    assert [(r.name, r.value) for r in e.readings] == [("blackjack_pays", "always")]
    assert e.readings[0].why == library.load("md-pontoon21").readings["blackjack_pays"].why
    assert e.arithmetic == "25.00 at 3:2 = 37.50"
    assert (e.expected_paid_cents, e.actual_paid_cents, e.variance_cents) == (3750, 5000, 1250)
    assert (e.verdict, e.verdict_words) == ("overpaid", "overpaid 12.50")


def test_a_split_against_a_dealer_blackjack() -> None:
    told = tell(MA + SPLIT)
    bust, second = explained(told), explained(told, kind="split", hand=2)
    assert bust.decided == "The hand is bust with 23 and loses."
    assert [r.name for r in bust.readings] == ["bust_before_dealer_blackjack"]
    assert "one original wager is taken" in second.decided
    assert [(r.name, r.value) for r in second.readings] == [("dealer_blackjack_after_split", "busted-plus-one")]
    assert (bust.arithmetic, second.arithmetic) == ("20.00 taken", "20.00 taken")
    assert second.verdict_words == "settled correctly"


def test_the_outcome_has_its_own_clause() -> None:
    e = explained(tell(MD + one_round("bet 1 20; no more bets; deal KS 8H 9C 9D; 1 stand; pay 1 20")))
    assert e.clause is not None
    assert e.because is not None
    assert (e.clause.number, e.because.number) == ("12.A(1)", "7.O(2)")


INSURED = "bet 1 20; no more bets; deal KS AH 9D; bet 1 insurance 12; 1 stand; dealer KC"


@pytest.mark.parametrize(
    ("text", "kind", "arithmetic"),
    [
        (MD + one_round("bet 1 25.25; no more bets; deal AS 7H KD KC"), "main", "25.25 at 3:2 = 37.875, paid 37.88"),
        (
            MD + one_round("bet 1 25; no more bets; deal KS 9H 6D 5C; 1 surrender"),
            "main",
            "half of 25.00 = 12.50 taken",
        ),
        (
            MD + one_round("bet 1 12.55; no more bets; deal KS 9H 6D 5C; 1 surrender"),
            "main",
            "half of 12.55 = 6.275, 6.27",
        ),
        (
            MD + one_round("bet 1 20; no more bets; deal 9S 9D 9H 9C; 1 stand"),
            "main",
            "20.00 goes back, nothing is paid",
        ),
        (DIV15 + one_round(INSURED), "insurance", "10.00 of the 12.00 staked at 2:1 = 20.00; 2.00 goes back"),
        (
            MD + one_round("bet 1 20; no more bets; deal 9S 9H 2D 9C; 1 double 30 KD"),
            "double",
            "20.00 of the 30.00 staked at 1:1",
        ),
        (
            MD
            + "option match = true\n"
            + one_round("bet 1 10; bet 1 match 5; no more bets; deal 9S 9S 9D 8C; 1 stand"),
            "match",
            "5.00 at 12:1 and 3:1 (together 15:1) = 75.00",
        ),
        (
            MD + "option payout_cap_cents = 12000\n" + one_round("bet 1 100; no more bets; deal AS 7H KD KC"),
            "main",
            "100.00 at 3:2 = 150.00, of which 120.00 is paid",
        ),
        (
            "rulebook mbs-pontoon\ndecks 6\nlimits 5 to 500\n"
            + one_round("bet 1 600; no more bets; deal KS 9H 9D; 1 stand; dealer 8C"),
            "main",
            "500.00 of the 600.00 staked at 1:1 = 500.00; 100.00 goes back",
        ),
        (
            MBS + one_round("bet 1 25; no more bets; deal 7H 7C 7H; 1 hit 7H"),
            "super-bonus",
            "a fixed prize of 1,000.00",
        ),
    ],
)
def test_arithmetic(text: str, kind: str, arithmetic: str) -> None:
    said = explained(tell(text), kind=kind).arithmetic
    assert said.startswith(arithmetic)
    assert ("a fraction of a cent goes to the player" in said) == ("5, " in arithmetic)


def test_progressive_prize_beside_the_stake() -> None:
    bets = "bet 1 20; bet 1 bonus-spin 1.10; no more bets; deal AS 8H KD 9D"
    spin = "bonus-spin trigger box 1; bonus-spin spin box 1; bonus-spin prize box 1 symbol 350 pays 350"
    header = MD + "option bonus_spin = A\nprogressive bonus-spin jackpot 1000\n"
    told = tell(header + one_round(f"{bets}; {spin}; bonus-spin paid box 1"))
    e = explained(told, kind="bonus-spin")
    assert e.arithmetic == "the stake of 1.10 taken and a prize of 350.00 paid"
    assert e.decided.startswith("The box's first two cards, A♠ K♦, are a blackjack")
    assert step_with(told, "Bonus Spin: prize").words == "Bonus Spin: prize, box 1, the wheel shows 350, 350.00"


@pytest.mark.parametrize(
    ("text", "place", "reading"),
    [
        (
            MBS + one_round("bet 1 25; no more bets; deal AS 9H AD; 1 split 25 KC QC; dealer 9D"),
            {},
            "split_two_card_21",
        ),
        (
            MBS + one_round("bet 1 99.50; bet 2 10; no more bets; deal 7H KS 7C 7H 9D; 1 hit 7H; 2 stand; dealer KD"),
            {"kind": "super-bonus"},
            "super_bonus_steps",
        ),
        (
            MA + one_round("bet 1 25; bet 2 10; no more bets; deal 7H 9S 7C 7H KD; 1 hit 7H; 2 stand; dealer KC"),
            {"seat": 2, "kind": "super-bonus-share"},
            "share_per",
        ),
        (
            MA + one_round("bet 1 20; bet 1/2 10; no more bets; deal KS 9H 6D; 1 surrender"),
            {"bettor": 2},
            "surrender_binds",
        ),
        (
            DIV15 + one_round("bet 1 20; bet 1/2 10; no more bets; deal 6S 9H 7S; 1 double 20 8S"),
            {"bettor": 2},
            "undoubled_bettor_odds",
        ),
        (
            DIV15 + one_round("bet 1 20; no more bets; bet 2 10; deal KS 9H 9D; 1 stand; dealer 8C"),
            {"seat": 2},
            "late_wager",
        ),
        (DIV15 + one_round(INSURED), {"kind": "insurance"}, "excess_wager"),
        (MBS + one_round("bet 1 25; no more bets; deal KS 6H 8D; 1 stand; dealer KC"), {}, "dealer_stopped_short"),
        (
            MD
            + one_round(
                "bet 1 20; no more bets; deal KS TD 8H TC; rule shoe.tens-multiple void-round, withdraw-decks by ito"
            ),
            {},
            "more_than_one_within",
        ),
    ],
)
def test_readings_that_decided(text: str, place: dict[str, object], reading: str) -> None:
    e = explained(tell(text), **place)  # type: ignore[arg-type]
    assert [r.name for r in e.readings] == [reading]


def test_an_operators_reading_is_told_from_ours() -> None:
    told = tell(MA + "reading dealer_blackjack_after_split = original\noption match = false\n" + SPLIT)
    assert [(s.kind, s.name, s.value, s.default) for s in told.settings] == [
        ("option", "match", False, True),
        ("reading", "dealer_blackjack_after_split", "original", "busted-plus-one"),
    ]
    reading = explained(told, kind="split", hand=2).readings[0]
    assert (reading.value, reading.default) == ("original", "busted-plus-one")


@pytest.mark.parametrize(
    ("text", "place", "decided"),
    [
        (
            DIV15 + one_round("bet 1 20; no more bets; bet 2 10; deal KS 9H 9D; 1 stand; dealer 8C"),
            {"seat": 2},
            "The wager does not count. Box 2, main wager: 10.00 placed after betting closed.",
        ),
        (
            MD + one_round("bet 1 20; no more bets; deal KS 8H 9C 9D; 1 stand; pay 1 20; pay 2 match 5"),
            {"seat": 2, "kind": "match"},
            "No wager and no prize was due here.",
        ),
        (
            MBS + "round 1\nbet 1 20\nno more bets\ndeal KS 9H",
            {},
            "The result of this wager cannot be determined: cards, or the end of the round, are missing from the log.",
        ),
        (
            MBS + one_round("bet 1 20; no more bets; deal AS 9H KD"),
            {},
            "The first two cards are a pontoon, which wins; the dealer has only 9♥.",
        ),
    ],
)
def test_decided(text: str, place: dict[str, object], decided: str) -> None:
    assert explained(tell(text), **place).decided == decided  # type: ignore[arg-type]


def test_a_variance_that_another_finding_explains() -> None:
    told = tell(MD + one_round("bet 1 20; no more bets; deal KS TD 8H 9C TC 9D; 1 stand; pay 1 20"))
    assert told.void
    assert not told.void_logged
    e = explained(told)
    assert e.decided == "The round is void: every wager goes back."
    assert e.note == "the variance is explained by the finding round.void-required"


def test_prescribed_next_to_ruled() -> None:
    rulings = "rule shoe.ten-found remove-card by ito; rule shoe.tens-multiple void-round by ito"
    told = tell(MD + one_round(f"bet 1 20; no more bets; deal KS TD 8H 9C TC; {rulings}"))
    first, second = told.findings
    assert (first.prescribed, first.ruled) == (("take the card out",), ("take the card out (by ito)",))
    assert first.handling_words == "procedure followed"
    assert second.prescribed == ("void the round and withdraw the decks",)
    assert (second.ruled, second.handling) == (("void the round (by ito)",), "not-prescribed")
    assert second.clause is not None
    assert second.clause.number == "13.D"
    assert second.message == "Another ten in the same round: 10♣"


def test_what_nobody_reported_and_what_it_cost() -> None:
    told = tell(MD + one_round("bet 1 20; no more bets; deal KS TD 8H 9C TC 9D; 1 stand; pay 1 20"))
    required = next(f for f in told.findings if f.code == "round.void-required")
    assert (required.ruled, required.handling, required.cost_cents) == ((), "unreported", 2000)
    assert required.handling_words.startswith("not reported")


def test_table_events_and_findings_belong_to_one_round() -> None:
    text = MD + "open dealer mia\nshoe S1\nburn 4C\n"
    for number in (1, 2):
        text += (
            f"round {number}\nbet 1 20\nno more bets\ndeal KS 8H 9C 9D\n1 stand\npay 1 20\nend\ndealer lee\nburn 5C\n"
        )
    result = judged(text + "close\n")
    first, second = accounts(result)
    assert [s.words for s in first.steps[:3]] == [
        "The table opens, dealer mia",
        "Shoe S1 is loaded from set D1, shuffle: machine",
        "4♣ is burned",
    ]
    assert [s.words for s in second.steps[:2]] == ["lee takes over as dealer", "5♣ is burned"]
    assert second.steps[-1].words == "The table closes"


def test_findings_of_no_round() -> None:
    result = judged(
        MD + "option hole_card = false\n" + one_round("bet 1 20; no more bets; deal KS 8H 9C 9D; 1 stand; pay 1 20")
    )
    (finding,) = table_findings(result)
    assert (finding.code, finding.step) == ("floor.not-permitted", None)
    assert account(result, "1").findings == ()


def test_unknown_round() -> None:
    with pytest.raises(KeyError, match="no round '7'; there are 1"):
        account(judged(MA + SPLIT), "7")


def test_an_audit_without_a_trace_is_refused() -> None:
    with pytest.raises(ValueError, match="make it with trace=True"):
        account(judged(MA + SPLIT, trace=False), "1")


def test_every_outcome_has_a_sentence() -> None:
    known = {"player", "dealer", "natural", "first", "up", "second"}
    for slot in (name for name in situations.NAMES if name.startswith("outcome.")):
        for won in (True, False):
            said = sentences.sentence(slot, won)
            assert said.endswith(".")
            assert {name for _, name, _, _ in Formatter().parse(said) if name} <= known
    assert set(sentences.SENTENCES) | set(sentences.WITHOUT_WIN) <= set(situations.NAMES)


def test_an_outcome_without_a_sentence() -> None:
    with pytest.raises(KeyError, match="write one"):
        sentences.sentence("outcome.nonsense", True)


@pytest.mark.parametrize("book", IDS)
def test_every_reading_is_reachable(book: str) -> None:
    assert set(library.load(book).readings) <= set(sentences.READING_SLOTS)


def test_readings_hang_on_slots_that_exist() -> None:
    assert {slot for named in sentences.READING_SLOTS.values() for slot in named} <= set(situations.NAMES)


def check_account(told: RoundAccount, title: str) -> None:
    """Check the invariants of every account."""
    assert [step.number for step in told.steps] == list(range(1, len(told.steps) + 1)), title
    assert sum(len(step.findings) for step in told.steps) == len(told.findings), title
    for hand in told.hands:
        seen = [step.cards for step in told.steps if (step.seat, step.hand) == (hand.seat, hand.hand) and step.cards]
        assert not seen or seen[-1] == hand.cards, title
    for e in told.explanations:
        assert "{" not in e.decided, title
        assert e.arithmetic, title
        due = e.expected_paid_cents - e.expected_taken_cents
        if e.verdict != "undetermined" and "earlier wager" not in e.note:
            moved = e.actual_paid_cents - e.actual_taken_cents
            later = [
                o for o in told.explanations if "earlier wager" in o.note and (o.place, o.kind) == (e.place, e.kind)
            ]
            due += sum(o.expected_paid_cents - o.expected_taken_cents for o in later)
            moved += sum(o.actual_paid_cents - o.actual_taken_cents for o in later)
            assert moved - due == e.variance_cents, title


def test_every_worked_round_can_be_told() -> None:
    used: set[str] = set()
    for each in worked.every_round():
        result = judged(each.text)
        told = accounts(result)
        events = sorted(step.event for one in told for step in one.steps)
        assert events == list(range(len(result.encoded.events))), each.title
        count = sum(len(one.findings) for one in told) + len(table_findings(result))
        assert count == len(result.findings), each.title
        for one in told:
            check_account(one, f"{each.file}: {each.title}")
            used |= {reading.name for e in one.explanations for reading in e.readings}
            used |= {reading.name for finding in one.findings for reading in finding.readings}
    assert used == set(sentences.READING_SLOTS)


def test_accounts_are_plain_data() -> None:
    data = asdict(tell(MA + SPLIT))
    assert set(data) == {field.name for field in fields(RoundAccount)}
    assert data["steps"][2]["card"] == "8S"


@pytest.mark.parametrize(("name", "said"), [("7S", "7♠"), ("TD", "10♦"), ("KC", "K♣")])
def test_cards_for_people(name: str, said: str) -> None:
    assert card_text(name) == said
    assert without_suits(said) == name.replace("T", "10")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("bet 2/3 insurance 10 for 2", "Box 2 bettor 3 insures for 10.00 for bettor 2"),
        ("bet 2 match 5 patron ann", "Box 2 bets 5.00 on a match with the dealer (patron ann)"),
        ("bet 2 bsx16 5", "Box 2 bets 5.00 on Bonus Spin Xtreme"),
        ("bet 2.2/3 double 5", "Box 2 hand 2 bettor 3 adds 5.00 to double"),
        ("1.2 rescue by 2, 3", "Box 1 hand 2 takes the double back (rescue), bettor 2, 3 only"),
        ("pay 1 -12.50", "Box 1, main wager: 12.50 of a payment reversed"),
        ("take 1 -12.50", "Box 1, main wager: 12.50 of a collection returned"),
        ("pay 1 bsx16 50 take 5", "Box 1, Bonus Spin Xtreme: 50.00 paid and 5.00 taken"),
        ("push 1.2/3 split", "Box 1 hand 2 bettor 3, split wager: push"),
        ("assign 1/2 to hand 2", "Box 1 bettor 2 chooses hand 2"),
        ("withdraw 1", "Box 1 takes back the main wager"),
        ("offer insurance open", "Insurance is offered"),
        ("offer surrender closed", "Surrender is closed"),
        ("check no-blackjack", "The card reader says: no blackjack"),
        ("reader ok by lee", "The card reader is inspected: ok"),
        ("fault shoe jammed", "Fault: shoe"),
        ("repaired shoe", "Repaired: shoe"),
        ("cut card", "The cut card comes out after 0 cards"),
        ("cut S1 by seat 3 top 100 bottom 188", "Shoe S1 is cut by seat 3"),
        ("shoe S2 shuffle manual from discards", "Shoe S2 is loaded from the discards, shuffle: manual"),
        ("shoe ends 40", "Shoe S1 ends with 40 cards left"),
        ("inspection D1 cards 288 tens 24 by mia, lee", "Decks D1 are inspected by mia, lee"),
        ("rule deal.wrong-box reconstruct box 4", "Ruling on deal.wrong-box for box 4: reconstruct the deal"),
        (
            "rule deal.player-one-card reconstruct box 4 missed 1",
            "Ruling on deal.player-one-card for box 4, first card missed: reconstruct the deal",
        ),
        ("bsx16 start_round meter primary 10,000", "Bonus Spin Xtreme: round started, primary meter at 10,000.00"),
        ("bsx16 authorize by ito", "Bonus Spin Xtreme: authorised, by ito"),
    ],
)
def test_events_in_words(line: str, said: str) -> None:
    (event,) = notation.load(f"{MD}round 1\n{line}\n").events
    assert words.event_text(event) == said
