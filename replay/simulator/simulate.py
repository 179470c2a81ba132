"""A whole floor, day by day: played, made irregular, settled."""

import os
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import partial
from random import Random
from typing import Final, NamedTuple
from zlib import crc32

import numpy as np

from replay import ops
from replay.compile_rules import compile_rules
from replay.floor import Table, parse
from replay.library import Library, library
from replay.rules import Rules, record
from replay.simulator import (
    camera,
    clock_modes,
    filming,
    habits,
    house,
    judge,
    keying,
    landing,
    meters,
    misdeals,
    outages,
    people,
    settle,
)
from replay.simulator import log as J
from replay.simulator.clocks import SimulatedClock, TableClocks
from replay.simulator.day import Conditions, play_day
from replay.simulator.filming import Filming, Stretch
from replay.simulator.house import FloorStaff
from replay.simulator.keying import Keyed
from replay.simulator.nature import USUAL, Nature, NatureError
from replay.simulator.plant import PLAYED, SETTLED, Scene, Truth
from replay.simulator.plant import floor as not_permitted
from replay.simulator.plant.evidence import Material
from replay.simulator.plant.pick import Order, Picker, PlantingPlan
from replay.simulator.strategy import Strategy, solve
from replay.simulator.truth import OddRound

FIRST_DAY: Final = date(2026, 1, 5)
_ROUND_MS: Final = 50_000  # about what a round takes
_HOUR_MS: Final = 3_600_000
_LAST_MS: Final = 900_000  # before the gaming day ends, when every table has closed
_BUSY_HOURS: Final = (6, 22)  # of the gaming day: where a short session is put
_MOST_OFFSET_MS: Final = 13_000  # of a clock: with drift, two of them stay within the 30 s that are tolerated
_MOST_DRIFT_PPM: Final = 20.0


class SimulationOptions(NamedTuple):
    """Options of a simulation other than the floor itself."""

    rounds: int  # a table and day
    seed: int = 0
    days: int = 1
    first: date = FIRST_DAY
    form: landing.Form = landing.PLAIN
    camera: bool = False
    filming: Filming | None = None  # what is filmed; cameras of filmed tables log nothing themselves
    nature: Nature = USUAL


@dataclass
class SimulatedDay:
    """One table's day on its way from play to files."""

    table: Table
    rules: Rules
    cast: people.Cast
    clocks: TableClocks
    names: J.Names
    log: J.Log
    rng: Random
    plan: PlantingPlan = field(default_factory=PlantingPlan)
    truth: list[Truth] = field(default_factory=list)
    used: set[int] = field(default_factory=set)  # rounds with something planted in them
    low: frozenset[str] = frozenset()  # patrons who were below the minimum on an earlier day
    judged: judge.SimulatedVerdicts | None = None  # what the engine expects, when it is settled
    keyed: Keyed | None = None  # order and times of the lines, where they are not those of the log
    filmed: Stretch | None = None
    odd: list[OddRound] = field(default_factory=list)  # rounds that were misdealt, or are blind
    material: Material = field(init=False)  # what it leaves behind, when all is done


