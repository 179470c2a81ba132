"""Patrons, dealers and supervisors of a table on a gaming day."""

from bisect import bisect_right
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from math import ceil, lcm, log
from random import Random
from typing import Final, NamedTuple

import numpy as np

from replay.floor import Table
from replay.simulator.house import HOUR_MS, MINUTE_MS, Dealer, FloorStaff, Pit, Stint
from replay.tape import I64

KINDS: Final = ("basic", "average", "poor", "counter", "mid-shoe entrant", "past-poster", "favoured")
BASIC, AVERAGE, POOR, COUNTER, ENTRANT, PAST_POSTER, FAVOURED = range(7)

# Columns of a table's patrons.
P_NUMBER: Final = 0  # in the list of names; 0 where the house does not know the patron
P_KIND: Final = 1
P_ARRIVES_MS: Final = 2
P_LEAVES_MS: Final = 3
P_BANKROLL_CENTS: Final = 4
P_UNIT_CENTS: Final = 5
P_SPREAD: Final = 6  # most units
P_COUNTS: Final = 7  # 1: bets by the count
P_MISTAKES_PPM: Final = 8  # of decisions
P_MATCH_PPM: Final = 9  # of rounds, here and below
P_PAIR_PPM: Final = 10
P_SPIN_PPM: Final = 11
P_BSX_PPM: Final = 12
P_INSURE_PPM: Final = 13
P_BOXES: Final = 14
P_BEHIND: Final = 15  # 1: bets behind another
P_PREFERS: Final = 16  # box, 0 any
PATRON_COLUMNS: Final = 17

# Columns of a table's dealers.
D_FROM_MS: Final = 0
D_NUMBER: Final = 1
D_PACE_PERMILLE: Final = 2
D_ERROR_WEIGHT_PERMILLE: Final = 3


class Cast(NamedTuple):
    """The people of one table on one gaming day."""

    patrons: I64  # a row each, sorted by arrival
    patron_names: list[str]  # the first is ""
    dealers: I64  # a row for each change, sorted
    dealer_names: list[str]  # the first is ""
    supervisors: list[tuple[int, str]]  # from when on
    catch: list[float]  # their shares of errors caught
    opens_ms: int
    closes_ms: int
    favours: I64  # by dealer's number: row of the patron whom this dealer favours, or -1


class Habits(NamedTuple):
    """Playing habits of a patron, the same at every table."""

    kind: int
    level: float  # unit in table minimums
    exact: bool  # stakes any number of chips, not only round sums
    spread: int
    bankroll_units: int
    mistakes_ppm: int
    match_ppm: int
    pair_ppm: int
    spin_ppm: int
    bsx_ppm: int
    insure_ppm: int
    boxes: int
    behind: bool
    prefers: int
    stay_ms: int


class Regular(NamedTuple):
    """Regular patron, who comes at about the same hour."""

    name: str
    habits: Habits
    frequency: float  # share of days
    hour: float
    friend: str  # dealer who favours this patron, or ""


class PatronVisit(NamedTuple):
    arrives_ms: int
    leaves_ms: int
    name: str
    habits: Habits
    friend: str


_Seat = tuple[PatronVisit, int, bool]  # with the boxes taken, and whether it is behind others

_REGULARS_PER_TABLE: Final = 30
_FRIENDS_PER_PIT: Final = 3  # regulars whom a dealer favours
_VISITORS_MOST: Final = 256  # of a table on one day
_UNKNOWN: Final = 0.3  # share of visitors without a card
_VISITOR_SHARE: Final = 0.82  # of the boxes that are to be taken; regulars fill the rest
_MEAN_STAY_MS: Final = 66 * MINUTE_MS
_TWO_BOXES: Final = 0.22  # share of patrons who like to play two
_BEHIND: Final = 0.15  # share of those who like to bet behind others
_LAST_ARRIVAL_MS: Final = 5 * MINUTE_MS  # before the table closes
_BEFORE_DAY_ENDS_MS: Final = 10 * MINUTE_MS  # by when a table has closed
# Share of the boxes that are wanted, by the hour of the clock.
_BUSY: Final = (
    *(0.80, 0.60, 0.45, 0.35, 0.28, 0.24, 0.22, 0.24, 0.30, 0.36, 0.42, 0.48),
    *(0.54, 0.58, 0.58, 0.58, 0.62, 0.68, 0.78, 0.90, 1.00, 1.15, 1.15, 1.00),
)
_BUSIEST: Final = max(_BUSY)
_WEEKDAYS: Final = (0.9, 0.9, 0.95, 1.0, 1.15, 1.2, 1.0)
_VISITOR_KINDS: Final = (24, 44, 24, 2, 3, 1.5, 1.5)
_REGULAR_KINDS: Final = (30, 40, 22, 3, 3, 2, 0)  # favoured ones are made apart


