"""Plants one irregularity in a simulated day and compares what an audit finds with what was planted."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from functools import cache
from random import Random
from typing import Final, NamedTuple

import numpy as np

from replay import ops, situations
from replay.engine import layout as L
from replay.rules import Rules, record
from replay.simulator import day, house, judge, people, settle, strategy
from replay.simulator import log as J
from replay.simulator.log import Log, Names, Row
from replay.simulator.plant import PLAYED, REGISTRY, SETTLED, Planter, Scene, Truth
from tests.generator import Setup, plain_setup, random_setup

DAY: Final = date(2026, 1, 1)


class Day(NamedTuple):
    """A table's clean day, played but not settled."""

    setup: Setup
    cast: people.Cast
    record: Rules
    log: Log
    names: Names
    seed: int

    def cards(self) -> int:
        return self.setup.rules.decks * self.setup.rules.cards_per_deck


class Planted(NamedTuple):
    """The changes that a planter made to a day."""

    truth: list[Truth]
    found: list[Truth]
    log: Log


def play(setup: Setup, seed: int, rounds: int, meters: int = 0) -> Day:
    """A day at a table."""
    staff = house.FloorStaff.of(setup.floor, seed)
    cast = people.cast(staff, setup.table, DAY, seed)
    row = record(setup.rules)
    wanted = day.Conditions(rounds, setup.table.boxes, shuffle=seed % 2, meters=meters)
    log = day.play_day(row, strategy.solve(setup.rules), wanted, cast, np.random.SeedSequence(seed))
    J.renumber(log, setup.rules.decks * setup.rules.cards_per_deck)
    shoes = int((log.op == ops.SHOE_LOADED).sum())
    names = Names(
        setup.table.id,
        cast.patron_names,
        ["", *(f"S{n}" for n in range(1, shoes + 1))],
        ["", "D1", "D2"],
        cast.dealer_names,
        cast.supervisors,
    )
    return Day(setup, cast, row, log, names, seed)


@cache
def a_day(book: str, seed: int, rounds: int, meters: int = 0) -> Day:
    """A day with the rulebook's defaults for seed 0, with any options that the rulebook permits for others."""
    return play(random_setup(book, Random(seed)) if seed else plain_setup(book), seed, rounds, meters)


def tell(setup: Setup, rows: Sequence[Row], seed: int = 0) -> Day:
    """A day of one round, told row by row; nothing is asked of what came before it."""
    for n, row in enumerate(rows):
        row.round, row.ms = 1, n * 1000
        if row.op == ops.DRAW:
            row.cents = 1
    log = J.from_rows(rows)
    day_before = a_day(setup.table.book.id, 0, 1)
    names = Names(setup.table.id, ["", "ann", "bob"], ["", "S1"], ["", "D1"], day_before.cast.dealer_names, [])
    J.renumber(log, setup.rules.decks * setup.rules.cards_per_deck)
    return Day(setup, day_before.cast, record(setup.rules), log, names, seed)


def plant(planter: Planter, on: Day, handling: int, numbers: Iterable[int] | None = None) -> Planted | None:
    """Let a planter have its way in the first round that suits it; None where none does."""
    rng = Random(f"{on.seed}/{planter.code}")
    order = list(range(1, int(on.log.round.max()) + 1) if numbers is None else numbers)
    if numbers is None:
        rng.shuffle(order)
    scene = _scene(on, J.joined([on.log]), rng)
    done = planter.phase == PLAYED and any(scene.attempt(planter, number, handling) for number in order)
    log = scene.apply()
    judged = judge.judge(log, on.names, on.setup.rules)
    log = settle.settled(log, judged, on.record)
    J.renumber(log, on.cards())
    if planter.phase == SETTLED:
        scene = _scene(on, log, rng, judged)
        done = any(scene.attempt(planter, number, handling) for number in order)
        log = scene.apply()
    return Planted(scene.truth, findings(on, log), log) if done else None


def findings(on: Day, log: Log) -> list[Truth]:
    """The findings of an audit of a day."""
    judged = judge.judge(log, on.names, on.setup.rules)
    return [_truth(on, line) for part in (judged.around, judged.findings) for line in part]


def check(
    code: str, book: str, seeds: int | Iterable[int], rounds: int, handlings: Sequence[int] | None = None
) -> None:
    """Every planter of a code, in every handling it can have here, gives exactly its truth, and one does at all."""
    days = [a_day(book, seed, rounds) for seed in (range(seeds) if isinstance(seeds, int) else seeds)]
    count = 0
    for planter in REGISTRY[code]:
        for handling in planter.handlings:
            if handlings is not None and handling not in handlings:
                continue
            for on in days:
                planted = plant(planter, on, handling)
                if planted is None:
                    continue
                count += 1
                assert any(truth.code == code for truth in planted.truth), planter
                assert_same(planted, f"{planter.act.__name__} seed {on.seed}")
    assert count, f"{code} could not be planted in {book}"


def plant_all(codes: Iterable[str], on: Day) -> tuple[Planted, set[tuple[str, str, int]]]:
    """Every planter of some codes in every handling, each in a round of its own; and by whom what was planted."""
    rng = Random(f"{on.seed}/all")
    planters = [planter for code in codes for planter in REGISTRY[code]]
    done: set[tuple[str, str, int]] = set()
    early = _scene(on, J.joined([on.log]), rng)
    _attempt_all(early, PLAYED, planters, done)
    log = early.apply()
    judged = judge.judge(log, on.names, on.setup.rules)
    log = settle.settled(log, judged, on.record)
    J.renumber(log, on.cards())
    late = _scene(on, log, rng, judged)
    late.used = early.used
    _attempt_all(late, SETTLED, planters, done)
    log = late.apply()
    return Planted(early.truth + late.truth, findings(on, log), log), done


def _attempt_all(scene: Scene, phase: str, planters: list[Planter], done: set[tuple[str, str, int]]) -> None:
    order = list(range(1, scene.rounds() + 1))
    for planter in planters:
        for handling in planter.handlings if planter.phase == phase else ():
            scene.rng.shuffle(order)
            if any(scene.attempt(planter, number, handling) for number in order):
                done.add((planter.code, planter.act.__name__, handling))


def assert_same(planted: Planted, where: str) -> None:
    """Nothing planted was missed, nothing else was found."""
    truth, found = Counter(planted.truth), Counter(planted.found)
    assert truth == found, f"{where}: not found {truth - found}, not planted {found - truth}"


def _scene(on: Day, log: Log, rng: Random, judged: judge.SimulatedVerdicts | None = None) -> Scene:
    return Scene(log, on.names, on.setup.table, on.setup.rules, on.cast, rng, judged=judged)


def _truth(on: Day, line: np.ndarray) -> Truth:
    clause, kind = int(line[L.F_CLAUSE]), int(line[L.F_KIND])
    return Truth(
        code=situations.code(int(line[L.F_SLOT])),
        round=int(line[L.F_ROUND]) + 1 if line[L.F_ROUND] >= 0 else None,
        shoe=int(line[L.F_SHOE]) or None,
        seat=int(line[L.F_SEAT]) or None,
        bettor=int(line[L.F_BETTOR]) or None,
        kind=None if kind == L.NO_KIND else ops.KINDS[kind],
        hand=int(line[L.F_HAND]) or None,
        variance_cents=int(line[L.F_COST]),
        clause=on.setup.table.book.clauses[clause].id if clause >= 0 else "",
        handling=ops.HANDLINGS[int(line[L.F_HANDLING])] or None,
    )
