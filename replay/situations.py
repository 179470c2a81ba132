"""The situations the engine can meet, each a number.

A *slot* is where a rulebook hooks in: the clause that names a slot in its ``cites`` list is the one cited when the
engine gets there.  ``outcome.*`` slots decide a wager; every other slot is a finding code, with the situation after a
slash where one code has several clauses.  The constants' names give the slots' names:
``PLAY__ILLEGAL_HIT__ON_21`` is ``play.illegal-hit/on-21``.
"""

from itertools import count
from typing import Final

_n = count()


def _next() -> int:
    return next(_n)


# What decides a main, split or double wager.
OUTCOME__DEALER_BUST: Final = _next()
OUTCOME__HIGHER: Final = _next()
OUTCOME__BLACKJACK: Final = _next()  # a player's blackjack wins whatever the dealer has
OUTCOME__BLACKJACK_VS_21: Final = _next()  # ... and the dealer has 21 too
OUTCOME__21_BEATS_21: Final = _next()  # both have 21 of three or more cards
OUTCOME__21_WINS: Final = _next()  # any 21 wins at once
OUTCOME__SPLIT_21: Final = _next()  # two-card 21 after a split, against a dealer's 21
OUTCOME__PUSH: Final = _next()
OUTCOME__LOWER: Final = _next()
OUTCOME__BUST: Final = _next()
OUTCOME__21_LOSES_TO_BLACKJACK: Final = _next()
OUTCOME__DEALER_BLACKJACK: Final = _next()  # a lower total against the dealer's blackjack
OUTCOME__DOUBLE_BACK: Final = _next()  # the double portion, dealer blackjack
OUTCOME__SPLIT_BACK: Final = _next()  # a split wager, dealer blackjack: original only
OUTCOME__SPLIT_TAKEN_FOR_ORIGINAL: Final = _next()  # the original has won or tied, a losing split hand is taken instead
OUTCOME__SPLIT_TAKEN_AFTER_BUST: Final = _next()  # the original went bust, a losing split hand is taken beside it
OUTCOME__NO_BONUS_DOUBLED: Final = _next()  # bonus odds off: even money
OUTCOME__NO_BONUS_SPLIT: Final = _next()
OUTCOME__BONUS_UNDOUBLED: Final = _next()  # a bettor who did not double keeps the bonus odds
OUTCOME__RESCUE_TAKEN: Final = _next()
OUTCOME__RESCUE_BACK: Final = _next()
OUTCOME__SURRENDER_HALF: Final = _next()
OUTCOME__SURRENDER_HALF_LATER: Final = _next()  # ... after the dealer's second card shows no blackjack
OUTCOME__SURRENDER_WHOLE: Final = _next()
OUTCOME__ABOVE_MAXIMUM: Final = _next()
OUTCOME__BELOW_MINIMUM_AGAIN: Final = _next()
OUTCOME__CAPPED: Final = _next()  # the posted payout limit per hand
# What decides other wagers, and what is returned.
OUTCOME__INSURANCE: Final = _next()
OUTCOME__INSURANCE_SEPARATE: Final = _next()  # insurance beside a surrender
OUTCOME__MATCH: Final = _next()
OUTCOME__MATCH_FACE: Final = _next()  # a picture matches its own kind only
OUTCOME__MATCH_BOTH: Final = _next()
OUTCOME__PAIR: Final = _next()
OUTCOME__SUPER_BONUS: Final = _next()
OUTCOME__SUPER_SHARE: Final = _next()
OUTCOME__BONUS_SPIN: Final = _next()
OUTCOME__BONUS_SPIN_COMMUNITY: Final = _next()
OUTCOME__BSX16: Final = _next()
OUTCOME__BSX16_HOT_SPOT: Final = _next()
OUTCOME__BSX16_COMMUNITY: Final = _next()
OUTCOME__MUST_HIT: Final = _next()  # a mystery jackpot, as the system announces it
OUTCOME__METER: Final = _next()  # a jackpot is the meter at that moment
OUTCOME__CANCELLED: Final = _next()  # a progressive round that was cancelled is not accounted
OUTCOME__VOID: Final = _next()
OUTCOME__DEAD_HAND: Final = _next()
OUTCOME__DEAD_HAND__NO_CARDS: Final = _next()
OUTCOME__DEAD_HAND__ONE_CARD: Final = _next()
OUTCOME__INSURANCE_VOID: Final = _next()  # a void hand's insurance
OUTCOME__WITHDRAWN: Final = _next()
OUTCOME__WITHDRAWN_PLAYS_ON__OPTIONAL: Final = _next()  # insurance, double or split
OUTCOME__WITHDRAWN_PLAYS_ON: Final = _next()  # pulled without leave: wins or loses all the same