def cast(house: FloorStaff, table: Table, day: date, seed: int, hours: tuple[int, int] | None = None) -> Cast:
    """The people of a table's gaming day; ``hours`` are other opening and closing times in milliseconds."""
    rng = Random(f"{seed}/{day}/{table.id}")
    opens, closes = _hours(house, day, rng)
    if hours is not None:
        opens, closes = hours
    stints = [
        stint._replace(from_ms=max(stint.from_ms, opens))
        for stint in house.dealers_at(table.id, day, seed)
        if stint.from_ms < closes and stint.until_ms > opens
    ]
    visits = [
        *_regular_visits(house, table, day, seed, stints),
        *_visits(house, table, day, opens, closes, stints, rng),
    ]
    came = [visit for visit in visits if opens <= visit.arrives_ms <= max(opens, closes - _LAST_ARRIVAL_MS)]
    seated = _somebody_begins(list(_seated(sorted(came), table, closes, rng)))
    dealers, dealer_names = _dealers(stints)
    watch = house.supervisors_at(table.id, day, seed)
    patron_names = ["", *dict.fromkeys(visit.name for visit, _, _ in seated if visit.name)]
    return Cast(
        patrons=_patrons(seated, patron_names, table, rng),
        patron_names=patron_names,
        dealers=dealers,
        dealer_names=dealer_names,
        supervisors=[(since, each.name) for since, each in watch],
        catch=[each.catch for _, each in watch],
        opens_ms=opens,
        closes_ms=closes,
        favours=_favours([visit for visit, _, _ in seated], dealer_names),
    )


def _hours(house: FloorStaff, day: date, rng: Random) -> tuple[int, int]:
    start, end = house.bounds(day)
    opens = start + rng.randrange(0, 4 * HOUR_MS, 1000)
    closes = opens + rng.randrange(14 * HOUR_MS, 20 * HOUR_MS, 1000)
    return opens, min(closes, end - _BEFORE_DAY_ENDS_MS)


class _Manner(NamedTuple):
    """Habits common to a kind of patron: ranges, and the percentages who never or always make side bets."""

    mistakes_ppm: tuple[int, int] = (25_000, 80_000)
    insure_ppm: tuple[int, int] = (0, 400_000)
    spread: tuple[int, int] = (1, 5)
    never: int = 60
    always: int = 15
    stay_minutes: int = 55


_MANNERS: Final = (
    _Manner(mistakes_ppm=(0, 5_000), insure_ppm=(0, 0), spread=(1, 3), never=85, always=3),
    _Manner(),
    _Manner(mistakes_ppm=(100_000, 250_000), insure_ppm=(300_000, 900_000), never=35, always=30),
    _Manner(mistakes_ppm=(0, 2_000), insure_ppm=(0, 0), spread=(6, 12), never=97, always=0),
    _Manner(spread=(2, 6), stay_minutes=18),
    _Manner(),
    _Manner(),
)


def _habits(kind: int, rng: Random) -> Habits:
    manner = _MANNERS[kind]
    match, pair, spin, bsx = (_side_bet(manner, rng) for _ in range(4))
    return Habits(
        kind=kind,
        level=max(1.0, rng.lognormvariate(0.45, 0.6)),
        exact=rng.random() < 0.1,
        spread=rng.randint(*manner.spread),
        bankroll_units=_clamp(round(rng.lognormvariate(log(45), 0.6)), 10, 500),
        mistakes_ppm=rng.randint(*manner.mistakes_ppm),
        match_ppm=match,
        pair_ppm=pair,
        spin_ppm=spin,
        bsx_ppm=bsx,
        insure_ppm=rng.randint(*manner.insure_ppm),
        boxes=2 if rng.random() < _TWO_BOXES else 1,
        behind=rng.random() < _BEHIND,
        prefers=rng.randint(1, 7) if rng.random() < 0.4 else 0,
        stay_ms=_clamp(
            round(rng.lognormvariate(log(manner.stay_minutes), 0.6) * MINUTE_MS), 6 * MINUTE_MS, 6 * HOUR_MS
        ),
    )


def _side_bet(manner: _Manner, rng: Random) -> int:
    drawn = 100 * rng.random()
    if drawn < manner.never:
        return 0
    return rng.randint(850_000, 1_000_000) if drawn < manner.never + manner.always else rng.randint(50_000, 500_000)


def _clamp(value: int, low: int, high: int) -> int:
    return max(low, min(value, high))


