"""Sentences about a wager: its outcome, and the arithmetic of its amounts."""

from fractions import Fraction
from typing import Final

from replay import ops
from replay.audit import Settlement
from replay.rules import ODDS, Rules
from replay.wording import money

BONUS_HANDS: Final = {
    "678-mixed": "6-7-8 of mixed suits",
    "678-suited": "6-7-8 in one suit",
    "678-spades": "6-7-8 in spades",
    "777-mixed": "7-7-7 of mixed suits",
    "777-suited": "7-7-7 in one suit",
    "777-spades": "7-7-7 in spades",
    "5-card-21": "21 in five cards",
    "6-card-21": "21 in six cards",
    "7-card-21": "21 in seven or more cards",
}

# Deciding situations of a wager. {player} and {dealer} are the totals, {natural} the rulebook's word for blackjack,
# {first} the box's first two cards, {up} and {second} the dealer's.
SENTENCES: Final = {
    "outcome.dealer-bust": "The dealer is bust with {dealer}; the hand stands with {player} and wins.",
    "outcome.higher": "The hand has {player}, the dealer {dealer}: the higher total wins.",
    "outcome.blackjack": "The first two cards are a {natural}, which wins; the dealer has {dealer}.",
    "outcome.blackjack-vs-21": "The first two cards are a {natural}, which beats the dealer's 21 too.",
    "outcome.21-beats-21": "Both have 21 in three or more cards, and the player's wins.",
    "outcome.21-wins": "The hand has 21, which wins at once, regardless of the dealer's hand.",
    "outcome.split-21": "A two-card 21 after a split is no {natural}; against the dealer's 21 it wins.",
    "outcome.push": "Both have {player}: push.",
    "outcome.lower": "The hand has {player}, the dealer {dealer}: the lower total loses.",
    "outcome.bust": "The hand is bust with {player} and loses.",
    "outcome.21-loses-to-blackjack": "The hand's 21 took three or more cards and loses to the dealer's {natural}.",
    "outcome.dealer-blackjack": "The dealer has a {natural}; the hand has {player} and loses.",
    "outcome.double-back": "The dealer has a {natural}, which takes the original wager only: the double goes back.",
    "outcome.split-back": "The dealer has a {natural}, which takes one original wager only: this one goes back.",
    "outcome.split-taken-for-original": "The dealer has a {natural} and the original wager did not lose: "
    "this losing split hand is taken in its place.",
    "outcome.split-taken-after-bust": "The dealer has a {natural}. A hand of this box was bust before and stays lost; "
    "of the other losing hands one original wager is taken: this one.",
    "outcome.no-bonus-doubled": "The hand wins with {player}, but it was doubled: no bonus odds.",
    "outcome.no-bonus-split": "The hand wins with {player}, but it comes from a split: no bonus odds.",
    "outcome.bonus-undoubled": "The box doubled, but this bettor did not and keeps the bonus odds.",
    "outcome.rescue-taken": "The doubled hand was rescued: the double goes back, the original is lost.",
    "outcome.rescue-back": "The doubled hand was rescued: the double goes back, the original is lost.",
    "outcome.surrender-half": "The hand was surrendered: part of the wager is lost.",
    "outcome.surrender-half-later": "The hand was surrendered and the dealer has no {natural}: part of it is lost.",
    "outcome.surrender-whole": "The hand was surrendered, but the dealer has a {natural}: all of it is lost.",
    "outcome.above-maximum": "The wager is above the maximum and counts up to the maximum only.",
    "outcome.below-minimum-again": "The player has been below the minimum before: this time the wager goes back.",
    "outcome.capped": "The hand wins more than the posted limit for a hand, and gets the limit.",
    "outcome.insurance": "The dealer's second card is {second}, a ten-value: insurance wins.",
    "outcome.insurance-separate": "The dealer's second card is {second}, a ten-value: insurance wins, "
    "independently of the surrendered hand.",
    "outcome.match": "The box's first two cards are {first}: one has the rank of the dealer's {up}.",
    "outcome.match-face": "The box's first two cards are {first}: a picture matches only its own kind, "
    "and one has the rank of the dealer's {up}.",
    "outcome.match-both": "The box's first two cards are {first}: both have the rank of the dealer's {up}, "
    "and each is paid.",
    "outcome.pair": "The box's first two cards are {first}, a pair.",
    "outcome.super-bonus": "Three sevens of one suit against the dealer's {up} win a fixed prize besides the odds.",
    "outcome.super-share": "Another player won the Super Bonus: a fixed share goes to the rest of the table.",
    "outcome.bonus-spin": "The box's first two cards, {first}, are a {natural}: the wheel was spun, "
    "and its prize is paid in addition to the stake.",
    "outcome.bonus-spin-community": "Another player's wheel showed a prize for everybody with this wager.",
    "outcome.bsx16": "The dealer's first two cards are a six and a ten-value card: the wheel was spun.",
    "outcome.bsx16-hot-spot": "The wheel stopped at this player: its prize is paid.",
    "outcome.bsx16-community": "The wheel showed a prize for everybody with this wager.",
    "outcome.meter": "The wheel showed the jackpot: the meter's amount at that moment is paid.",
    "outcome.must-hit": "A must-hit jackpot fell to this player and is paid in addition to the stake.",
    "outcome.cancelled": "The progressive's round was cancelled: the stake goes back.",
    "outcome.void": "The round is void: every wager goes back.",
    "outcome.dead-hand": "The hand is dead: its wager goes back.",
    "outcome.dead-hand/no-cards": "The box was dealt no cards, so its hand is dead: the wager goes back.",
    "outcome.dead-hand/one-card": "The box was dealt only one card, so its hand is dead: the wager goes back.",
    "outcome.insurance-void": "The insured hand is void, and its insurance with it.",
    "outcome.withdrawn": "The wager was withdrawn, as a ruling allowed.",
    "outcome.withdrawn-plays-on": "The wager was withdrawn without permission: it stays in play.",
}
# The same situations without a win.
WITHOUT_WIN: Final = {
    "outcome.split-21": "A two-card 21 after a split is no {natural}; against the dealer's 21 it is a push.",
    "outcome.insurance": "The dealer's second card is {second}, no ten-value: insurance loses.",
    "outcome.insurance-separate": "The dealer's second card is {second}, no ten-value: insurance loses, "
    "independently of the surrendered hand.",
    "outcome.match": "The box's first two cards are {first}: none has the rank of the dealer's {up}.",
    "outcome.match-face": "The box's first two cards are {first}: a picture matches only its own kind, "
    "and none has the rank of the dealer's {up}.",
    "outcome.pair": "The box's first two cards are {first}, no pair.",
    "outcome.bonus-spin": "The box's first two cards are {first}, no {natural}: the wheel is not spun.",
    "outcome.bsx16-hot-spot": "The wheel stopped at this player, but there is no prize for a stake of this size.",
    "outcome.bsx16-community": "The wheel showed a prize for everybody, but there is none for a stake of this size.",
    "outcome.super-bonus": "No Super Bonus was won here.",
    "outcome.super-share": "No share of a Super Bonus was due here.",
    "outcome.bsx16": "The wheel was not spun, or showed no prize for this player: the stake is lost.",
}


