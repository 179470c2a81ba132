"""Progressive meters: what they show through a simulated day, and what an audit makes of the figures."""

from collections.abc import Sequence
from typing import Any

import pytest

from replay import meters as audited
from replay import ops
from replay.floor import Floor, parse
from replay.simulator import log as J
from replay.simulator import meters
from replay.simulator.log import Log, Row, from_rows

SPIN, XTREME = 0, 1
RESET, SECOND = 1_000_000, 500_000


def floor(tables: int = 1, rate_ppm: int = 150_000, **bonus_spin: Any) -> Floor:
    """Tables with Xtreme wheels that feed the same two meters."""
    entry = {"rulebook": "md-pontoon21", "decks": 6, "boxes": 7, "min_cents": 500, "max_cents": 100_000}
    xtreme = {"meter": "first", "secondary_meter": "second"}
    systems = {"bsx16": xtreme, **({"bonus-spin": bonus_spin} if bonus_spin else {})}
    options = {"bsx16": True, **({"bonus_spin": "B"} if bonus_spin else {})}
    rows = [{**entry, "id": f"T{n}", "options": options, "progressive": systems} for n in range(tables)]
    ids = (("first", rate_ppm, RESET), ("second", 50_000, SECOND), ("spin", 100_000, RESET))
    meter = [{"id": name, "rate_ppm": rate, "reset_cents": reset} for name, rate, reset in ids]
    return parse({"meter": meter, "table": rows})


def rows_of(
    number: int, ms: int, stakes: Sequence[int], between: Sequence[Row] = (), system: int = XTREME
) -> list[Row]:
    """A round: wagers, start, the end of betting, whatever happens, end. Rows are a millisecond apart."""
    wagers = [Row(ops.WAGER, n, 1, 1, ops.BONUS_SPIN + system, cents=cents) for n, cents in enumerate(stakes, 1)]
    start = [Row(ops.PROGRESSIVE, kind=ops.START_ROUND, card=system), Row(ops.METER)]
    end = [Row(ops.PROGRESSIVE, kind=ops.END_ROUND, card=system), Row(ops.METER)]
    rows = [*wagers, *start, Row(ops.BETS_CLOSED), *between, *end, Row(ops.ROUND_END)]
    for n, row in enumerate(rows):
        row.round, row.ms = number, ms + n
    return rows


def jackpot(seat: int, symbol: int = ops.JACKPOT) -> list[Row]:
    """A jackpot whose figures are still open, and its settle line."""
    shown = Row(ops.PROGRESSIVE, seat, 1, symbol, ops.PRIZE, card=XTREME, cents=-1)
    secondary = ops.SECONDARY_METER if symbol == ops.JACKPOT_SECONDARY else 0
    return [shown, Row(ops.METER, flags=secondary), Row(ops.SETTLE, seat, 1, 1, ops.BSX16, aux=500)]


def shown(log: Log) -> list[int]:
    return [int(cents) for cents in log.cents[log.op == ops.METER]]


def filled(plan: Floor, *days: Sequence[Row]) -> list[Log]:
    """The tables' logs with their meters' figures."""
    logs = [from_rows(list(rows)) for rows in days]
    meters.Meters(plan).fill(list(zip(plan.tables, logs, strict=True)))
    return logs


def drifts(plan: Floor, log: Log, shared: frozenset[str] = frozenset()) -> list[tuple[int, int]]:
    """Rounds and cents by which their meters are off."""
    tape, offsets = J.tape(log)
    watched = {(XTREME, False): plan.meters["first"], (XTREME, True): plan.meters["second"]}
    return [(drift.round + 1, drift.off_cents) for drift in audited.reconcile(tape, offsets, watched, shared)]


def test_bits_say_which_meters_a_table_has() -> None:
    assert meters.bits(floor().tables[0]) == 0b110
    assert meters.bits(floor(meter="spin").tables[0]) == 0b111
    assert meters.bits(floor(jackpot_cents=RESET).tables[0]) == 0b110


def test_a_round_shows_its_meter_before_and_after_its_wagers() -> None:
    log = filled(floor(), rows_of(1, 0, [500, 500]) + rows_of(2, 100, [500]))[0]
    assert shown(log) == [RESET, RESET + 150, RESET + 150, RESET + 225]  # 15 % of 10.00 and of 5.00


