"""The engine's scratch memory and its output: plain arrays, with names for their columns."""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

I64 = npt.NDArray[np.int64]

# A thread's scratch memory is one array of three dimensions: region, row, column. One argument instead of many keeps
# numba's compile time bearable. Rows of events are numbered within the round.
Work = I64
E, G, D, H, B, W, I, F, T = range(9)
REGIONS: Final = 9
COLUMNS: Final = 48

# Events of the round, copied from the tape.
E_OP, E_SEAT, E_BETTOR, E_HAND, E_KIND, E_CARD, E_FLAGS, E_CENTS, E_AUX, E_WAGER = range(10)

# Registers of a round.
(
    G_OPS,  # operations that occur, as bits
    G_TOP_SEAT,  # highest box with a wager or a ruling
    G_DRAWS,  # how many cards were drawn
    G_NEXT,  # the next draw to be placed
    G_HANDS,
    G_WAGERS,
    G_IRREGULAR,  # irregularity lines
    G_CLOSED,  # row of bets_closed, -1 where there is none
    G_FIRST_DRAW,
    G_DECIDED,  # first decision
    G_FIRST_DECISION,  # first decision or settlement beyond the initial deal; the end where there is none
    G_FIRST_PLAY,  # first decision other than an early surrender
    G_LAST_DECISION,
    G_FIRST_CHECK,  # first reader check, -1
    G_CHECK,  # its result, -1
    G_END,  # row of round_end, -1
    G_UP,  # dealer's first card
    G_SECOND,  # dealer's second card
    G_SECOND_POS,
    G_DEALER_FROM,  # row of the first card the dealer drew beyond two
    G_SHORT,  # cards that were needed and never drawn
    G_SHORT_INITIAL,  # ... in the initial deal
    G_SHORT_SECOND,  # ... the dealer's second card after the players
    G_STOPPED_SHORT,  # the dealer failed to draw
    G_VOID_LOGGED,
    G_VOID,  # the rulebook's verdict: slot of the cause, or -1
    G_CURRENT,  # hand in play
    G_STOPPED,  # the reader found a blackjack: no more decisions
    G_TENS,
    G_FACE_UP,
    G_INCOMPLETE,  # the hands cannot be judged
    G_SPLITS,  # any box split
    G_SETTLES,  # settle lines
    G_MODE,
    G_HI,
    G_CONTEXT,
    G_LATE_DEALER,  # the dealer's first card comes when the misdeal is noticed
    G_POWER,  # irregularity number of a power failure, -1
    G_WITHDRAWALS,  # rulings allow wagers to be withdrawn
    G_REMOVABLE,  # cards whose fate was inferred: a reason to try another reading of the cards
    G_BONUS_WINNER,  # a Super Bonus was won
    G_STANDING,  # finding of a card drawn on a standing total, -1
    G_ASKED,  # row that asks for the next card, -1
    G_N_FINDINGS,
    G_N_STEPS,
    G_N_OVERFLOW,
    G_TRACE,  # whether steps are wanted
) = range(47)

# Draws.
D_CARD, D_UP, D_ROW, D_N, D_ROLE, D_HAND, D_PLACE, D_ASKED, D_EXTRA = range(9)
UNPLACED, TO_BOX, TO_DEALER, REMOVED, BURNED, LEFT_OVER = range(6)

# Hands; hand 0 is the dealer's.
(
    H_SEAT,
    H_NUMBER,
    H_CARDS,
    H_HARD,
    H_ACES,
    H_LOW,
    H_SUITS,
    H_RANKS,
    H_SEVENS,
    H_FIRST,
    H_SECOND,
    H_SECOND_DRAW,
    H_FLAGS,
    H_NEXT,
    H_LAST_ROW,
    H_HIT_ROW,
    H_INITIAL_ACES,
) = range(17)
FINISHED: Final = 1
STOOD: Final = 2
DOUBLED: Final = 4
FROM_SPLIT: Final = 8
SPLIT_ACE: Final = 16
DEAD: Final = 32
REFUSES: Final = 64
ABSENT: Final = 128
UNKNOWN_CARD: Final = 256
SURRENDERED: Final = 512  # by every bettor of the box
HIT: Final = 1024  # a third card was drawn
TOLD_OUT_OF_TURN: Final = 4096
AWAITS_CARD: Final = 2048  # a requested card comes after everybody else's

# Boxes.
# B_MISSED is the initial card, 1 or 2, that a box with B_ONE_CARD missed.
B_FIRST, B_HANDS, B_BETTORS, B_SKIP, B_ONE_CARD, B_MISSED, B_DEFER, B_DEFER_ROW, B_SWAP, B_SWAPS = range(10)