# Findings of money.
SETTLEMENT__OVERPAID: Final = _next()
SETTLEMENT__UNDERPAID: Final = _next()
SETTLEMENT__MISSING: Final = _next()
SETTLEMENT__UNEXPECTED: Final = _next()
SETTLEMENT__OUT_OF_ORDER__MATCH: Final = _next()
SETTLEMENT__OUT_OF_ORDER__MATCH_SEATS: Final = _next()
SETTLEMENT__OUT_OF_ORDER__BLACKJACK_AT_ONCE: Final = _next()
SETTLEMENT__OUT_OF_ORDER__BLACKJACK_WAITS: Final = _next()
SETTLEMENT__OUT_OF_ORDER__21_AT_ONCE: Final = _next()
SETTLEMENT__OUT_OF_ORDER__INSURANCE: Final = _next()
SETTLEMENT__OUT_OF_ORDER__SURRENDER: Final = _next()
SETTLEMENT__OUT_OF_ORDER__SUPER_BONUS: Final = _next()
SETTLEMENT__OUT_OF_ORDER__COLLECT_FIRST: Final = _next()
SETTLEMENT__OUT_OF_ORDER__RIGHT_TO_LEFT: Final = _next()

# Findings of the shoe.
SHOE__TEN_FOUND: Final = _next()
SHOE__TENS_MULTIPLE: Final = _next()
SHOE__FACE_UP: Final = _next()
SHOE__FACE_UP_MULTIPLE: Final = _next()
SHOE__COMPOSITION: Final = _next()
SHOE__DECK_COUNT: Final = _next()
SHOE__DECKS_STALE: Final = _next()
SHOE__BURN_MISSED__NEW_SHOE: Final = _next()
SHOE__BURN_MISSED__NEW_DEALER: Final = _next()
SHOE__BURN_MISSED__REFILL: Final = _next()
SHOE__CUT_CARD_DEPTH: Final = _next()
SHOE__CUT_CARD_IGNORED__MID_ROUND: Final = _next()
SHOE__CUT_CARD_IGNORED__FIRST_CARD: Final = _next()
SHOE__INSUFFICIENT_CARDS: Final = _next()
SHOE__NOT_INSPECTED: Final = _next()
SHOE__NOT_INSPECTED__ALONE: Final = _next()  # by fewer people than prescribed
SHOE__UNSHUFFLED: Final = _next()
SHOE__CUT_CARD_MISSING: Final = _next()
SHOE__CUT_SHALLOW: Final = _next()
SHOE__FAULT_PLAY_CONTINUED: Final = _next()
SHOE__SINGLE_SET: Final = _next()
SHOE__ENDED_MID_ROUND: Final = _next()
SHOE__DECKS_WITHDRAWN_REUSED: Final = _next()