def sentence(slot: str, won: bool) -> str:
    """Return the sentence for an outcome, with its fields still open; a special case may use the general sentence."""
    for name in (slot, slot.partition("/")[0]):
        if not won and name in WITHOUT_WIN:
            return WITHOUT_WIN[name]
        if name in SENTENCES:
            return SENTENCES[name]
    raise KeyError(f"no sentence for {slot}; write one in replay.narrative.sentences")


# The outcomes and findings that each reading can decide.
READING_SLOTS: Final[dict[str, tuple[str, ...]]] = {
    "blackjack_pays": ("outcome.blackjack",),
    "split_two_card_21": ("outcome.split-21", "outcome.21-wins"),
    "dealer_blackjack_after_split": (
        *("outcome.split-back", "outcome.split-taken-for-original", "outcome.split-taken-after-bust"),
        *("outcome.dealer-blackjack", "outcome.21-loses-to-blackjack"),
    ),
    "bust_before_dealer_blackjack": ("outcome.bust", "outcome.double-back"),
    "undoubled_bettor_odds": ("outcome.bonus-undoubled", "outcome.no-bonus-doubled"),
    "share_per": ("outcome.super-share",),
    "super_bonus_steps": ("outcome.super-bonus", "outcome.21-wins"),
    "dealer_stopped_short": ("outcome.higher", "outcome.push", "outcome.lower", "dealer.failed-to-draw"),
    "late_wager": (
        *("outcome.withdrawn", "wager.late", "wager.late/pair", "wager.late/match"),
        *("progressive.late-wager/bonus-spin", "progressive.late-wager/bsx16"),
    ),
    "more_than_one_within": ("shoe.tens-multiple", "shoe.face-up-multiple"),
    "excess_wager": (
        *("wager.insurance-excess", "wager.double-excess"),
        *("wager.split-unequal", "wager.split-unequal/bettor"),
    ),
    "surrender_binds": (
        *("outcome.surrender-half", "outcome.surrender-half-later", "outcome.surrender-whole"),
        "play.illegal-surrender/not-whole-box",
    ),
}

