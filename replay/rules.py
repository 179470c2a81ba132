"""The rules of a table as plain numbers for the engine, from its rulebook, options and readings."""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from replay.situations import COUNT as SLOTS

I64 = npt.NDArray[np.int64]

# Rows of the odds table.
ODDS: Final = (
    "regular",
    "blackjack",
    "insurance",
    "pair",
    "678-mixed",
    "678-suited",
    "678-spades",
    "777-mixed",
    "777-suited",
    "777-spades",
    "5-card-21",
    "6-card-21",
    "7-card-21",
    "match.2-suited",
    "match.1-suited-1-unsuited",
    "match.1-suited",
    "match.2-unsuited",
    "match.1-unsuited",
    "doubled",
)
REGULAR: Final = 0
BLACKJACK: Final = 1
INSURANCE: Final = 2
PAIR: Final = 3
SIX_SEVEN_EIGHT: Final = 4  # mixed, then suited, then spades
SEVENS: Final = 7  # likewise
FIVE_CARDS: Final = 10
SIX_CARDS: Final = 11
SEVEN_CARDS: Final = 12
MATCH_TWO_SUITED: Final = 13
MATCH_SUITED_UNSUITED: Final = 14
MATCH_SUITED: Final = 15
MATCH_TWO_UNSUITED: Final = 16
MATCH_UNSUITED: Final = 17
DOUBLED: Final = 18  # a doubled hand that would have earned bonus odds

# A check that no clause of this rulebook asks for, and one that the floor's own configuration asks for.
NOT_CHECKED: Final = -1
NO_CLAUSE: Final = -2

# Values of parameters and readings that the engine tells apart.
ACE_NORMAL, ACE_FIRST_TWO, ACE_INITIAL = 0, 1, 2
DOUBLE_MIN_NONE, DOUBLE_MIN_TABLE, DOUBLE_MIN_INCREMENT = 0, 1, 2
SPLIT21_PUSH, SPLIT21_WIN, SPLIT21_WIN_3_2 = 0, 1, 2
AFTER_SPLIT_BUSTED_PLUS_ONE, AFTER_SPLIT_ORIGINAL, AFTER_SPLIT_ALL = 0, 1, 2
ORDER_FREE, ORDER_COLLECT_FIRST, ORDER_RIGHT_TO_LEFT = 0, 1, 2
ENTRY_ALLOW, ENTRY_MINIMUM, ENTRY_FORBID = 0, 1, 2
REMOVE, PLAY, VOID, OPERATOR = 0, 1, 2, 3


class Rules(NamedTuple):
    """Rules of one table as numbers. Flags are 0 or 1, masks have a bit per rank, money is cents."""

    # The deal and the dealer.
    hole_card: int
    reader: int
    reader_up: int
    reader_stops: int
    reader_reveals: int
    soft_17_draws: int
    stands_on: int
    burn_first: int
    burn_after_refill: int
    # Player hands.
    wins_at_once: int
    ace_on_double: int
    double_first_two: int
    double_split_aces: int
    double_min: int
    rescue_max: int
    rescue_before_next: int
    max_hands: int
    aces_once: int
    resplit_aces: int
    must_draw_below: int
    absent_above: int
    absent_soft: int
    bonus_on_split: int
    bonus_on_double: int
    takes_double: int
    assign_first_only: int
    assign_before_cards: int
    # Surrender and insurance.
    surrender_up: int
    surrender_first: int
    surrender_by_bettor: int
    surrender_waits: int
    late_surrender: int
    late_insurance: int
    surrender_num: int
    surrender_den: int
    insurance_up: int
    insurance_after_second: int
    insurance_num: int
    insurance_den: int
    insurance_rounds_up: int
    insurance_chips: int
    insurance_with_blackjack: int
    insurance_for_others: int
    # Limits and what is offered.
    chip: int
    min_cents: int
    max_cents: int
    over_to_maximum: int
    under_once: int
    payout_cap: int
    increment: int
    match_offered: int
    match_min: int
    match_max: int
    match_within_main: int
    pair_offered: int
    bettors_max: int
    bettors_book: int
    boxes_per_player: int
    entry: int
    settle_order: int
    match_order: int
    # Super Bonus.
    super_low_from: int
    super_low_to: int
    super_low_prize: int
    super_high_from: int
    super_high_prize: int
    super_low_clause: int
    super_high_clause: int
    super_double_clause: int
    super_split_clause: int
    super_on_split: int
    super_on_double: int
    super_waits: int
    share_cents: int
    share_per_player: int
    share_to_winning_double: int
    # Readings.
    blackjack_against_21: int
    split_21: int
    after_split: int
    bust_original_only: int
    undoubled_bonus: int
    undoubled_super: int
    stopped_short_complete: int
    late_honoured: int
    count_within_shoe: int
    excess_whole: int
    # Cards that must not be there.
    one_ten: int
    more_tens: int
    one_face_up: int
    more_face_up: int
    face_up_counts: int
    # Progressives: 0 where not offered.
    spin_offered: int
    bsx_offered: int
    bsx_pays_symbol: int
    bsx_protocol: int
    bsx_prize_stake: int
    bsx_stake_clause: int
    spin_jackpot_fixed: int  # cents, or -1 where the meter is paid
    spin_authorise: int
    bsx_authorise: int
    spin_stakes: I64
    bsx_stakes: I64
    # Prizes: system, class of symbol, its amount, what the winner gets, what the others get, their stake, clause.
    prizes: I64
    # Shoes and decks.
    decks: int
    cards_per_deck: int
    max_age_ms: int  # 0 where decks do not age
    cut_least_num: int  # least share of the stack behind the cut card
    cut_least_den: int
    cut_most_num: int  # most share
    cut_most_den: int
    cut_ends: int  # cards that the cut must be away from either end
    cut_needed: int
    cut_needed_after_machine: int
    cut_first_reshuffles: int
    burn_new_dealer: int
    inspectors: int
    two_sets: int
    continuous: int
    # Odds and citations.
    odds_num: I64
    odds_den: I64
    odds_clause: I64
    clause: I64  # by slot: number of the clause, NOT_CHECKED or NO_CLAUSE
    prescribes: I64  # by slot: up to four alternatives, as bits of rulings; 0 where there is none
    permits: I64
    report: I64


_SHAPES: Final = {
    "spin_stakes": (4,),
    "bsx_stakes": (4,),
    "prizes": (48, 7),
    "odds_num": (len(ODDS),),
    "odds_den": (len(ODDS),),
    "odds_clause": (len(ODDS),),
    "clause": (SLOTS,),
    "prescribes": (SLOTS, 4),
    "permits": (SLOTS,),
    "report": (SLOTS,),
}
_DTYPE: Final = np.dtype([(name, np.int64, _SHAPES.get(name, ())) for name in Rules._fields])


def record(rules: Rules) -> Rules:
    """The same as one record, which compiled code takes as a single pointer; tables are padded with -1."""
    row = np.rec.array(np.zeros(1, dtype=_DTYPE))[0]
    for name, value in zip(Rules._fields, rules, strict=True):
        if name in _SHAPES:
            padded = np.full(_SHAPES[name], -1, dtype=np.int64)
            table = np.asarray(value)
            padded[tuple(slice(0, size) for size in table.shape)] = table
            row[name] = padded
        else:
            row[name] = value
    return row  # type: ignore[no-any-return]
