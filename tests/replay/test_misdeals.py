"""Misdeals that nobody logged: what lies on the table is settled to the cent, and the truth names the round."""

from collections import Counter, defaultdict
from itertools import groupby

import numpy as np
import pytest

from replay import codes, ops
from replay import situations as S
from replay.engine import layout as L
from replay.simulator import judge, misdeals
from replay.simulator import log as J
from replay.simulator.log import Log, Row
from replay.simulator.nature import Nature
from replay.simulator.simulate import SimulatedDay
from replay.simulator.truth import OddRound
from tests.replay.nature_days import played
from tests.some import some

MISDEALS = Nature(misdeals=0.3)
CODES = {
    "no-cards": "deal.player-no-cards",
    "first-card": "deal.player-one-card",
    "second-card": "deal.player-one-card",
    "second-card-late": "deal.player-one-card",
    "dealer-card": "deal.dealer-missed-card",
    "exchanged": "deal.wrong-box",
    "unwagered-box": "deal.unwagered-box",
    "discarded": "deal.drawn-in-error",
    "hit-not-dealt": "deal.hit-not-dealt",
    "extra-card": "deal.drawn-in-error",
}
_DRAWS = (ops.HIT, ops.DOUBLE_DOWN, ops.SPLIT_PAIR)


def days(nature: Nature = MISDEALS) -> list[SimulatedDay]:
    return played(nature, tables=10, rounds=120)


def by_round(log: Log) -> dict[int, list[Row]]:
    """The rows of every round, and those between them under 0."""
    found: dict[int, list[Row]] = defaultdict(list)
    for row in log.rows(0, len(log.op)):
        found[row.round].append(row)
    return found


def in_usual_order(rows: list[Row], hole_card: bool) -> list[Row]:
    """A round in which every zone gets its cards as usual: what a replay by the true placement is about."""
    zones: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        if row.op == ops.DRAW:
            zones[row.zone].append(row)
    zones.pop(J.ZONE_DISCARD, None)
    dealer = zones[J.ZONE_DEALER]
    seats = sorted({row.seat for row in rows if row.op == ops.WAGER and row.kind == ops.MAIN})
    boxes = [zones[seat * J.ZONE_HANDS + 1] for seat in seats]
    told: list[Row] = []

    def take(cards: list[Row], count: int) -> None:
        told.extend(cards[:count])
        del cards[:count]

    for row in (row for row in rows if row.op != ops.DRAW):
        zone = row.seat * J.ZONE_HANDS + row.hand
        if row.op == J.MOMENT and row.kind == J.AT_DEALT:
            for cards in [*boxes, dealer, *boxes, *([dealer] if hole_card else [])]:
                take(cards, 1)
        elif row.op == J.MOMENT and row.kind == J.AT_SECOND and not hole_card:
            take(dealer, 1)
        elif row.op == J.MOMENT and row.kind == J.AT_END:
            take(dealer, len(dealer))
        elif row.op == J.MOMENT and row.kind == J.AT_HAND:
            take(zones[zone], len(zones[zone]))
        elif row.op == ops.DECISION and row.hand > 1 and not any(card.zone == zone for card in told):
            take(zones[zone], 1)
        told.append(row)
        if row.op == ops.DECISION:
            corrected(row, bool(zones[zone]))
            take(zones[zone], 1 if row.kind in _DRAWS else 0)
    assert not any(zones.values()), "a card found no place"
    return told


def corrected(decision: Row, comes: bool) -> None:
    """A decision that fits the cards: a card that never came was not asked for, one that came was."""
    if decision.kind == ops.HIT and not comes:
        decision.kind = ops.STAND
    elif decision.kind == ops.STAND and comes:
        decision.kind = ops.HIT


def replayed(each: SimulatedDay) -> judge.SimulatedVerdicts:
    """Judge a day with the true placement of cards in every misdealt round."""
    sits_out = {odd.number: odd.seat for odd in each.odd if odd.what == "misdeal:no-cards"}
    misdealt = {odd.number for odd in each.odd}
    rows: list[Row] = []
    for number, group in groupby(each.log.rows(0, len(each.log.op)), key=lambda row: row.round):
        told = list(group)
        if number in sits_out:
            at = next(n for n, row in enumerate(told) if row.op == J.MOMENT and row.kind == J.AT_DEALT)
            code = codes.NUMBER["deal.player-no-cards"]
            dead = Row(ops.IRREGULARITY, seat=sits_out[number] or 0, kind=code, cents=ops.DEAD_HAND, round=number)
            told.insert(at, dead)
        rows += in_usual_order(told, bool(each.rules.hole_card)) if number in misdealt else told
    log = J.from_rows(rows)
    log.ms[:] = np.maximum.accumulate(log.ms)
    J.renumber(log, int(each.rules.decks * each.rules.cards_per_deck))
    return judge.judge(log, each.names, each.rules)