@lru_cache(maxsize=4096)
def _regulars(seed: int, pit: Pit, first_number: int) -> tuple[Regular, ...]:
    """The regulars of a pit; its tables share them day by day."""
    rng = Random(f"{seed}/regulars {pit.number}")
    found = []
    for n in range(_REGULARS_PER_TABLE * len(pit.tables)):
        favoured = n < _FRIENDS_PER_PIT
        kind = FAVOURED if favoured else rng.choices(range(len(KINDS)), _REGULAR_KINDS)[0]
        friend = rng.choice(pit.dealers).name if favoured else ""
        hour = rng.choices(range(24), _BUSY)[0] + rng.random()
        name = f"P{first_number + n:06d}"
        found.append(Regular(name, _habits(kind, rng), rng.uniform(0.1, 0.5), hour, friend))
    return tuple(found)


def _regular_visits(
    house: FloorStaff, table: Table, day: date, seed: int, stints: list[Stint]
) -> Iterator[PatronVisit]:
    """Regulars who choose this table today: each comes to one table of the pit at most."""
    pit = house.pit_of[table.id]
    open_tables = [id_ for id_ in pit.tables if house.since[id_] <= day]
    rng = Random(f"{seed}/{day}/regulars {pit.number}")
    start = house.bounds(day)[0]
    starts_at = house.day_starts.hour + house.day_starts.minute / 60
    first_number = 1 + _REGULARS_PER_TABLE * house.numbers[pit.tables[0]]
    for regular in _regulars(house.seed, pit, first_number):
        comes, choice = rng.random() < regular.frequency, rng.choice(open_tables)
        late, longer = rng.gauss(0, 40), rng.lognormvariate(0, 0.3)
        if not comes or choice != table.id:
            continue
        arrives = start + round((regular.hour - starts_at) % 24 * HOUR_MS + late * MINUTE_MS)
        leaves = arrives + round(regular.habits.stay_ms * longer)
        shared = [stint for stint in stints if stint.dealer.name == regular.friend]
        if shared:
            stint = shared[int(regular.hour) % len(shared)]
            arrives = stint.from_ms + round(abs(late) * 0.1 * MINUTE_MS)
            leaves = max(arrives + 10 * MINUTE_MS, stint.until_ms)
        yield PatronVisit(arrives, leaves, regular.name, regular.habits, regular.friend if shared else "")


def _visits(
    house: FloorStaff, table: Table, day: date, opens: int, closes: int, stints: list[Stint], rng: Random
) -> Iterator[PatronVisit]:
    """Visitors: some as the table opens, then as many as the hour wants."""
    start = house.bounds(day)[0]
    starts_at = house.day_starts.hour + house.day_starts.minute / 60
    popularity = _WEEKDAYS[day.weekday()] * rng.uniform(0.85, 1.15) * table.boxes

    def wanted(ms: int) -> float:
        """Boxes that would be taken now if all who want to play were here."""
        return popularity * _BUSY[int(starts_at + (ms - start) / HOUR_MS) % 24]

    boxes_each = _boxes_each(table)
    most = popularity * _BUSIEST / (_MEAN_STAY_MS * boxes_each)
    first = max(1, round(wanted(opens) * rng.uniform(0.5, 1.1) / boxes_each))
    arrivals = [opens, *(opens + rng.randrange(6 * MINUTE_MS) for _ in range(first - 1))]
    now = opens + rng.expovariate(most)
    while now < closes and len(arrivals) < _VISITORS_MOST:
        if rng.random() * popularity * _BUSIEST < wanted(int(now)) * _VISITOR_SHARE:
            arrivals.append(int(now))
        now += rng.expovariate(most)
    for n, arrives in enumerate(arrivals):
        habits = _habits(rng.choices(range(len(KINDS)), _VISITOR_KINDS)[0], rng)
        name = "" if rng.random() < _UNKNOWN else _visitor(house, table.id, day, n)
        friend = _dealing(stints, arrives).name if habits.kind == FAVOURED else ""
        yield PatronVisit(arrives, arrives + habits.stay_ms, name, habits, friend)


def _boxes_each(table: Table) -> float:
    """Boxes that a patron takes on average."""
    alone = 1.0 if _boxes_allowed(table) == 1 else 1.0 + _TWO_BOXES
    return alone * (1.0 - _BEHIND) if _bettors(table) > 1 else alone


def _boxes_allowed(table: Table) -> int:
    return int(table.options.get("boxes_per_player") or table.boxes)


def _bettors(table: Table) -> int:
    return int(table.options.get("bettors_per_box", 1))


