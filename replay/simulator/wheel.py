"""Bonus Spin and Bonus Spin Xtreme: stakes, triggers, wheels and the terminal's steps.

What a meter shows is left open here (METER rows of zero): several tables may feed one, so ``meters`` fills it in when
all tables of the day have been played.
"""

from replay import cards, ops
from replay.compiled import compiled
from replay.rules import Rules
from replay.simulator import log as J
from replay.simulator import table as T
from replay.simulator.table import SimulatedTable

SPIN, XTREME = 0, 1
_JACKPOT_PPM = 4_000
_SECONDARY_PPM = 10_000
_COMMUNITY_PPM = 120_000
_NO_AMOUNT = -1
_SYMBOLS_CENTS = (5_000, 10_000, 50_000)  # of a wheel whose symbols are the prizes


@compiled
def act(t: SimulatedTable, system: int, action: int, seat: int, bettor: int) -> int:
    """A step of the terminal; returns its row."""
    T.wait(t, T.MS_WAGER)
    row = T.put(t, ops.PROGRESSIVE, seat, bettor, T.NONE, action, _NO_AMOUNT, T.NONE)
    t.log.card[row] = system
    return row


@compiled
def show_meter(t: SimulatedTable, secondary: int) -> None:
    """Log a meter's reading at the step just logged; the amount is filled in later."""
    row = T.put(t, ops.METER, T.NONE, T.NONE, T.NONE, T.NONE, T.NONE, T.NONE)
    t.log.flags[row] = secondary


@compiled
def stake_spin(t: SimulatedTable, r: Rules, box: int, bettor: int) -> None:
    """The stake that the posted paytable is for."""
    low = high = r.spin_stakes[0]
    for n in range(r.spin_stakes.shape[0]):
        if r.spin_stakes[n] > 0:
            low, high = min(low, r.spin_stakes[n]), max(high, r.spin_stakes[n])
    for n in range(r.prizes.shape[0]):
        if r.prizes[n, 0] == SPIN:
            t.g[T.G_SPIN_STAKES] += 1
            T.wager(t, box, bettor, T.ONE, ops.BONUS_SPIN, high if r.prizes[n, 5] == 500 else low)
            return


@compiled
def stake_xtreme(t: SimulatedTable, r: Rules, box: int, bettor: int) -> None:
    """The stake that has a paytable, now and then another."""
    cents = r.bsx_prize_stake if r.bsx_prize_stake else r.bsx_stakes[0]
    if T.chance(t, 100_000):
        cents = r.bsx_stakes[0]
    t.g[T.G_BSX_STAKES] += 1
    T.wager(t, box, bettor, T.ONE, ops.BSX16, cents)


@compiled
def announce(t: SimulatedTable, action: int) -> None:
    """The systems with wagers lock them, or close the round, and show their meters."""
    if t.g[T.G_SPIN_STAKES] and t.g[T.G_METERS] & 1:
        act(t, SPIN, action, T.NONE, T.ONE)
        show_meter(t, T.NONE)
    if t.g[T.G_BSX_STAKES]:
        act(t, XTREME, action, T.NONE, T.ONE)
        if t.g[T.G_METERS] & 2:
            show_meter(t, T.NONE)


@compiled
def staked(t: SimulatedTable, kind: int, seat: int) -> int:
    """Row of the round's last progressive wager of a kind, at a seat or for seat 0 at any; -1 where there is none."""
    row = t.g[T.G_ROW] - 1
    while row >= 0 and t.log.round[row] == t.g[T.G_ROUND]:
        if t.log.op[row] == ops.WAGER and t.log.kind[row] == kind and (seat == 0 or t.log.seat[row] == seat):
            return int(row)
        row -= 1
    return -1


@compiled
def spin(t: SimulatedTable, r: Rules) -> None:
    """The wheel of everybody with a blackjack and a Bonus Spin wager."""
    if not t.g[T.G_SPIN_STAKES]:
        return
    for box in range(1, t.g[T.G_BOXES] + 1):
        if not t.boxes[box, T.X_HANDS] or not T.is_blackjack(t, T.hand_at(box, T.ONE)):
            continue
        row = staked(t, ops.BONUS_SPIN, box)
        if row < 0:
            continue
        bettor = t.log.bettor[row]
        act(t, SPIN, ops.TRIGGER, box, bettor)
        T.wait(t, T.MS_WHEEL)
        act(t, SPIN, ops.SPIN, box, bettor)
        prize = show_prize(t, r, SPIN, ops.PRIZE, box, bettor, spin_symbol(t, r))
        if r.spin_authorise and (prize < 0 or prize >= r.spin_authorise):
            act(t, SPIN, ops.AUTHORIZE, box, bettor)
        act(t, SPIN, ops.PAID, box, bettor)


@compiled
def spin_symbol(t: SimulatedTable, r: Rules) -> int:
    """Class of the symbol at which the Bonus Spin wheel stops; a jackpot needs a meter or a fixed prize."""
    if (r.spin_jackpot_fixed >= 0 or t.g[T.G_METERS] & 1) and T.chance(t, _JACKPOT_PPM):
        return ops.JACKPOT
    return ops.COMMUNITY_AMOUNT if T.chance(t, _COMMUNITY_PPM) else ops.AMOUNT