# Arithmetic.


def _cents(amount: Fraction) -> str:
    """An amount with its fraction of a cent, where it has one."""
    whole = money(int(amount))
    rest = amount - int(amount)
    return whole if not rest else f"{whole}{str(float(rest))[2:]}"


def _rounding(exact: Fraction) -> str:
    return "" if exact.denominator == 1 else " (a fraction of a cent goes to the player)"


def _back(staked: int, counted: int) -> str:
    return f"; {money(staked - counted)} goes back" if counted < staked else ""


def _part(staked: int, counted: int) -> str:
    return money(counted) if counted == staked else f"{money(counted)} of the {money(staked)} staked"


def _won(s: Settlement, rules: Rules) -> str:
    row = ODDS.index(s.odds or "regular")
    num, den = int(rules.odds_num[row]), int(rules.odds_den[row])
    exact = Fraction(s.stake_cents * num, den)
    if s.reason == "outcome.capped":
        return (
            f"{money(s.stake_cents)} at {num}:{den} = {_cents(exact)}, of which {money(s.expected_paid_cents)} is paid"
        )
    counted = (
        s.stake_cents if -(-s.stake_cents * num // den) == s.expected_paid_cents else s.expected_paid_cents * den // num
    )
    exact = Fraction(counted * num, den)
    odds = _both_cards(s, rules) or f"{num}:{den}"
    paid = "" if exact.denominator == 1 else f", paid {money(s.expected_paid_cents)}"
    result = f"{_cents(exact)}{paid}{_rounding(exact)}{_back(s.stake_cents, counted)}"
    return f"{_part(s.stake_cents, counted)} at {odds} = {result}"


def _both_cards(s: Settlement, rules: Rules) -> str:
    """The odds of two matching cards, one by one, where they add up."""
    parts = {
        "match.2-suited": ("match.1-suited", "match.1-suited"),
        "match.1-suited-1-unsuited": ("match.1-suited", "match.1-unsuited"),
        "match.2-unsuited": ("match.1-unsuited", "match.1-unsuited"),
    }.get(s.odds or "")
    if parts is None:
        return ""
    odds = [Fraction(int(rules.odds_num[n]), int(rules.odds_den[n])) for n in map(ODDS.index, parts)]
    row = ODDS.index(s.odds or "")
    total = Fraction(int(rules.odds_num[row]), int(rules.odds_den[row]))
    if sum(odds) != total:
        return ""
    each = " and ".join(f"{one.numerator}:{one.denominator}" for one in odds)
    return f"{each} (together {total.numerator}:{total.denominator})"


def _surrendered(s: Settlement, rules: Rules) -> str:
    share = Fraction(rules.surrender_num, rules.surrender_den)
    name = "half" if share == Fraction(1, 2) else f"{share}"
    for counted in (s.stake_cents, min(s.stake_cents, rules.max_cents)):
        exact = counted * share
        if int(exact) == s.expected_taken_cents:
            taken = " taken" if exact.denominator == 1 else f", {money(s.expected_taken_cents)} taken"
            return f"{name} of {_part(s.stake_cents, counted)} = {_cents(exact)}{taken}{_rounding(exact)}"
    return f"{money(s.expected_taken_cents)} taken"


def arithmetic(s: Settlement, rules: Rules) -> str:
    """Write the arithmetic of the expected amounts."""
    paid, taken = s.expected_paid_cents, s.expected_taken_cents
    if s.verdict == "undetermined":
        return "cannot be calculated"
    if s.kind in ops.SYSTEMS and (paid or taken):
        prize = f" and a prize of {money(paid)} paid" if paid else ""
        return f"the stake of {money(taken)} taken{prize}"
    if s.kind in ("super-bonus", "super-bonus-share") and paid:
        return f"a fixed {'prize' if s.kind == 'super-bonus' else 'share'} of {money(paid)}"
    if paid:
        return _won(s, rules)
    if s.reason.startswith("outcome.surrender-half"):
        return _surrendered(s, rules)
    if taken:
        return f"{_part(s.stake_cents, taken)} taken{_back(s.stake_cents, taken)}"
    return f"{money(s.stake_cents)} goes back, nothing is paid" if s.stake_cents else "nothing was due"