def _visitor(house: FloorStaff, table: str, day: date, n: int) -> str:
    """A visitor's number: no two of one day are alike, and they do not tell the order of arrival."""
    tables = len(house.numbers)
    modulus = max(899_981, _VISITORS_MOST * tables)
    step = 7919 if modulus % 7919 else 7927  # coprime, so that different visitors get different numbers
    number = (house.numbers[table] * _VISITORS_MOST + n) * step + day.toordinal() * 104_729
    return f"P{1 + _REGULARS_PER_TABLE * tables + number % modulus:06d}"


def _dealing(stints: list[Stint], ms: int) -> Dealer:
    return stints[max(0, bisect_right(stints, ms, key=lambda stint: stint.from_ms) - 1)].dealer


def _seated(visits: list[PatronVisit], table: Table, closes: int, rng: Random) -> Iterator[_Seat]:
    """Visits that find a place, with the boxes that they take and whether they bet behind others."""
    bettors, allowed = _bettors(table), _boxes_allowed(table)
    present: list[tuple[int, int]] = []  # until when, boxes; none for who bets behind
    for visit in visits:
        present = [place for place in present if place[0] > visit.arrives_ms]
        taken = sum(boxes for _, boxes in present)
        room_behind = sum(boxes == 0 for _, boxes in present) < taken * (bettors - 1)
        free = table.boxes - taken
        behind = room_behind and (visit.habits.behind or (free == 0 and rng.random() < 0.5))
        boxes = 0 if behind else min(visit.habits.boxes, allowed, free)
        if boxes or behind:
            leaves = max(visit.arrives_ms + 1, min(visit.leaves_ms, closes))
            present.append((leaves, boxes))
            yield visit._replace(leaves_ms=leaves), max(boxes, 1), behind


def _somebody_begins(seated: list[_Seat]) -> list[_Seat]:
    """Return the seated patrons; if all would wait to enter mid-shoe, the first one plays from its start."""
    if any(visit.habits.kind != ENTRANT and not behind for visit, _, behind in seated):
        return seated
    (visit, boxes, behind), *others = seated
    return [(visit._replace(habits=visit.habits._replace(kind=AVERAGE)), boxes, behind), *others]


def _patrons(seated: list[_Seat], names: list[str], table: Table, rng: Random) -> I64:
    numbers = {name: number for number, name in enumerate(names)}
    offered = table.options
    rows = []
    for visit, boxes, behind in seated:
        h = visit.habits
        unit = _unit(h, table)
        units = max(1, round(h.bankroll_units * rng.uniform(0.7, 1.4))) * boxes
        rows.append(
            (
                numbers[visit.name],
                h.kind,
                visit.arrives_ms,
                visit.leaves_ms,
                unit * units,
                unit,
                _clamp(h.spread, 1, max(1, table.max_cents // unit)),
                int(h.kind == COUNTER),
                h.mistakes_ppm,
                h.match_ppm if offered.get("match") else 0,
                h.pair_ppm if offered.get("pair") else 0,
                h.spin_ppm if offered.get("bonus_spin") else 0,
                h.bsx_ppm if offered.get("bsx16") else 0,
                h.insure_ppm,
                boxes,
                int(behind),
                0 if behind or h.prefers > table.boxes else h.prefers,
            )
        )
    return np.array(rows, dtype=np.int64).reshape(len(rows), PATRON_COLUMNS)


def _unit(habits: Habits, table: Table) -> int:
    """A legal stake near what somebody would like, a round sum for most."""
    step = lcm(table.chip_unit_cents, table.options.get("min_increment_cents") or 1)
    if table.max_cents // step * step < table.min_cents:
        step = table.chip_unit_cents
    low, high = ceil(table.min_cents / step) * step, table.max_cents // step * step
    if high < low:
        return table.min_cents
    wish = habits.level * table.min_cents
    grains = [grain for grain in (lcm(step, sum_) for sum_ in (500, 2_500, 10_000)) if 2 * grain <= wish]
    grain = step if habits.exact or not grains else grains[-1]
    return _clamp(round(wish / grain) * grain, low, high)


def _dealers(stints: list[Stint]) -> tuple[I64, list[str]]:
    names = ["", *dict.fromkeys(stint.dealer.name for stint in stints)]
    rows = [
        (stint.from_ms, names.index(dealer.name), dealer.pace_permille, dealer.error_weight_permille)
        for stint in stints
        for dealer in (stint.dealer,)
    ]
    return np.array(rows, dtype=np.int64).reshape(len(rows), 4), names


def _favours(seated: list[PatronVisit], dealer_names: list[str]) -> I64:
    favours = np.full(len(dealer_names), -1, dtype=np.int64)
    for row, visit in enumerate(seated):
        if visit.friend and favours[dealer_names.index(visit.friend)] < 0:
            favours[dealer_names.index(visit.friend)] = row
    return favours
