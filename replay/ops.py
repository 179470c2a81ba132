"""The small integers of a tape: operations, wager kinds, actions, rulings, devices."""

from typing import Final

# Operations of a round's tape.
WAGER: Final = 1
BETS_CLOSED: Final = 2
OFFER: Final = 3
DECISION: Final = 4
ASSIGN: Final = 5
WITHDRAW: Final = 6
SETTLE: Final = 7
IRREGULARITY: Final = 8
IRREGULAR_CARD: Final = 9  # follows its IRREGULARITY: one card's ordinal in the shoe
PROGRESSIVE: Final = 10
METER: Final = 11  # follows its PROGRESSIVE: what the meter showed
ROUND_END: Final = 12
DRAW: Final = 13
HOLE_CHECK: Final = 14
FAULT: Final = 15
REPAIRED: Final = 16
CUT_CARD: Final = 17
SHOE_LOADED: Final = 18
SHOE_ENDED: Final = 19
# Operations of a table's tape only.
OPEN: Final = 20
CLOSE: Final = 21
INSPECTION: Final = 22
DEALER_CHANGE: Final = 23
CUT: Final = 24
READER_CHECK: Final = 25
ROUND_BEGIN: Final = 26
GAP: Final = 40  # lines of a device are missing from here on; kind says whose: 0 the terminal's, 1 the shoe's

KINDS: Final = (
    "main",
    "split",
    "double",
    "insurance",
    "pair",
    "match",
    "bonus-spin",
    "bsx16",
    "super-bonus",
    "super-bonus-share",
)
MAIN: Final = 0
SPLIT: Final = 1
DOUBLE: Final = 2
INSURANCE: Final = 3
PAIR: Final = 4
MATCH: Final = 5
BONUS_SPIN: Final = 6
BSX16: Final = 7
SUPER_BONUS: Final = 8
SUPER_SHARE: Final = 9

ACTIONS: Final = ("hit", "stand", "double", "split", "surrender", "rescue")
HIT: Final = 0
STAND: Final = 1
DOUBLE_DOWN: Final = 2
SPLIT_PAIR: Final = 3
SURRENDER: Final = 4
RESCUE: Final = 5

RULINGS: Final = (
    "void-round",
    "dead-hand",
    "remove-card",
    "burn-card",
    "use-next",
    "reconstruct",
    "reshuffle",
    "withdraw-decks",
    "withdraw",
    "refuse",
    "continue",
)
# As bits; to remove a card and to burn it are the same.
VOID: Final = 1
DEAD_HAND: Final = 2
REMOVE_CARD: Final = 4
USE_NEXT: Final = 8
RECONSTRUCT: Final = 16
RESHUFFLE: Final = 32
WITHDRAW_DECKS: Final = 64
WITHDRAW_WAGER: Final = 128
REFUSE: Final = 256
CONTINUE: Final = 512
RULING_BITS: Final[dict[str, int]] = {
    "void-round": VOID,
    "dead-hand": DEAD_HAND,
    "remove-card": REMOVE_CARD,
    "burn-card": REMOVE_CARD,
    "use-next": USE_NEXT,
    "reconstruct": RECONSTRUCT,
    "reshuffle": RESHUFFLE,
    "withdraw-decks": WITHDRAW_DECKS,
    "withdraw": WITHDRAW_WAGER,
    "refuse": REFUSE,
    "continue": CONTINUE,
}

SYSTEMS: Final = ("bonus-spin", "bsx16")
PROGRESSIVE_ACTIONS: Final = (
    "start_round",
    "cancel_round",
    "trigger",
    "spin",
    "confirm",
    "enable_spin",
    "disable_spin",
    "hot_spot",
    "community",
    "prize",
    "cancel_jackpot",
    "pay_jackpot",
    "authorize",
    "paid",
    "end_round",
    "must_hit",
)
(
    START_ROUND,
    CANCEL_ROUND,
    TRIGGER,
    SPIN,
    CONFIRM,
    ENABLE_SPIN,
    DISABLE_SPIN,
    HOT_SPOT,
    COMMUNITY,
    PRIZE,
    CANCEL_JACKPOT,
    PAY_JACKPOT,
    AUTHORIZE,
    PAID,
    END_ROUND,
    MUST_HIT,
) = range(16)
# Classes of wheel symbol.
NO_SYMBOL: Final = 0
JACKPOT: Final = 1
JACKPOT_SECONDARY: Final = 2
AMOUNT: Final = 3
COMMUNITY_AMOUNT: Final = 4

OFFERS: Final = ("insurance", "surrender")
OFFER_INSURANCE: Final = 0
OFFER_SURRENDER: Final = 1

CHECK_RESULTS: Final = ("blackjack", "no-blackjack", "fault")
CHECK_BLACKJACK: Final = 0
CHECK_NO_BLACKJACK: Final = 1
CHECK_FAULT: Final = 2

DEVICES: Final = ("shoe", "shuffler", "reader", "progressive", "power")
DEVICE_SHOE: Final = 0
DEVICE_SHUFFLER: Final = 1
DEVICE_READER: Final = 2
DEVICE_PROGRESSIVE: Final = 3
DEVICE_POWER: Final = 4

SHUFFLES: Final = ("machine", "manual", "preshuffled", "none")
SHUFFLE_MACHINE: Final = 0
SHUFFLE_MANUAL: Final = 1
SHUFFLE_PRESHUFFLED: Final = 2
SHUFFLE_NONE: Final = 3

SHOE_SOURCES: Final = ("decks", "discards")
FROM_DECKS: Final = 0
FROM_DISCARDS: Final = 1

# Flags of an operation.
FACE_UP: Final = 1  # DRAW
OFFER_OPEN: Final = 1  # OFFER
EXPOSED: Final = 1  # IRREGULARITY
INFERRED: Final = 2  # IRREGULARITY: nobody logged it, a story supposes it
SECONDARY_METER: Final = 1  # METER
ENTERED_MID_SHOE: Final = 1  # WAGER: set by the table's walk
BELOW_MINIMUM_BEFORE: Final = 2  # WAGER: likewise
SAT_OUT: Final = 4  # WAGER: likewise, by somebody who had wagered in this shoe

# Context of a round, from the table's walk or the evidence behind it.
NO_SHOE: Final = 1  # no shoe events for this round: nothing can be said of its cards
READER_DOWN: Final = 2  # the reader was out of order when the round began
NEW_SHOE: Final = 4  # the first round of a shoe
UNSHUFFLED: Final = 8  # ... whose cards were not shuffled
FOREIGN_CARD: Final = 16  # a card came out that the decks do not hold

MAX_SEAT: Final = 31
MAX_BETTOR: Final = 15
MAX_HAND: Final = 250

# Places of cards, by number.
ZONES: Final = (
    *("", "dealer", "discard", "burn"),
    *(f"seat{seat}.hand{hand}" for seat in range(1, MAX_SEAT + 1) for hand in range(1, MAX_HAND + 1)),
)

HANDLINGS: Final = ("", "as-prescribed", "not-prescribed", "unreported")
NOTHING_PRESCRIBED: Final = 0
AS_PRESCRIBED: Final = 1
NOT_PRESCRIBED: Final = 2
UNREPORTED: Final = 3

VERDICTS: Final = ("correct", "overpaid", "underpaid", "missing", "unexpected", "undetermined")
CORRECT: Final = 0
OVERPAID: Final = 1
UNDERPAID: Final = 2
MISSING: Final = 3
UNEXPECTED: Final = 4
UNDETERMINED: Final = 5
