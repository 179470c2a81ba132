"""Every row of every paytable, written out here from the documents and replayed: odds, prizes, least meters.

``every_row`` gives the same rows to the mutation run.
"""

from collections.abc import Iterator
from itertools import chain

import pytest

from tests.rules.worked import FindingExpectation, WagerExpectation, Worked, problems, run

MARYLAND = ("md-pontoon21", "md-spanish21")
SMALL_STAKE = {"md-pontoon21": "1.10", "md-spanish21": "1"}  # 6.G(2)

# Chapter 12.D(1) to (4): clause, symbol; the wheel pays what it shows. A and C have a fixed jackpot, B and D a meter.
SPIN_PRIZES = {
    "A": (
        ("12.D(1)(b)", 1000),
        ("12.D(1)(c)", 350),
        ("12.D(1)(d)", 120),
        ("12.D(1)(e)", 50),
        ("12.D(1)(f)", 33),
        ("12.D(1)(g)", 20),
        ("12.D(1)(h)", 10),
    ),
    "B": (
        ("12.D(2)(b)", 1000),
        ("12.D(2)(c)", 350),
        ("12.D(2)(d)", 120),
        ("12.D(2)(e)", 50),
        ("12.D(2)(f)", 33),
        ("12.D(2)(g)", 15),
        ("12.D(2)(h)", 10),
    ),
    "C": (
        ("12.D(3)(b)", 5000),
        ("12.D(3)(c)", 2500),
        ("12.D(3)(d)", 850),
        ("12.D(3)(e)", 250),
        ("12.D(3)(f)", 165),
        ("12.D(3)(g)", 100),
        ("12.D(3)(h)", 70),
        ("12.D(3)(i)", 60),
        ("12.D(3)(j)", 50),
        ("12.D(3)(j)/2", 40),
    ),
    "D": (
        ("12.D(4)(b)", 5000),
        ("12.D(4)(c)", 600),
        ("12.D(4)(d)", 750),
        ("12.D(4)(e)", 250),
        ("12.D(4)(f)", 115),
        ("12.D(4)(g)", 75),
        ("12.D(4)(h)", 70),
        ("12.D(4)(i)", 60),
        ("12.D(4)(j)", 50),
        ("12.D(4)(k)", 40),
    ),
}
SPIN_JACKPOTS = {"A": "12.D(1)(a)", "B": "12.D(2)(a)", "C": "12.D(3)(a)", "D": "12.D(4)(a)"}
# 12.D(9) and (10): clause, what who spun gets, what the others with the wager get.
SPIN_COMMUNITY = {
    "A": (("12.D(9)(a)(i)", 250, 100), ("12.D(9)(a)(ii)", 100, 20), ("12.D(9)(a)(iii)", 30, 3)),
    "B": (("12.D(9)(b)(i)", 250, 100), ("12.D(9)(b)(ii)", 100, 20), ("12.D(9)(b)(iii)", 30, 3)),
    "C": (("12.D(10)(a)(i)", 750, 100), ("12.D(10)(a)(ii)", 200, 50), ("12.D(10)(a)(iii)", 150, 15)),
    "D": (("12.D(10)(b)(i)", 500, 100), ("12.D(10)(b)(ii)", 200, 50), ("12.D(10)(b)(iii)", 100, 15)),
}
# 12.D(6)(b): clause, least initial and reset amount.
SPIN_MINIMUMS = {
    "A": ("12.D(6)(b)(i)", 1000),
    "B": ("12.D(6)(b)(ii)", 1000),
    "C": ("12.D(6)(b)(iii)", 5000),
    "D": ("12.D(6)(b)(iv)", 5000),
}
XTREME_PRIZES = (  # 12.E(1)
    ("12.E(1)(c)", 1000),
    ("12.E(1)(d)", 600),
    ("12.E(1)(e)", 500),
    ("12.E(1)(f)", 400),
    ("12.E(1)(g)", 350),
    ("12.E(1)(h)", 300),
    ("12.E(1)(i)", 250),
    ("12.E(1)(j)", 200),
)
XTREME_JACKPOTS = (("12.E(1)(a)", "jackpot", "primary"), ("12.E(1)(b)", "jackpot-secondary", "secondary"))
XTREME_COMMUNITY = {  # 12.F(1) in one text, 12.E(6)(a) in the other
    "md-pontoon21": (
        ("12.F(1)(a)", 150),
        ("12.F(1)(b)", 100),
        ("12.F(1)(c)", 75),
        ("12.F(1)(d)", 50),
        ("12.F(1)(e)", 40),
        ("12.F(1)(f)", 35),
        ("12.F(1)(g)", 30),
        ("12.F(1)(h)", 25),
    ),
    "md-spanish21": (
        ("12.E(6)(a)(i)", 150),
        ("12.E(6)(a)(ii)", 100),
        ("12.E(6)(a)(iii)", 75),
        ("12.E(6)(a)(iv)", 50),
        ("12.E(6)(a)(v)", 40),
        ("12.E(6)(a)(vi)", 35),
        ("12.E(6)(a)(vii)", 30),
        ("12.E(6)(a)(viii)", 25),
    ),
}
XTREME_MINIMUMS = ("12.E(3)(b)(i)", 10_000, 5_000)