class Simulation:
    """A floor under simulation; the same seed gives the same files byte for byte."""

    def __init__(
        self,
        floor_toml: str,
        wanted: SimulationOptions,
        rate: float = 0.0,
        orders: Mapping[Order, int] | None = None,
        books: Library | None = None,
    ) -> None:
        books = library() if books is None else books
        self.wanted, orders = wanted, Counter(orders or {})
        in_vain = sum(orders.pop(order) for order in list(orders) if order.code == not_permitted.CODE)
        self.floor_toml, self.not_asked = _asked_in_vain(floor_toml, in_vain, rate, wanted.seed, books)
        self.floor = floor = parse(tomllib.loads(self.floor_toml), books)
        self.house = FloorStaff.of(floor, wanted.seed)
        self.meters = meters.Meters(floor)
        self._terms: dict[int, tuple[Rules, Strategy]] = {}
        self._low: dict[str, frozenset[str]] = {}  # by table: patrons below the minimum so far
        places = [f"{day}/{table.id}" for day in self.days() for table in self.tables(day)]
        self.picker = Picker(rate, orders, places, wanted.seed, wanted.nature.unplantable())
        self.has_camera = wanted.camera or (self.picker.has_camera and not wanted.filming)
        if not self.has_camera and any(outage.device == camera.CAMERA for outage in wanted.nature.outages):
            raise NatureError("--outage: a camera's lines are to be lost and there are none; add --camera")

    def rounds(self) -> int:
        """Return the number of rounds that will be played."""
        return self.wanted.rounds * sum(len(self.tables(day)) for day in self.days())

    def unplanted(self) -> Counter[str]:
        """Count the requested irregularities for which no round was found, by name."""
        missing = Counter(str(order) for order in self.picker.waiting)
        return missing + Counter({not_permitted.CODE: self.not_asked})

    def days(self) -> list[date]:
        return [self.wanted.first + timedelta(days=n) for n in range(self.wanted.days)]

    def tables(self, day: date) -> list[Table]:
        """The tables in force on a day."""
        ids = dict.fromkeys(entry.id for entry in self.floor.tables if entry.since <= day)
        return [self.floor.table(each, day) for each in ids]

    def play(self, day: date) -> list[SimulatedDay]:
        """Everything that happens on a day, with what was planted, settled."""
        plants, meters = self.picker.state(), dict(self.meters.exact)
        played = self._play(day, early=0.5)
        if self.picker.waiting:
            # Some of it found no round once the day was settled: play it again, and plant while there is time.
            (self.picker.waiting, self.picker.assigned), self.meters.exact = plants, meters
            played = self._play(day, early=1.0)
        for each in played:
            self._low[each.table.id] = each.low | _below_minimum(each)
        return played

    def _play(self, day: date, early: float) -> list[SimulatedDay]:
        """Play a gaming day, with tables in parallel where possible."""
        tables = self.tables(day)
        for table in tables:
            self._terms_of(table)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            played = list(pool.map(lambda table: self._play_table(table, day), tables))
            for each in played:
                sees = self.has_camera or self.wanted.filming is not None
                each.plan = self.picker.plan(f"{day}/{each.table.id}", self.wanted.rounds, sees, early)
            self._plant(played, PLAYED)
            self._misdeal(played, day, PLAYED)
            self.meters.fill([(each.table, each.log) for each in played])
            for each, judged in zip(played, pool.map(_settle, played), strict=True):
                each.judged = judged
        self._plant(played, SETTLED)
        self._misdeal(played, day, SETTLED)
        if self.wanted.nature.has_habits():
            for each in played:
                self._key(each, day)
        if self.wanted.nature.has_habits() or any(each.used for each in played):
            self.meters.refill([(each.table, each.log) for each in played])
        self._choose_filmed(played)
        for each in played:
            each.material = self._material(each, day)
            _tell_steps(each.material)
            rng = Random(f"{self.wanted.seed}/{day}/{each.table.id}/outages")
            each.odd += outages.lose(each.material, self.wanted.nature.outages, rng)
        self._spoil(played)
        return played

    def _play_table(self, table: Table, day: date) -> SimulatedDay:
        rules, chart = self._terms_of(table)
        rng = Random(f"{self.wanted.seed}/{day}/{table.id}/table")
        opens, closes = self._hours(table, day, rng)
        cast = people.cast(self.house, table, day, self.wanted.seed, (opens, closes))
        conditions = Conditions(
            rounds=self.wanted.rounds,
            boxes=table.boxes,
            shuffle=rng.choice((ops.SHUFFLE_MACHINE, ops.SHUFFLE_MACHINE, ops.SHUFFLE_MANUAL)),
            meters=meters.bits(table),
            logs_offers=rng.random() < 0.8,
            pace_permille=min(1000, max(1, (closes - opens) * 1000 // (_ROUND_MS * self.wanted.rounds))),
        )
        seed = np.random.SeedSequence([self.wanted.seed, crc32(table.id.encode()), day.toordinal()])
        log = play_day(record(rules), chart, conditions, cast, seed)
        names = _names(table, day, log, cast)
        _hurry(log, self.house.bounds(day)[1] - _LAST_MS)
        J.renumber(log, int(rules.decks * rules.cards_per_deck))
        low = self._low.get(table.id, frozenset())
        return SimulatedDay(table, rules, cast, self._clocks(day, rng), names, log, rng, low=low)

    def _key(self, each: SimulatedDay, day: date) -> None:
        """Let every line be keyed in by the dealer's habit and at the day's pace."""
        first, last = self.house.bounds(day)
        wanted, seed = self.wanted.nature, self.wanted.seed
        each.keyed = keying.keyed(
            each.log,
            habits.by_dealer(each.names.dealers, seed, wanted.late_keying),
            wanted,
            f"{seed}/{day}/{each.table.id}/keying",
            left_alone=each.used - {odd.number for odd in each.odd},
            bounds=(first, last - _LAST_MS),
        )
        each.log.ms[:] = each.keyed.happened_ms()

    def _terms_of(self, table: Table) -> tuple[Rules, Strategy]:
        if id(table) not in self._terms:
            rules = compile_rules(table)
            self._terms[id(table)] = rules, solve(rules)
        return self._terms[id(table)]

    def _hours(self, table: Table, day: date, rng: Random) -> tuple[int, int]:
        """Return the opening and closing times of a table in ms: within the busy hours if its rounds fit there."""
        start, end = self.house.bounds(day)
        first, last = (start + hour * _HOUR_MS for hour in _BUSY_HOURS)
        needed = self.wanted.rounds * _ROUND_MS * 5 // 4
        if needed >= last - first:
            return start + rng.randrange(_HOUR_MS), end - _HOUR_MS
        opens = rng.randrange(first, last - needed + 1)
        return opens, opens + needed

    def _clocks(self, day: date, rng: Random) -> TableClocks:
        def clock() -> SimulatedClock:
            drift = round(rng.uniform(-_MOST_DRIFT_PPM, _MOST_DRIFT_PPM), 2)
            return SimulatedClock(rng.randint(-_MOST_OFFSET_MS, _MOST_OFFSET_MS), drift)

        return TableClocks(self.house.zone, self.house.bounds(day)[0], clock(), clock(), clock())

    def _worse_clocks(self, each: SimulatedDay, log: J.Log, day: date) -> TableClocks:
        """Return the clocks of the requested mode for a day with these lines."""
        terminal, shoe = (log.ms[landing.has_line(log, source)] for source in landing.SOURCES)
        pauses = each.keyed.pauses if each.keyed is not None else ()
        seed = f"{self.wanted.seed}/{day}/{each.table.id}/clocks"
        lines = clock_modes.LineTimes(terminal, shoe, camera=log.ms)
        return clock_modes.make(self.wanted.nature.clocks, each.clocks, lines, pauses, seed)

    def _plant(self, played: Sequence[SimulatedDay], phase: str) -> None:
        """Carry out each table's plan; requests that fit no round there are tried at the other tables."""
        for each in played:
            if each.plan:
                _change(each, partial(each.plan.carry_out, phase=phase))
        for each in played:
            for other in played:
                if each is not other and each.plan.orders:
                    _change(other, partial(each.plan.carry_out_orders, phase=phase))

    def _misdeal(self, played: Sequence[SimulatedDay], day: date, phase: str) -> None:
        """Misdeal some rounds without logging an irregularity."""
        rate = self.wanted.nature.misdeals
        for each in played if rate else ():
            wanted = misdeals.choose(rate, self.wanted.rounds, f"{self.wanted.seed}/{day}/{each.table.id}/misdeals")
            _change(each, partial(misdeals.plant, phase=phase, wanted=wanted, odd=each.odd))
            if phase == SETTLED:
                each.log = misdeals.without_rulings(each.log, each.odd)

    def _spoil(self, played: Sequence[SimulatedDay]) -> None:
        """Damage the evidence as planned, and add the options of floor.toml that are not permitted to the truth."""
        for each in played:
            each.plan.spoil(each.material)
        for each in played:
            for other in played:
                each.plan.spoil_by_order(other.material)
            self.picker.take_back(each.plan)
        for each in played:
            each.truth += each.material.truth
            if not each.material.is_silent:
                each.truth += [not_permitted.found(problem.clause) for problem in each.table.not_permitted]

    def _choose_filmed(self, played: Sequence[SimulatedDay]) -> None:
        """Choose the tables and rounds to film: those with the most to see."""
        if self.wanted.filming is not None:
            days = [(each.table.boxes, each.log, each.used) for each in played]
            for number, filmed in filming.chosen(days, self.wanted.filming).items():
                played[number].filmed = filmed

    def _material(self, each: SimulatedDay, day: date) -> Material:
        placed = None
        if self.has_camera or each.filmed is not None:
            placed = camera.placements(each.log, each.names, bool(each.rules.hole_card))
        if placed is not None and each.filmed is not None:
            placed = filming.within(placed, each.log, each.filmed)
        log = each.log if each.keyed is None else each.keyed.lines(each.log)
        if self.wanted.nature.clocks:
            each.clocks = self._worse_clocks(each, log, day)
        return Material(
            day=day,
            log=log,
            names=each.names,
            clocks=each.clocks,
            form=self.wanted.form,
            used=frozenset(each.used),
            placed=placed,
            is_filmed=each.filmed is not None,
            camera=f"{each.table.id}-CAM",
            seed=f"{self.wanted.seed}/{day}/{each.table.id}/camera",
        )


def _change(each: SimulatedDay, plant: Callable[[Scene], None]) -> None:
    """Let something be planted in a table's day."""
    scene = Scene(
        each.log,
        each.names,
        each.table,
        each.rules,
        each.cast,
        each.rng,
        each.judged,
        each.truth,
        used=each.used,
        low=each.low,
    )
    plant(scene)
    each.log = scene.apply()


def _tell_steps(material: Material) -> None:
    """A clock that steps is a finding about its file."""
    for source in material.sources():
        if getattr(material.clocks, source).steps:
            material.found("evidence.clock-skew", material.path(source))


def _below_minimum(each: SimulatedDay) -> frozenset[str]:
    """Patrons who staked less than the table's minimum."""
    log = each.log
    low = (log.op == ops.WAGER) & (log.kind == ops.MAIN) & (log.cents < each.rules.min_cents) & (log.aux > 0)
    return frozenset(each.names.patrons[patron] for patron in np.unique(log.aux[low]).tolist())


def _hurry(log: J.Log, until_ms: int) -> None:
    """Let everything happen faster, where more was played than the gaming day has time for."""
    begin, end = int(log.ms[0]), int(log.ms[-1])
    if end > until_ms:
        log.ms[:] = begin + (log.ms - begin) * (until_ms - begin) // (end - begin)


def _settle(each: SimulatedDay) -> judge.SimulatedVerdicts:
    """Settle a table's day as the engine expects it; returns what it expects."""
    judged = judge.judge(each.log, each.names, each.rules, threads=1)
    each.log = settle.settled(each.log, judged, record(each.rules))
    J.renumber(each.log, int(each.rules.decks * each.rules.cards_per_deck))
    return judged


def _names(table: Table, day: date, log: J.Log, cast: people.Cast) -> J.Names:
    """Names that are unique on the whole floor."""
    stem = f"{table.id}-{day:%y%m%d}"
    shoes = int(np.count_nonzero(log.op == ops.SHOE_LOADED))
    return J.Names(
        table=table.id,
        patrons=cast.patron_names,
        shoes=["", *(f"{stem}-{n:02d}" for n in range(1, shoes + 1))],
        sets=["", f"{stem}-A", f"{stem}-B"],
        dealers=cast.dealer_names,
        supervisors=cast.supervisors,
    )


def _asked_in_vain(floor_toml: str, count: int, rate: float, seed: int, books: Library) -> tuple[str, int]:
    """floor.toml with settings that are not permitted at so many tables, and how many are wanting."""
    data = tomllib.loads(floor_toml)
    rng = Random(f"{seed}/floor")
    ids = list(dict.fromkeys(entry["id"] for entry in data.get("table", ())))
    rng.shuffle(ids)
    by_rate = sum(rng.random() < not_permitted.WEIGHT for _ in ids) if rate else 0
    asked = 0
    for table in ids:
        if asked < count + by_rate and not_permitted.ask_in_vain(data, table, rng, books):
            asked += 1
    return (house.toml(data) if asked else floor_toml), max(0, count - asked)
