"""Wagers as the planters handle them: who staked what, what a stake may be, and what a side wager is worth."""

from replay import cards, ops, rules
from replay.rules import Rules
from replay.simulator import log as J
from replay.simulator.log import Row
from replay.simulator.plant import payments
from replay.simulator.plant.base import Scene, Segment
from replay.simulator.plant.payments import DuePayment

# What makes a box more than one hand played by one stake of everybody.
_NOT_PLAIN_WAGERS = (ops.SPLIT, ops.DOUBLE, ops.INSURANCE)


def mains(segment: Segment) -> list[Row]:
    """The round's main wagers."""
    return segment.find(ops.WAGER, kind=ops.MAIN)


def made_by(segment: Segment, main: Row) -> set[int]:
    """Kinds of wager that a bettor has in the box."""
    return {row.kind for row in segment.find(ops.WAGER, seat=main.seat, bettor=main.bettor)}


def bettors(segment: Segment, seat: int) -> set[int]:
    """List the bettors with a main wager in a box."""
    return {row.bettor for row in mains(segment) if row.seat == seat}


def is_plain(segment: Segment, seat: int) -> bool:
    """Tell whether a box is played with nothing but main and side wagers: no split, double, insurance or surrender."""
    wagers = segment.find(ops.WAGER, seat=seat)
    decisions = segment.find(ops.DECISION, seat=seat)
    return not any(row.kind in _NOT_PLAIN_WAGERS for row in wagers) and not any(
        row.kind == ops.SURRENDER for row in decisions
    )


def plain_mains(segment: Segment) -> list[Row]:
    """Main wagers in plain boxes, one for each bettor."""
    return [row for row in mains(segment) if is_plain(segment, row.seat)]


def initial_cards(segment: Segment, seat: int) -> list[int]:
    """A box's first two cards."""
    return [row.card for row in segment.draws() if row.zone // J.ZONE_HANDS == seat][:2]


def has_blackjack(segment: Segment, seat: int) -> bool:
    return cards.total(initial_cards(segment, seat))[0] == 21


def is_pair(two: list[int]) -> bool:
    return len({int(cards.RANK[card]) for card in two}) == 1


def in_chips(scene: Scene, cents: int) -> int:
    """An amount in whole chips, rounded down."""
    chip = max(1, int(scene.rules.chip))
    return cents // chip * chip


def last_wager(segment: Segment) -> Row:
    """The last wager before betting closed, behind which another may be laid."""
    closed = segment.first(ops.BETS_CLOSED)
    end = segment.index(closed) if closed is not None else 0
    return [row for row in segment.rows[:end] if row.op == ops.WAGER][-1]


def is_entry_open(scene: Scene) -> bool:
    """Tell whether anybody may join in mid-shoe."""
    return bool(scene.rules.entry == rules.ENTRY_ALLOW)


def match_stake(scene: Scene, main_cents: int) -> int | None:
    """A match wager that the table allows beside a main wager."""
    r = scene.rules
    most = main_cents if r.match_within_main else int(r.max_cents)
    most = min(most, int(r.match_max)) if r.match_max else most
    cents = max(int(r.match_min), in_chips(scene, main_cents // 4), int(r.chip))
    return cents if cents <= most else None


def side_stake(scene: Scene, kind: int, main_cents: int) -> int | None:
    """A stake for a match or pair wager."""
    if kind == ops.MATCH:
        return match_stake(scene, main_cents)
    return in_chips(scene, main_cents // 4) or int(scene.rules.chip)


def side_net(rules_of: Rules, segment: Segment, kind: int, seat: int, stake: int) -> int:
    """Return the result of a match or pair wager on a box."""
    two, up = initial_cards(segment, seat), segment.up()
    if kind == ops.PAIR:
        return payments.paid_at(rules_of, stake, rules.PAIR) if is_pair(two) else -stake
    suited = sum(card == up for card in two)
    unsuited = sum(cards.RANK[card] == cards.RANK[up] for card in two) - suited
    rows = {
        (2, 0): rules.MATCH_TWO_SUITED,
        (1, 1): rules.MATCH_SUITED_UNSUITED,
        (1, 0): rules.MATCH_SUITED,
        (0, 2): rules.MATCH_TWO_UNSUITED,
        (0, 1): rules.MATCH_UNSUITED,
    }
    row = rows.get((suited, unsuited))
    return -stake if row is None else payments.paid_at(rules_of, stake, row)


def settle_side(scene: Scene, segment: Segment, wager: Row, net: int) -> bool:
    """Settle a match or pair wager as if it counted, right after the deal; False where the round has no such moment."""
    dealt = segment.moment(J.AT_DEALT)
    if dealt is None:
        return False
    row = Row(ops.SETTLE, wager.seat, wager.bettor, 1, wager.kind, cents=max(net, 0), aux=max(-net, 0))
    payments.put_in_order(segment, dealt, segment.find(ops.SETTLE, kind=wager.kind), row, int(scene.rules.match_order))
    return True


def resettle(scene: Scene, line: DuePayment, row: Row, stake: int) -> int | None:
    """Settle a wager as if its stake were another; returns what is then paid less what is taken."""
    if line.paid and line.odds >= 0 and not scene.rules.payout_cap:
        row.cents = payments.paid_at(scene.rules, stake, line.odds)
        return row.cents
    if line.taken and line.taken == line.stake:
        row.aux = stake
        return -stake
    return None