@compiled
def prize_row(t: SimulatedTable, r: Rules, system: int, symbol: int) -> int:
    """A row of the paytable with a symbol of that class; -1 where there is none."""
    count = 0
    for n in range(r.prizes.shape[0]):
        count += 1 if r.prizes[n, 0] == system and r.prizes[n, 1] == symbol else 0
    at = T.below(t, count) if count else -1
    for n in range(r.prizes.shape[0]):
        if r.prizes[n, 0] == system and r.prizes[n, 1] == symbol:
            if at == 0:
                return n
            at -= 1
    return -1


@compiled
def show_prize(t: SimulatedTable, r: Rules, system: int, action: int, seat: int, bettor: int, symbol: int) -> int:
    """The wheel shows a prize; returns its cents, -1 where a meter is to be paid."""
    amount, prize = 0, -1
    if system == XTREME and r.bsx_pays_symbol:
        if symbol >= ops.AMOUNT:
            amount = prize = _SYMBOLS_CENTS[T.below(t, 3)]
    else:
        n = prize_row(t, r, system, symbol)
        if n < 0:
            symbol = ops.AMOUNT
            n = prize_row(t, r, system, symbol)
        amount = r.prizes[n, 2]
        if symbol == ops.JACKPOT and system == SPIN and r.spin_jackpot_fixed >= 0:
            prize = r.spin_jackpot_fixed
        elif symbol == ops.COMMUNITY_AMOUNT:
            prize = max(r.prizes[n, 3], r.prizes[n, 4]) if system == SPIN else r.prizes[n, 4]
        elif symbol == ops.AMOUNT:
            prize = r.prizes[n, 3]
    row = act(t, system, action, seat, bettor)
    t.log.hand[row], t.log.aux[row], t.log.cents[row] = symbol, amount, prize
    if prize < 0:
        show_meter(t, ops.SECONDARY_METER if symbol == ops.JACKPOT_SECONDARY else T.NONE)
    return int(prize)


@compiled
def is_xtreme(t: SimulatedTable) -> bool:
    """Return whether the dealer's first two cards are a six and a ten-value card."""
    first, second = t.hands[T.DEALER, T.H_FIRST], t.hands[T.DEALER, T.H_SECOND]
    if t.hands[T.DEALER, T.H_CARDS] < 2:
        return False
    six = cards.RANK[first] == cards.SIX or cards.RANK[second] == cards.SIX
    return bool(six and (cards.VALUE[first] == 10 or cards.VALUE[second] == 10))


@compiled
def spin_xtreme(t: SimulatedTable, r: Rules) -> None:
    """The Xtreme wheel turns once all else is settled: one player's prize, and at times one for everybody."""
    if not t.g[T.G_BSX_STAKES] or not is_xtreme(t):
        return
    paying = 0
    row = staked(t, ops.BSX16, T.NONE)
    chosen = row
    while row >= 0 and t.log.round[row] == t.g[T.G_ROUND]:
        pays = r.bsx_pays_symbol or t.log.cents[row] == r.bsx_prize_stake
        if t.log.op[row] == ops.WAGER and t.log.kind[row] == ops.BSX16 and pays:
            paying += 1
            chosen = row if paying == 1 or T.chance(t, 1_000_000 // paying) else chosen
        row -= 1
    run_xtreme(t, r, t.log.seat[chosen], t.log.bettor[chosen], paying)


@compiled
def run_xtreme(t: SimulatedTable, r: Rules, seat: int, bettor: int, paying: int) -> None:
    for action in range(ops.TRIGGER, ops.CONFIRM + 1):
        act(t, XTREME, action, T.NONE, T.ONE)
        T.wait(t, T.MS_WHEEL)
    act(t, XTREME, ops.HOT_SPOT, seat, bettor)
    act(t, XTREME, ops.ENABLE_SPIN, seat, bettor)
    symbol = ops.AMOUNT
    if paying and t.g[T.G_METERS] & 2 and T.chance(t, _JACKPOT_PPM):
        symbol = ops.JACKPOT
    elif paying and t.g[T.G_METERS] & 4 and T.chance(t, _SECONDARY_PPM):
        symbol = ops.JACKPOT_SECONDARY
    largest = show_prize(t, r, XTREME, ops.PRIZE, seat, bettor, symbol)
    if not paying:
        t.log.cents[t.g[T.G_ROW] - 1] = _NO_AMOUNT
        largest = 0
    if paying > 1 and paying == t.g[T.G_BSX_STAKES]:
        largest = max(largest, show_prize(t, r, XTREME, ops.COMMUNITY, T.NONE, T.ONE, ops.COMMUNITY_AMOUNT))
    act(t, XTREME, ops.PAY_JACKPOT, T.NONE, T.ONE)
    if r.bsx_authorise and (symbol != ops.AMOUNT or largest >= r.bsx_authorise):
        act(t, XTREME, ops.AUTHORIZE, T.NONE, T.ONE)
    T.moment(t, J.AT_XTREME, T.NONE, T.NONE)
    T.wait(t, T.MS_WHEEL)
    act(t, XTREME, ops.PAID, T.NONE, T.ONE)