# Hands that earn bonus odds, what they pay on 25, and the clause in each document.
BONUS_HANDS = (
    ("678-mixed", "37.50", ("6S 7H 8S", "8D 6D 7C", "7S 8S 6H")),
    ("678-suited", "50", ("6H 7H 8H", "8D 6D 7D", "7C 8C 6C")),
    ("678-spades", "75", ("6S 7S 8S", "8S 6S 7S")),
    ("777-mixed", "37.50", ("7S 7S 7H", "7D 7C 7H")),
    ("777-suited", "50", ("7H 7H 7H", "7D 7D 7D", "7C 7C 7C")),
    ("777-spades", "75", ("7S 7S 7S",)),
    ("5-card-21", "37.50", ("2S 3H 4D 5C 7S", "AS 2S 3S 4S AD")),
    ("6-card-21", "50", ("2S 2H 3D 4C 5S 5D", "AS AD 2C 2H 2S 3S")),
    ("7-card-21", "75", ("2S 2H 2D 3C 3S 4D 5H", "2S 2H 2D 2C 3S 3D 3H 4D")),
)
BONUS_CLAUSES = {
    **{
        book: {
            "678-mixed": "12.B(1)",
            "678-suited": "12.B(2)",
            "678-spades": "12.B(3)",
            "777-mixed": "12.B(4)",
            "777-suited": "12.B(5)",
            "777-spades": "12.B(6)",
            "5-card-21": "12.B(7)",
            "6-card-21": "12.B(8)",
            "7-card-21": "12.B(9)",
        }
        for book in MARYLAND
    },
    "ma-pontoon21": {
        "678-mixed": "5(f)(1)",
        "678-suited": "5(f)(2)",
        "678-spades": "5(f)(2)/spades",
        "777-mixed": "5(f)(3)",
        "777-suited": "5(f)(4)",
        "777-spades": "5(f)(4)/spades",
        "5-card-21": "5(f)(5)",
        "6-card-21": "5(f)(6)",
        "7-card-21": "5(f)(7)",
    },
    "mbs-pontoon": {key: f"4.1/{key}" for key, _, _ in BONUS_HANDS},
    "div15-pontoon": {key: f"11.1/{key}" for key, _, _ in BONUS_HANDS},
}
HOLE_CARD = MARYLAND