def test_parts_of_a_cent_are_kept() -> None:
    log = filled(floor(rate_ppm=12_345), *[[row for n in range(3) for row in rows_of(n + 1, 100 * n, [110])]])[0]
    assert shown(log) == [RESET, RESET + 1, RESET + 1, RESET + 2, RESET + 2, RESET + 4]  # 1.35795 cents each


def test_meters_go_on_from_day_to_day() -> None:
    plan = floor()
    running = meters.Meters(plan)
    for day in range(2):
        log = from_rows(rows_of(1, 0, [500]))
        running.fill([(plan.tables[0], log)])
        assert shown(log) == [RESET + 75 * day, RESET + 75 * (day + 1)]


def test_tables_feed_a_shared_meter_in_the_order_of_time() -> None:
    first, second = filled(floor(2), rows_of(1, 0, [500], [Row(ops.DRAW) for _ in range(8)]), rows_of(1, 3, [500]))
    assert shown(first) == [RESET, RESET + 150]
    assert shown(second) == [RESET + 75, RESET + 150]


def test_each_system_has_its_own_meter() -> None:
    plan = floor(meter="spin")
    log = filled(plan, rows_of(1, 0, [500]) + rows_of(2, 100, [110], system=SPIN))[0]
    assert shown(log) == [RESET, RESET + 75, RESET, RESET + 11]


def test_a_jackpot_is_paid_the_meter_and_sets_it_back() -> None:
    log = filled(floor(), rows_of(1, 0, [500, 500], jackpot(2)) + rows_of(2, 100, [500]))[0]
    assert shown(log) == [RESET, RESET + 150, RESET, RESET, RESET + 75]
    assert log.cents[log.kind == ops.PRIZE].tolist() == [RESET + 150]
    assert log.cents[log.op == ops.SETTLE].tolist() == [RESET + 150]


def test_the_second_meter_is_paid_alone() -> None:
    log = filled(floor(), rows_of(1, 0, [500], jackpot(1, ops.JACKPOT_SECONDARY)))[0]
    assert shown(log) == [RESET, SECOND + 25, RESET + 75]


def test_what_is_late_void_or_cancelled_feeds_nothing() -> None:
    late = [Row(ops.WAGER, 3, 1, 1, ops.BSX16, cents=500)]
    void = [Row(ops.IRREGULARITY, cents=ops.VOID)]
    cancelled = [Row(ops.PROGRESSIVE, kind=ops.CANCEL_ROUND, card=XTREME)]
    rounds = [rows_of(n, 100 * n, [500], between) for n, between in enumerate((late, void, cancelled), 1)]
    log = filled(floor(), [row for rows in rounds for row in rows])[0]
    assert shown(log) == [RESET] + [RESET + 75] * 5


def test_a_wager_laid_after_a_cancelled_start_counts() -> None:
    again = [
        Row(ops.PROGRESSIVE, kind=ops.CANCEL_ROUND, card=XTREME),
        Row(ops.WAGER, 3, 1, 1, ops.BSX16, cents=500),
        Row(ops.PROGRESSIVE, kind=ops.START_ROUND, card=XTREME),
        Row(ops.METER),
    ]
    log = filled(floor(), rows_of(1, 0, [500], again))[0]
    assert shown(log) == [RESET, RESET, RESET + 150]


def test_filling_again_follows_a_round_that_was_voided() -> None:
    plan = floor()
    running = meters.Meters(plan)
    rounds = rows_of(1, 0, [500], [Row(ops.IRREGULARITY)]) + rows_of(2, 100, [500], jackpot(1))
    log = from_rows(rounds)
    running.fill([(plan.tables[0], log)])
    log.cents[log.op == ops.SETTLE] += 500  # paid 5.00 too much
    log.cents[log.op == ops.IRREGULARITY] = ops.VOID
    running.refill([(plan.tables[0], log)])
    assert shown(log) == [RESET, RESET, RESET, RESET + 75, RESET]
    assert log.cents[log.kind == ops.PRIZE].tolist() == [RESET + 75]
    assert log.cents[log.op == ops.SETTLE].tolist() == [RESET + 75 + 500]