# Findings of the deal.
DEAL__COUNT_MISMATCH: Final = _next()
DEAL__COUNT_MISMATCH__INITIAL: Final = _next()  # within the initial deal
DEAL__DEALER_MISSED_CARD__EARLY: Final = _next()  # noticed before any settlement or further card
DEAL__DEALER_MISSED_CARD__LATE: Final = _next()
DEAL__PLAYER_NO_CARDS__EARLY: Final = _next()
DEAL__PLAYER_NO_CARDS__LATE: Final = _next()
DEAL__PLAYER_ONE_CARD__EARLY: Final = _next()
DEAL__PLAYER_ONE_CARD__LATE: Final = _next()
DEAL__HIT_NOT_DEALT: Final = _next()
DEAL__HIT_NOT_DEALT__LATE: Final = _next()  # more than one later area has cards
DEAL__DRAWN_IN_ERROR__UNSEEN: Final = _next()
DEAL__DRAWN_IN_ERROR__SEEN: Final = _next()
DEAL__DRAWN_IN_ERROR__REFUSED: Final = _next()  # by all: nobody took it
DEAL__DRAWN_IN_ERROR__AFTER_BLACKJACK: Final = _next()  # cards after the reader found a dealer blackjack
DEAL__DRAWN_TOGETHER__NONE_SEEN: Final = _next()
DEAL__DRAWN_TOGETHER__ONE_SEEN: Final = _next()
DEAL__DRAWN_TOGETHER__SEEN: Final = _next()
DEAL__DRAWN_TOGETHER__DEALER_NONE_SEEN: Final = _next()
DEAL__DRAWN_TOGETHER__DEALER_ONE_SEEN: Final = _next()
DEAL__DRAWN_TOGETHER__DEALER_SEEN: Final = _next()
DEAL__WRONG_BOX: Final = _next()
DEAL__WRONG_BOX__BEYOND: Final = _next()  # noticed early and past reconstruction
DEAL__UNWAGERED_BOX__EARLY: Final = _next()
DEAL__UNWAGERED_BOX__LATE: Final = _next()
DEAL__HOLE_CARD_EXPOSED: Final = _next()

# Findings of the dealer's hand.
DEALER__DREW_ON_STANDING_TOTAL: Final = _next()
DEALER__FAILED_TO_DRAW: Final = _next()
DEALER__DREW_WITHOUT_EFFECT: Final = _next()

# Findings of play.
PLAY__ILLEGAL_HIT__ON_BLACKJACK: Final = _next()
PLAY__ILLEGAL_HIT__ON_21: Final = _next()
PLAY__ILLEGAL_HIT__ON_SOFT_21: Final = _next()
PLAY__ILLEGAL_HIT__BUST: Final = _next()
PLAY__ILLEGAL_HIT__AFTER_DOUBLE: Final = _next()
PLAY__ILLEGAL_HIT__SPLIT_ACE: Final = _next()
PLAY__ILLEGAL_HIT__AFTER_REFUSAL: Final = _next()
PLAY__ILLEGAL_HIT__FINISHED: Final = _next()  # stood, surrendered, or not in the round
PLAY__ILLEGAL_DOUBLE__ON_BLACKJACK: Final = _next()
PLAY__ILLEGAL_DOUBLE__ON_21: Final = _next()
PLAY__ILLEGAL_DOUBLE__CARDS: Final = _next()  # wrong number of cards
PLAY__ILLEGAL_DOUBLE__SPLIT_ACES: Final = _next()
PLAY__ILLEGAL_DOUBLE__NOT_CONTROLLING: Final = _next()
PLAY__ILLEGAL_DOUBLE__FINISHED: Final = _next()
PLAY__ILLEGAL_DOUBLE__ABSENT: Final = _next()
PLAY__ILLEGAL_SPLIT__VALUE: Final = _next()
PLAY__ILLEGAL_SPLIT__TOO_MANY: Final = _next()
PLAY__ILLEGAL_SPLIT__ACES_AGAIN: Final = _next()
PLAY__ILLEGAL_SPLIT__CARDS: Final = _next()
PLAY__ILLEGAL_SPLIT__NOT_CONTROLLING: Final = _next()
PLAY__ILLEGAL_SPLIT__ABSENT: Final = _next()
PLAY__ILLEGAL_SURRENDER__UP_CARD: Final = _next()
PLAY__ILLEGAL_SURRENDER__CARDS: Final = _next()  # not on the first two cards, or already drawn
PLAY__ILLEGAL_SURRENDER__AFTER_DOUBLE: Final = _next()
PLAY__ILLEGAL_SURRENDER__AFTER_SPLIT: Final = _next()
PLAY__ILLEGAL_SURRENDER__AFTER_STAND: Final = _next()
PLAY__ILLEGAL_SURRENDER__ON_21: Final = _next()
PLAY__ILLEGAL_SURRENDER__CLOSED: Final = _next()  # after the offer closed or further cards were dealt
PLAY__ILLEGAL_SURRENDER__NOT_WHOLE_BOX: Final = _next()
PLAY__ILLEGAL_RESCUE: Final = _next()
PLAY__ILLEGAL_ASSIGN: Final = _next()
PLAY__MUST_DRAW: Final = _next()
PLAY__MUST_DRAW__ABSENT: Final = _next()
PLAY__DECISION_MISSING: Final = _next()
PLAY__DECISION_MISSING__SPLIT_HAND: Final = _next()
PLAY__DECISION_MISSING__UNCOVERED_SPLIT: Final = _next()
PLAY__OUT_OF_TURN: Final = _next()
PLAY__OUT_OF_TURN__SPLIT_HAND: Final = _next()
PLAY__ABSENT_PLAYER: Final = _next()