# The match wager: decks, then what 10 pay on the player's two cards against the eight of spades, and the clause.
_MATCH_12_3 = (("8S 8S", 240, "i"), ("8S 8H", 150, "i"), ("8S 4D", 120, "i"), ("8H 8D", 60, "ii"), ("4D 8C", 30, "ii"))
_MATCH_9_4 = (("8S 8S", 180, "i"), ("8S 8H", 130, "i"), ("8S 4D", 90, "i"), ("8H 8D", 80, "ii"), ("4D 8C", 40, "ii"))
MATCH = {
    "md-pontoon21": ((6, "12.A(4)(a)({})", _MATCH_12_3), (8, "12.A(4)(b)({})", _MATCH_12_3)),
    "md-spanish21": ((6, "12.A(4)(a)({})", _MATCH_9_4), (8, "12.A(4)(b)({})", _MATCH_12_3)),
    "ma-pontoon21": tuple(
        (
            decks,
            "6(e)(1)/{}",
            (
                ("8S 8S", 240, "2-suited"),
                ("8S 8H", 150, "1-suited-1-unsuited"),
                ("8S 4D", 120, "1-suited"),
                ("8H 8D", 60, "2-unsuited"),
                ("4D 8C", 30, "1-unsuited"),
            ),
        )
        for decks in (6, 8)
    ),
}

# Surrender: the clause for half at once, for half after the dealer's second card, and where it is not open.
SURRENDER = {
    "md-pontoon21": ("9.C(1)", "9.C(2)(b)", ""),
    "md-spanish21": ("9.C(1)", "9.C(2)(b)", ""),
    "ma-pontoon21": ("8(a)(1)", "8(a)(2)", ""),
    "mbs-pontoon": ("", "3.24.3", "3.24"),
    "div15-pontoon": ("", "9.5", "9.3"),
}


def _row(title: str, text: str, wagers: tuple[str, ...], findings: tuple[str, ...] = ()) -> Worked:
    row = Worked("paytable", title, text.strip().splitlines())
    for expected in wagers:
        place, kind, amount, clause = expected.split()
        row.wagers.append(WagerExpectation(place, kind, amount, clause, None))
    row.findings += [FindingExpectation("floor.not-permitted", "-", clause, "-", "") for clause in findings]
    return row


def _spin_header(book: str, letter: str, least: str) -> str:
    fixed = letter in "AC"
    source = f"progressive bonus-spin jackpot {least}" if fixed else "progressive bonus-spin meter spin"
    meter = "" if fixed else f"\nmeter spin rate 150000 reset {least}"
    return f"rulebook {book}\ndecks 6\noption bonus_spin = {letter}{meter}\n{source}"


def _spin_stake(book: str, letter: str) -> str:
    return SMALL_STAKE[book] if letter in "AB" else "5"


def spins() -> Iterator[Worked]:
    """The wheel's own prizes: an amount, or the jackpot."""
    for book in MARYLAND:
        for letter, prizes in SPIN_PRIZES.items():
            least = SPIN_MINIMUMS[letter][1]
            jackpot = f"{least}" if letter in "AC" else "6543.21"
            logged = f"pays {jackpot}" if letter in "AC" else f"pays {jackpot} meter {jackpot}"
            rows = [(clause, f"{symbol}", f"{symbol}", f"pays {symbol}") for clause, symbol in prizes]
            rows.append((SPIN_JACKPOTS[letter], "jackpot", jackpot, logged))
            stake = _spin_stake(book, letter)
            for clause, symbol, prize, pays in rows:
                text = f"""
{_spin_header(book, letter, str(least))}
round 1
bet 1 20
bet 1 bonus-spin {stake}
no more bets
deal AS 8H KD 9D
bonus-spin trigger box 1
bonus-spin spin box 1
bonus-spin prize box 1 symbol {symbol} {pays}
bonus-spin paid box 1
end
"""
                title = f"{book} Bonus Spin {letter} {symbol}"
                yield _row(title, text, ("1 main +30 12.A(2)", f"1 bonus-spin +{prize}-{stake} {clause}"))