def test_a_meter_that_goes_astray_stays_so() -> None:
    rounds = [rows_of(n, 100 * n, [500]) for n in (1, 2, 3)]
    rounds[1][-2].aux = -40
    plan = floor()
    log = filled(plan, [row for rows in rounds for row in rows])[0]
    assert shown(log)[2:] == [RESET + 75, RESET + 110, RESET + 110, RESET + 185]
    assert drifts(plan, log) == [(2, -40)]


def test_a_shared_meter_is_shown_wrong_at_one_table() -> None:
    plan = floor(2)
    wrong = rows_of(1, 0, [500])
    wrong[-2].aux = 40
    first, second = filled(plan, wrong, rows_of(1, 50, [500]))
    assert shown(first) == [RESET, (RESET + 75) // 10]
    assert shown(second) == [RESET + 75, RESET + 150]
    assert [number for number, _ in drifts(plan, first, frozenset({"first"}))] == [1]


# The audit.


def logged(*rounds: tuple[int, int], between: Sequence[Row] = ()) -> Log:
    """Rounds of one stake of 5.00 with the figures that their starts and ends show; the first has more rows."""
    rows: list[Row] = []
    for n, figures in enumerate(rounds, 1):
        part = rows_of(n, 100 * n, [500], between if n == 1 else ())
        for row, cents in zip([row for row in part if row.op == ops.METER], figures, strict=True):
            row.cents = cents
        rows += part
    return from_rows(rows)


@pytest.mark.parametrize(
    ("end", "own", "shared"),
    [
        (RESET + 975, [], []),
        (RESET + 976, [], []),  # a meter shows whole cents
        (RESET + 977, [(1, 2)], []),  # others may have fed a shared one
        (RESET + 9_000, [(1, 8_025)], []),
        (RESET + 900, [(1, -75)], []),  # just set back at another table
        (RESET, [(1, -975)], []),
        (RESET - 1, [(1, -976)], [(1, -976)]),
        (90_000, [(1, 90_000 - RESET - 975)], [(1, 90_000 - RESET - 975)]),
    ],
)
def test_figures_of_a_round(end: int, own: list[tuple[int, int]], shared: list[tuple[int, int]]) -> None:
    log = logged((RESET + 900, end))
    assert drifts(floor(), log) == own
    assert drifts(floor(), log, frozenset({"first"})) == shared


def test_a_shared_meter_may_not_fall_without_a_jackpot() -> None:
    log = logged((2 * RESET, 2 * RESET + 74), (2 * RESET + 500, 2 * RESET + 400))
    assert drifts(floor(), log, frozenset({"first"})) == [(2, -175)]


def test_a_shared_meter_is_not_followed_between_rounds() -> None:
    log = logged((RESET, RESET + 75), (RESET + 5_000, RESET + 5_075))
    assert drifts(floor(), log, frozenset({"first"})) == []
    assert drifts(floor(), log) == [(2, 4_925)]


def test_a_round_that_was_not_ended_is_in_the_next_figure() -> None:
    rows = rows_of(1, 0, [500])[:-3] + rows_of(2, 100, [500]) + rows_of(3, 200, [500])
    rows = [row for row in rows if not (row.round == 2 and (row.op == ops.METER or row.kind == ops.END_ROUND))]
    log = from_rows(rows)
    log.cents[log.op == ops.METER] = [RESET, RESET + 150, RESET + 225]
    assert drifts(floor(), log) == []
    log.cents[log.op == ops.METER] = [RESET, RESET + 75, RESET + 150]
    assert drifts(floor(), log) == [(3, -75)]


def test_a_jackpot_sets_its_meter_back() -> None:
    prize = jackpot(1)[:1]
    assert drifts(floor(), logged((2 * RESET, RESET), between=prize)) == []
    assert drifts(floor(), logged((2 * RESET, RESET + 75), between=jackpot(1)[:1])) == []
    assert drifts(floor(), logged((2 * RESET, RESET + 200), between=jackpot(1)[:1])) == [(1, 200)]
    shared = frozenset({"first"})
    assert drifts(floor(), logged((2 * RESET, RESET + 200), between=jackpot(1)[:1]), shared) == []
    assert drifts(floor(), logged((2 * RESET, RESET - 200), between=jackpot(1)[:1]), shared) == [(1, -200)]