# Findings of wagers.
WAGER__LATE: Final = _next()
WAGER__LATE__PAIR: Final = _next()
WAGER__LATE__MATCH: Final = _next()
WAGER__BELOW_MINIMUM: Final = _next()
WAGER__BELOW_MINIMUM__DOUBLE: Final = _next()
WAGER__ABOVE_MAXIMUM: Final = _next()
WAGER__INSURANCE_NOT_OPEN__UP_CARD: Final = _next()
WAGER__INSURANCE_NOT_OPEN__TIME: Final = _next()
WAGER__INSURANCE_NOT_OPEN__READER: Final = _next()
WAGER__INSURANCE_EXCESS: Final = _next()
WAGER__INSURANCE_EXCESS__FOR_ANOTHER: Final = _next()
WAGER__INSURANCE_INELIGIBLE__BLACKJACK: Final = _next()
WAGER__INSURANCE_INELIGIBLE__NO_WAGER: Final = _next()
WAGER__INSURANCE_INELIGIBLE__FOR_ANOTHER: Final = _next()  # the option was not declined
WAGER__DOUBLE_EXCESS: Final = _next()
WAGER__SPLIT_UNEQUAL: Final = _next()
WAGER__SPLIT_UNEQUAL__AGAIN: Final = _next()  # a third or later hand
WAGER__SPLIT_UNEQUAL__BETTOR: Final = _next()
WAGER__SIDE_WITHOUT_MAIN: Final = _next()
WAGER__SIDE_WITHOUT_MAIN__MATCH: Final = _next()
WAGER__SIDE_WITHOUT_MAIN__BSX16: Final = _next()
WAGER__SIDE_LIMIT__MATCH_MINIMUM: Final = _next()
WAGER__SIDE_LIMIT__MATCH_MAIN: Final = _next()
WAGER__SIDE_LIMIT__MATCH_POSTED: Final = _next()
WAGER__SIDE_LIMIT__BONUS_SPIN: Final = _next()
WAGER__SIDE_LIMIT__BSX16: Final = _next()
WAGER__TOO_MANY_BETTORS: Final = _next()
WAGER__TOO_MANY_BETTORS__OPTION: Final = _next()  # more than the house admits
WAGER__TOO_MANY_BETTORS__PAIR: Final = _next()
WAGER__TOO_MANY_BOXES: Final = _next()
WAGER__SEPARATED: Final = _next()
WAGER__NOT_OFFERED: Final = _next()
WAGER__MID_SHOE_ENTRY__NEW: Final = _next()  # missed the shoe so far
WAGER__MID_SHOE_ENTRY__SAT_OUT: Final = _next()
WAGER__NOT_PAYABLE: Final = _next()