def spins_for_all() -> Iterator[Worked]:
    """Community symbols: one figure for who spun, one for the others."""
    for book in MARYLAND:
        for letter, rows in SPIN_COMMUNITY.items():
            stake = _spin_stake(book, letter)
            for clause, own, others in rows:
                text = f"""
{_spin_header(book, letter, str(SPIN_MINIMUMS[letter][1]))}
round 1
bet 1 20
bet 1 bonus-spin {stake}
bet 2 20
bet 2 bonus-spin {stake}
no more bets
deal AS KH 8H KD 9C 9D
bonus-spin trigger box 1
bonus-spin spin box 1
bonus-spin prize box 1 symbol community-{others} pays {own}
bonus-spin prize box 2 symbol community-{others} pays {others}
bonus-spin paid box 1
2 stand
end
"""
                expected = (f"1 bonus-spin +{own}-{stake} {clause}", f"2 bonus-spin +{others}-{stake} {clause}")
                yield _row(f"{book} Bonus Spin {letter} community {own} and {others}", text, expected)


def _xtreme(book: str, hot: str, community: str) -> str:
    return f"""
rulebook {book}
decks 6
option bsx16 = true
meter bsx1 rate 100000 reset 10000
meter bsx2 rate 50000 reset 5000
progressive bsx16 meter bsx1 secondary bsx2
round 1
bet 1 20
bet 1 bsx16 5
bet 2 20
bet 2 bsx16 5
no more bets
deal KS KH 6H 9D 9C KD
bsx16 trigger
bsx16 spin
bsx16 confirm
bsx16 hot_spot box 2
bsx16 enable_spin box 2
bsx16 prize box 2 symbol {hot}
bsx16 community symbol community-{community} pays {community}
bsx16 paid
1 stand
2 stand
dealer 3D
bsx16 end_round
end
"""


def xtremes() -> Iterator[Worked]:
    """Xtreme: the hot spot's prizes and the community's."""
    for book in MARYLAND:
        fifty = next(clause for clause, symbol in XTREME_COMMUNITY[book] if symbol == 50)
        for clause, prize in XTREME_PRIZES:
            expected = (f"2 bsx16 +{prize}-5 {clause}", f"1 bsx16 +50-5 {fifty}")
            yield _row(f"{book} Xtreme {prize}", _xtreme(book, f"{prize} pays {prize}", "50"), expected)
        for clause, symbol, meter in XTREME_JACKPOTS:
            logged = f"{symbol} pays 12345.67 meter {meter} 12345.67"
            expected = (f"2 bsx16 +12345.67-5 {clause}", f"1 bsx16 +50-5 {fifty}")
            yield _row(f"{book} Xtreme {symbol}", _xtreme(book, logged, "50"), expected)
        for clause, prize in XTREME_COMMUNITY[book]:
            expected = ("2 bsx16 +500-5 12.E(1)(e)", f"1 bsx16 +{prize}-5 {clause}")
            yield _row(f"{book} Xtreme community {prize}", _xtreme(book, "500 pays 500", f"{prize}"), expected)


_PLAIN_ROUND = """
round 1
bet 1 20
no more bets
deal KS 8H 9C 9D
1 stand
end
"""


def least_meters() -> Iterator[Worked]:
    """Yield rounds with the least permitted meters and fixed jackpots, and with one cent less."""
    for book in MARYLAND:
        for letter, (clause, least) in SPIN_MINIMUMS.items():
            for amount, findings in ((f"{least}", ()), (f"{least - 1}.99", (clause,))):
                text = _spin_header(book, letter, amount) + _PLAIN_ROUND
                yield _row(f"{book} Bonus Spin {letter} from {amount}", text, ("1 main +20 12.A(1)",), findings)
        clause, first, second = XTREME_MINIMUMS
        for one, two, findings in (
            (f"{first}", f"{second}", ()),
            (f"{first - 1}.99", f"{second}", (clause,)),
            (f"{first}", f"{second - 1}.99", (clause,)),
        ):
            text = f"""
rulebook {book}
decks 6
option bsx16 = true
meter bsx1 rate 100000 reset {one}
meter bsx2 rate 50000 reset {two}
progressive bsx16 meter bsx1 secondary bsx2
{_PLAIN_ROUND}
"""
            yield _row(f"{book} Xtreme from {one} and {two}", text, ("1 main +20 12.A(1)",), findings)