# Wagers; the first columns are those of a settlement.
(
    W_SEAT,
    W_BETTOR,
    W_FOR,
    W_PATRON,
    W_KIND,
    W_HAND,
    W_STAKE,
    W_PAID,
    W_TAKEN,
    W_ACTUAL_PAID,
    W_ACTUAL_TAKEN,
    W_VARIANCE,
    W_CLAUSE,
    W_REASON,  # slot
    W_VERDICT,
    W_ODDS,  # row of the odds table, -1
    W_ROW,
    W_FLAGS,
    W_AT,  # index of its hand, -1
    W_ALT_PAID,
    W_ALT_TAKEN,
    W_CAUSE,  # finding that explains the alternative, -1
    W_LINES,
    W_PARENT,  # an earlier wager with the same place and kind, -1
    W_SETTLE_ROW,
) = range(25)
LATE: Final = 1
WITHDRAWN: Final = 2
GIVEN_UP: Final = 4  # surrendered, and it was open
ILLEGAL_GIVE_UP: Final = 8
TAKEN_BACK: Final = 16  # rescued, and it was open
ILLEGAL_TAKE_BACK: Final = 32
OPEN_RESULT: Final = 64  # undetermined
RETURNED: Final = 128  # not honoured: goes back
MID_SHOE: Final = 256
SAT_OUT: Final = 4096
BELOW_BEFORE: Final = 512
NO_STAKE: Final = 1024  # a prize or a payment without a wager
ASSIGNED: Final = 2048  # to a hand of the bettor's choice

# Irregularity lines.
I_CODE, I_SEAT, I_HAND, I_RULINGS, I_ROW, I_EXPOSED, I_REFUSED, I_EARLY, I_CARDS, I_FINDING, I_INFERRED = range(11)


# Findings.
(F_ROUND, F_SLOT, F_CLAUSE, F_SEAT, F_BETTOR, F_KIND, F_HAND, F_COST, F_HANDLING, F_A, F_CARD, F_ROW, F_SHOE) = range(
    13
)
F_COLUMNS: Final = 13
# Numba compiles a function anew for every literal argument, not for a named one.
NOWHERE: Final = 0
NOTHING: Final = 0
FIRST: Final = 1
NO_KIND: Final = 255
BY_DEED: Final = 9  # handling still to be inferred from the payment

# Settlements: the round, then a wager's first columns.
S_ROUND: Final = 0
(
    S_SEAT,
    S_BETTOR,
    S_FOR,
    S_PATRON,
    S_KIND,
    S_HAND,
    S_STAKE,
    S_PAID,
    S_TAKEN,
    S_ACTUAL_PAID,
    S_ACTUAL_TAKEN,
    S_VARIANCE,
    S_CLAUSE,
    S_REASON,
    S_VERDICT,
    S_ODDS,
) = range(1, 17)
S_COLUMNS: Final = 17

# Hands and rounds as judged.
(O_ROUND, O_SEAT, O_HAND, O_TOTAL, O_SOFT, O_CARDS, O_OUTCOME, O_FLAGS) = range(8)
O_COLUMNS: Final = 8
(R_VOID, R_VOID_LOGGED, R_DEALER_TOTAL, R_DEALER_CARDS, R_INCOMPLETE, R_UNPLACED) = range(6)
R_COLUMNS: Final = 6

# Steps of a trace.
(T_ROW, T_WHAT, T_SEAT, T_HAND, T_CARD, T_TOTAL, T_SOFT, T_SLOT) = range(8)
T_COLUMNS: Final = 8
(STEP_CARD, STEP_REMOVED, STEP_BURNED, STEP_LEFT_OVER, STEP_DECISION, STEP_FINDING) = range(6)

N_FINDINGS, N_SETTLEMENTS, N_HANDS, N_STEPS, N_OVERFLOW = range(5)


class Out(NamedTuple):
    """Output of the engine: rows by kind, and their numbers."""

    n: I64
    findings: I64
    settlements: I64
    hands: I64
    rounds: I64
    steps: I64
    zones: npt.NDArray[np.uint8]  # by row of the tape: role, seat, hand, position
    asked: npt.NDArray[np.int32]  # by row of the tape: the row of the round that asked for the card, -1


def new_work(rows: int) -> Work:
    """Return scratch memory for rounds of at most that many rows."""
    work = np.zeros((REGIONS, 3 * rows + 64, COLUMNS), np.int64)
    work[B, :, B_FIRST] = -1
    return work


def new_out(rounds: int, rows: int, findings: int, settlements: int, steps: int) -> Out:
    """Return output for that many rounds, rows, findings, settlements and steps."""
    return Out(
        n=np.zeros(5, np.int64),
        findings=np.zeros((findings, F_COLUMNS), np.int64),
        settlements=np.zeros((settlements, S_COLUMNS), np.int64),
        hands=np.zeros((settlements, O_COLUMNS), np.int64),
        rounds=np.zeros((rounds, R_COLUMNS), np.int64),
        steps=np.zeros((steps, T_COLUMNS), np.int64),
        zones=np.zeros((rows, 4), np.uint8),
        asked=np.full(rows, -1, np.int32),
    )