# Findings of the card reader.
READER__MISUSED__REVEALS: Final = _next()
READER__MISUSED__CONCEALS: Final = _next()
READER__NOT_USED: Final = _next()
READER__FAULT_PLAY_CONTINUED: Final = _next()
READER__NOT_INSPECTED: Final = _next()
READER__CONTRADICTS_CARDS: Final = _next()

# Findings of the progressives.
PROGRESSIVE__PROTOCOL__START: Final = _next()
PROGRESSIVE__PROTOCOL__SPIN: Final = _next()
PROGRESSIVE__PROTOCOL__CONFIRM: Final = _next()
PROGRESSIVE__PROTOCOL__HOT_SPOT: Final = _next()
PROGRESSIVE__PROTOCOL__ENABLE: Final = _next()
PROGRESSIVE__PROTOCOL__DISABLE: Final = _next()
PROGRESSIVE__PROTOCOL__JACKPOT: Final = _next()
PROGRESSIVE__PROTOCOL__PAY: Final = _next()
PROGRESSIVE__PROTOCOL__PAID: Final = _next()
PROGRESSIVE__PROTOCOL__END: Final = _next()
PROGRESSIVE__PROTOCOL__END_QUIET: Final = _next()  # no trigger
PROGRESSIVE__PROTOCOL__STARTED_LATE: Final = _next()  # after the first card
PROGRESSIVE__PROTOCOL__CANCEL_JACKPOT: Final = _next()
PROGRESSIVE__PROTOCOL__MUST_HIT: Final = _next()
PROGRESSIVE__TRIGGER_MISSED__BONUS_SPIN: Final = _next()
PROGRESSIVE__TRIGGER_MISSED__BSX16: Final = _next()
PROGRESSIVE__TRIGGER_FALSE__BONUS_SPIN: Final = _next()
PROGRESSIVE__TRIGGER_FALSE__BSX16: Final = _next()
PROGRESSIVE__WRONG_PRIZE: Final = _next()
PROGRESSIVE__UNAUTHORISED: Final = _next()
PROGRESSIVE__CANCELLED_AFTER_DEAL: Final = _next()
PROGRESSIVE__METER_DRIFT: Final = _next()
PROGRESSIVE__LATE_WAGER__BONUS_SPIN: Final = _next()
PROGRESSIVE__LATE_WAGER__BSX16: Final = _next()
PROGRESSIVE__MALFUNCTION: Final = _next()

# Findings of the round.
ROUND__VOID_REQUIRED: Final = _next()
ROUND__VOID_UNJUSTIFIED: Final = _next()
ROUND__VOID_UNJUSTIFIED__READER: Final = _next()
ROUND__VOID_UNJUSTIFIED__POWER: Final = _next()
ROUND__POWER_FAILURE__NO_OUTCOME: Final = _next()
ROUND__POWER_FAILURE__OUTCOME: Final = _next()

COUNT: Final = next(_n)


def _name(constant: str) -> str:
    group, rest = constant.split("__", 1)
    return f"{group}.{rest.replace('__', '/')}".lower().replace("_", "-")


NAMES: Final[tuple[str, ...]] = tuple(
    _name(constant)
    for constant, _ in sorted(
        ((k, v) for k, v in globals().items() if "__" in k and k[0].isupper() and isinstance(v, int)),
        key=lambda item: item[1],
    )
)
BY_NAME: Final[dict[str, int]] = {name: slot for slot, name in enumerate(NAMES)}


def code(slot: int) -> str:
    """The finding code of a slot: its name without the situation."""
    return NAMES[slot].partition("/")[0]