def bonus_hands() -> Iterator[Worked]:
    """21s with odds of their own, against a dealer 17."""
    for book, clauses in BONUS_CLAUSES.items():
        for key, paid, hands in BONUS_HANDS:
            for hand in hands:
                first, second, *more = hand.split()
                hole, later = (" 9D", "") if book in HOLE_CARD else ("", "dealer 9D\n")
                hits = "".join(f"1 hit {card}\n" for card in more)
                text = f"rulebook {book}\ndecks 6\nround 1\nbet 1 25\nno more bets\n"
                text += f"deal {first} 8H {second}{hole}\n{hits}{later}end"
                yield _row(f"{book} {hand}", text, (f"1 main +{paid} {clauses[key]}",))


def matches() -> Iterator[Worked]:
    """The match wager against the eight of spades, by decks."""
    for book, tables in MATCH.items():
        for decks, clause, rows in tables:
            for hand, paid, part in rows:
                first, second = hand.split()
                hole, later = (" 9D", "") if book in HOLE_CARD else ("", "dealer 9D\n")
                text = f"rulebook {book}\ndecks {decks}\noption match = true\nround 1\nbet 1 25\nbet 1 match 10\n"
                text += f"no more bets\ndeal {first} 8S {second}{hole}\n1 stand\n{later}end"
                yield _row(f"{book} match {hand} of {decks}", text, (f"1 match +{paid} {clause.format(part)}",))


def surrenders() -> Iterator[Worked]:
    """Giving up 16 for half of 20 under every up card where it is open, and under every one where it is not."""
    for book, (at_once, later, barred) in SURRENDER.items():
        for up in "A23456789JQK":
            waits = up in "AKQJ"
            header = f"rulebook {book}\ndecks 6\nround 1\nbet 1 20\nno more bets\ndeal KS {up}H 6D"
            if book in HOLE_CARD:
                text = f"{header} 9D\n{'check no-blackjack' if waits else ''}\n1 surrender\nend"
            else:
                text = f"{header}\n1 surrender\n{'dealer 9D' if waits else ''}\nend"
            if waits or at_once:
                yield _row(f"{book} surrender under {up}", text, (f"1 main -10 {later if waits else at_once}",))
                continue
            drawn = {"2": "KC 9C", "3": "KC 8C", "4": "KC 7C", "5": "KC 6C", "6": "KC 5C"}.get(up, "KC")
            text = f"{header}\n1 surrender\ndealer {drawn}\nend"
            row = _row(f"{book} surrender under {up}", text, ("1 main -20 -",))
            row.findings.append(FindingExpectation("play.illegal-surrender", "1", barred, "-", ""))
            yield row


def hasty_surrenders() -> Iterator[Worked]:
    """Half a wager is not taken before the dealer's second card where it has to wait for that."""
    for book in ("mbs-pontoon", "div15-pontoon"):
        for up in "AKQJ":
            text = f"rulebook {book}\ndecks 6\nround 1\nbet 1 20\nno more bets\ndeal KS {up}H 6D\n"
            text += "1 surrender\ntake 1 10\ndealer 9D\nend"
            clause = SURRENDER[book][1]
            row = _row(f"{book} hasty surrender under {up}", text, (f"1 main -10 {clause}",))
            row.findings.append(FindingExpectation("settlement.out-of-order", "1", clause, "-", ""))
            yield row


def every_row() -> list[Worked]:
    """All rows as worked rounds."""
    money = chain(spins(), spins_for_all(), xtremes(), least_meters(), bonus_hands(), matches())
    return [*money, *surrenders(), *hasty_surrenders()]


@pytest.mark.parametrize("row", every_row(), ids=lambda row: row.title)
def test_row_is_paid_as_printed(row: Worked) -> None:
    found = problems(row, run(row))
    told = "\n  ".join(found)
    assert not found, f"{row.title}:\n  {told}\n\n{row.text}"


def test_rows_have_different_titles() -> None:
    titles = [row.title for row in every_row()]
    assert len(set(titles)) == len(titles)