def test_a_replay_by_the_true_placement_settles_without_variance() -> None:
    settled = 0
    for each in days():
        judged = replayed(each)
        misdealt = np.isin(judged.settlements[:, L.S_ROUND] + 1, [odd.number for odd in each.odd])
        wrong = judged.settlements[judged.settlements[:, L.S_VARIANCE] != 0]
        assert not len(wrong), [(line[L.S_ROUND] + 1, line[L.S_SEAT]) for line in wrong]
        settled += int(misdealt.sum())
        left = {S.code(int(line[L.F_SLOT])) for line in judged.findings}
        # The hand that gets its card last has no decision that ends it.
        assert left <= {"play.decision-missing", "deal.player-no-cards"}
    assert settled > 500


def test_the_usual_order_would_be_settled_otherwise() -> None:
    """Most misdeals show in the money or in the cards when the draws are taken for a usual deal."""
    shown: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for each in days():
        judged = judge.judge(each.log, each.names, each.rules)
        odd = {int(line[L.F_ROUND]) + 1 for line in judged.findings}
        for misdeal in each.odd:
            every[misdeal.what] += 1
            shown[misdeal.what] += misdeal.number in odd
        assert odd <= {misdeal.number for misdeal in each.odd}
    assert all(shown[what] > count / 3 for what, count in every.items()), (shown, every)


def test_every_misdeal_happens_under_every_rulebook() -> None:
    happened = {(each.table.book.id, odd.what) for each in days() for odd in each.odd}
    books = {each.table.book.id for each in days()}
    assert happened == {(book, f"misdeal:{name}") for book in books for name in CODES}
    assert set(misdeals.MISDEALS) == set(CODES)


def test_about_so_many_rounds_are_misdealt() -> None:
    count = sum(len(each.odd) for each in days())
    assert 0.2 * 1200 < count < 0.36 * 1200


def test_the_truth_names_code_and_box_and_nothing_is_logged() -> None:
    for each in some(days()):
        assert not np.isin(each.material.log.op, (ops.IRREGULARITY, ops.IRREGULAR_CARD)).any()
        assert {truth.handling for truth in each.truth} == {"unreported"}
        told = {(truth.round, truth.code, truth.seat) for truth in each.truth}
        assert told == {(odd.number, CODES[odd.what.removeprefix("misdeal:")], odd.seat) for odd in each.odd}
        assert len(each.truth) == len(each.odd)


def draws(each: SimulatedDay, odd: OddRound) -> list[int]:
    """The zones of a round's cards, in the order in which they were drawn."""
    log = each.log
    return [int(zone) for zone in log.zone[(log.round == odd.number) & (log.op == ops.DRAW)]]


def test_cards_come_in_the_order_of_the_misdeal() -> None:
    for each in some(days()):
        rounds = by_round(each.log)
        for odd in each.odd:
            zones = draws(each, odd)
            own = (odd.seat or 0) * J.ZONE_HANDS + 1
            seats = sorted({row.seat for row in rounds[odd.number] if row.op == ops.WAGER and row.kind == ops.MAIN})
            first_pass = [seat * J.ZONE_HANDS + 1 for seat in seats]
            match odd.what.removeprefix("misdeal:"):
                case "no-cards":
                    assert own not in zones
                case "first-card":
                    assert own not in zones[: zones.index(J.ZONE_DEALER)]
                case "second-card" | "second-card-late":
                    assert zones[: len(seats)] == first_pass
                    dealt = zones[: zones.index(J.ZONE_DEALER) + len(seats)]
                    assert dealt.count(own) == 1
                case "dealer-card":
                    assert zones.index(J.ZONE_DEALER) == 2 * len(seats)
                case "exchanged":
                    usual = [*first_pass, J.ZONE_DEALER, *first_pass]
                    assert sum(a != b for a, b in zip(zones, usual, strict=False)) == 2
                case "unwagered-box":
                    assert odd.seat not in seats and 1 <= zones.count(J.ZONE_DISCARD) <= 2
                case "discarded":
                    assert zones.count(J.ZONE_DISCARD) == 1


@pytest.mark.parametrize("what", ["hit-not-dealt", "extra-card"])
def test_decisions_and_cards_do_not_fit(what: str) -> None:
    count = 0
    for each in days():
        rounds = by_round(each.log)
        for odd in each.odd:
            if odd.what != f"misdeal:{what}":
                continue
            own = [row for row in rounds[odd.number] if row.seat == odd.seat and row.op == ops.DECISION]
            drawn = draws(each, odd).count((odd.seat or 0) * J.ZONE_HANDS + 1)
            asked = 2 + sum(row.kind == ops.HIT for row in own)
            last = own[-1].kind
            if what == "extra-card":
                assert drawn == asked + 1 and last == ops.STAND
            else:
                assert last == ops.HIT and drawn in (asked, asked - 1)
            count += 1
    assert count > 10


def test_misdeals_leave_no_trace_in_the_times() -> None:
    """Cards that were moved or added do not come faster than others."""
    for each in some(days()):
        log = each.log
        drawn = np.flatnonzero(log.op == ops.DRAW)
        quick = np.diff(log.ms, prepend=log.ms[0] - 1000)[drawn] <= J.LEAST_GAP_MS
        assert not quick.any()


def test_misdealt_rounds_have_habits_too() -> None:
    for usual, other in some(zip(days(), days(Nature(misdeals=0.3, habits=True)), strict=True)):
        assert usual.odd == other.odd
        assert usual.truth == other.truth
