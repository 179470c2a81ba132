"""A house: the floor that is simulated unless another is given, its staff, and who works where when."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import cycle, product
from random import Random
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

import tomlkit

from replay.floor import Floor, FloorError
from replay.library import PACKAGE, Library
from replay.presentation import POSTED, presentation
from replay.rulebook_file import Rulebook, RulebookError

MINUTE_MS: Final = 60_000
HOUR_MS: Final = 60 * MINUTE_MS

# Minimum, maximum and smallest chip.
_LIMITS: Final = (
    (1_500, 100_000, 100),
    (1_000, 50_000, 50),
    (2_500, 200_000, 500),
    (5_000, 300_000, 500),
    (10_000, 500_000, 2_500),
)
# Options without which findings of some codes cannot be.
_NEEDS: Final[tuple[tuple[str, Mapping[str, tuple[Any, ...]]], ...]] = (
    ("progressive.", {"bsx16": (True,)}),
    ("progressive.", {"bonus_spin": ("C", "D")}),
    ("reader.", {"card_reader": (True,)}),
    ("wager.mid-shoe-entry", {"mid_shoe_entry": ("forbid", "minimum")}),
    ("wager.too-many-boxes", {"boxes_per_player": (1, 2)}),
)
_AUTHORISE_FROM_CENTS: Final = 120_000
_OWN_METERS: Final = 3  # every third table with a linked progressive has meters of its own


def _serves(options: Mapping[str, Any], code: str) -> bool:
    """Return whether a table's options offer the optional feature that a finding code is about."""
    return any(
        code.startswith(codes) and any(options.get(name, False) in values for name, values in wanted.items())
        for codes, wanted in _NEEDS
    )


def rulebooks(wanted: str | Sequence[str], books: Library = PACKAGE) -> tuple[str, ...]:
    """Names of rulebooks from a list, a text such as ``md-pontoon21,mbs-pontoon@6``, or ``all``."""
    names = wanted.split(",") if isinstance(wanted, str) else list(wanted)
    names = [name.strip() for name in names]
    if names == ["all"]:
        return books.ids()
    for name in names:
        try:
            books.find(name)
        except RulebookError as error:
            raise FloorError(str(error)) from None
    return tuple(names)


def default_floor(
    rulebook: str | Sequence[str],
    tables: int,
    first: date,
    days: int = 1,
    seed: int = 0,
    codes: Collection[str] = (),
    books: Library = PACKAGE,
) -> dict[str, Any]:
    """The data of a floor.toml for that many tables, which take the rulebooks in turn.

    Each rulebook's first table is plain, unless finding codes are named that need an option: tables with these come
    first then. The next ones go through the rulebook's options. With several days, the limits of the
    second table rise on the way.
    """
    names = rulebooks(rulebook, books)
    played = [(name, books.find(name)) for name in names]
    style = presentation(played[0][1])
    meters: dict[str, dict[str, Any]] = {}
    entries = [
        _table(played[n % len(names)], n // len(names), n + 1, first, Random(f"{seed}/floor/{n}"), meters, codes)
        for n in range(tables)
    ]
    if days > 1 and tables > 1:
        entries.append(_raised(entries[1], first + timedelta(days=days // 2)))
    shifts = {"day": "06:00", "swing": "14:00", "grave": "22:00"}
    place = {"name": style.house, "timezone": style.timezone, "gaming_day_starts": "06:00", "shifts": shifts}
    return {"property": place, **({"meter": list(meters.values())} if meters else {}), "table": entries}


def toml(data: Mapping[str, Any]) -> str:
    """floor.toml as text."""
    return tomlkit.dumps(data)


def _table(
    played: tuple[str, Rulebook],
    nth: int,
    number: int,
    first: date,
    rng: Random,
    meters: dict[str, dict[str, Any]],
    codes: Collection[str],
) -> dict[str, Any]:
    """The nth table of a rulebook, by its name in floor.toml; its meters are added to the house's."""
    name, book = played
    style, parameters = presentation(book), book.parameters
    variants = sorted(style.tables, key=lambda options: -sum(_serves(options, code) for code in codes))
    decks = parameters["decks"]
    low, high, chip = rng.choice(_LIMITS) if nth else _LIMITS[0]
    boxes = rng.choice((5, 6, 7, 7, 7, 8)) if nth else 7
    entry = {
        "id": f"{style.table_prefix}-{number:02d}",
        "from": first,
        "rulebook": name,
        "decks": rng.choice(decks) if nth else 6 if 6 in decks else decks[0],
        "boxes": min(boxes, parameters.get("boxes_max", boxes)),
        "currency": book.currency,
        "min_cents": low,
        "max_cents": high,
        "chip_unit_cents": chip,
        "options": _posted(variants[nth % len(variants)], low, high, chip),
    }
    progressive = _progressives(book, nth, str(entry["id"]), entry["options"], meters)
    return {**entry, **({"progressive": progressive} if progressive else {})}


def _posted(variant: Mapping[str, Any], low: int, high: int, chip: int) -> dict[str, Any]:
    figures = {
        "match_min_cents": max(500, chip),
        "match_max_cents": min(low, 2_500) * 10,
        "payout_cap_cents": 2 * high,
        "min_increment_cents": max(500, chip),
    }
    return {name: figures[name] if value == POSTED else value for name, value in variant.items()}


def _progressives(
    book: Rulebook, nth: int, table: str, options: Mapping[str, Any], meters: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """The progressive systems of a table."""
    own = nth % _OWN_METERS == _OWN_METERS - 1
    group = table if own else book.id.partition("-")[0]
    found: dict[str, Any] = {}
    paytable = options.get("bonus_spin")
    if paytable:
        reset = book.parameters[f"bonus_spin.{paytable}.reset_min_cents"]
        linked = book.parameters[f"bonus_spin.{paytable}.jackpot"] == "meter"
        prize: dict[str, Any] = {"jackpot_cents": reset}
        if linked:
            prize = {"meter": _meter(meters, f"spin-{paytable.lower()}-{group}", 100_000, reset)}
        found["bonus-spin"] = {**prize, "authorise_from_cents": _AUTHORISE_FROM_CENTS}
    if options.get("bsx16"):
        found["bsx16"] = {
            "meter": _meter(meters, f"bsx16-primary-{group}", 150_000, 1_000_000),
            "secondary_meter": _meter(meters, f"bsx16-secondary-{group}", 50_000, 500_000),
            "authorise_from_cents": _AUTHORISE_FROM_CENTS,
        }
    return found


def _meter(meters: dict[str, dict[str, Any]], name: str, rate_ppm: int, reset_cents: int) -> str:
    meters.setdefault(name, {"id": name, "rate_ppm": rate_ppm, "reset_cents": reset_cents})
    return name


def _raised(entry: Mapping[str, Any], since: date) -> dict[str, Any]:
    """Return a table's entry with twice the maximum, valid from a later day."""
    options = dict(entry["options"])
    if "payout_cap_cents" in options:
        options["payout_cap_cents"] *= 2
    return {**entry, "from": since, "max_cents": 2 * entry["max_cents"], "options": options}


_FIRST: Final = (
    "Ana Ben Carla Daniel Elena Farid Grace Hugo Ines Jamal Keiko Liam Mei Noah Olga Priya Quentin Rosa Samir Tara Uma "
    "Victor Wei Xenia Yusuf Zoe Aisha Bruno Chloe Dmitri Esther Felix"
)
_LAST: Final = (
    "Ruiz Adams Bianchi Chen Diallo Evans Fischer Garcia Hassan Ivanov Jones Kim Lim Murphy Nguyen Okafor Patel Quinn "
    "Rossi Singh Tan Ueda Vargas Walsh Xu Young Zhang Abbas Brown Costa Dube Eriksen"
)
_PIT_TABLES: Final = 4
_PUSH_MS: Final = 2 * MINUTE_MS  # from one table's change of dealers to the next one's
_STINT_MINUTES: Final = (20, 40)
_DUTY_MINUTES: Final = (60, 120)  # how long one of two supervisors watches before the other does
_DEFAULT_SHIFT_HOURS: Final = 8


class Dealer(NamedTuple):
    name: str
    shift: int
    pace_permille: int
    error_weight_permille: int  # 1000 errs as often as the average


class Supervisor(NamedTuple):
    name: str
    shift: int
    catch: float  # share of errors noticed and handled as prescribed


class Stint(NamedTuple):
    """A dealer at a table."""

    from_ms: int
    until_ms: int
    dealer: Dealer


class Pit(NamedTuple):
    """Up to four neighbouring tables and those who work there."""

    number: int
    tables: tuple[str, ...]
    dealers: tuple[Dealer, ...]
    supervisors: tuple[Supervisor, ...]


@dataclass(frozen=True)
class FloorStaff:
    """A floor's staff, its gaming day and its shifts."""

    seed: int
    zone: ZoneInfo
    day_starts: time
    shifts: tuple[time, ...]
    pits: tuple[Pit, ...]
    pit_of: Mapping[str, Pit]
    since: Mapping[str, date]  # by table: from when on it is there
    numbers: Mapping[str, int]  # by table: its place on the floor, from 0

    @classmethod
    def of(cls, floor: Floor, seed: int) -> "FloorStaff":
        """Staff for every table of a floor."""
        since: dict[str, date] = {}
        for table in floor.tables:
            since[table.id] = min(table.since, since.get(table.id, table.since))
        starts = time.fromisoformat(floor.property.get("gaming_day_starts", "06:00"))
        posted = sorted(time.fromisoformat(start) for start in floor.property.get("shifts", {}).values())
        shifts = posted or [starts.replace(hour=(starts.hour + _DEFAULT_SHIFT_HOURS * n) % 24) for n in range(3)]
        pits = tuple(_staffed(list(since), len(shifts), Random(f"{seed}/staff")))
        zone = ZoneInfo(floor.property.get("timezone", "UTC"))
        pit_of = {table: pit for pit in pits for table in pit.tables}
        numbers = {table: n for n, table in enumerate(since)}
        return cls(seed, zone, starts, tuple(shifts), pits, pit_of, since, numbers)

    def bounds(self, day: date) -> tuple[int, int]:
        """First millisecond of a gaming day and of the next one."""
        return self._ms(day, self.day_starts), self._ms(day + timedelta(days=1), self.day_starts)

    def _ms(self, day: date, wall: time) -> int:
        moment = datetime.combine(day, wall, self.zone).astimezone(UTC)
        return round(moment.timestamp() * 1000)

    def shift_times(self, day: date) -> list[tuple[int, int, int]]:
        """From, until and number of the shifts within a gaming day; it may begin in the middle of one."""
        start, end = self.bounds(day)
        calendar = [day + timedelta(days=n) for n in (-1, 0, 1)]
        begins = sorted((self._ms(each, wall), n) for each in calendar for n, wall in enumerate(self.shifts))
        untils = [begin for begin, _ in begins[1:]] + [end]
        clipped = [(max(b, start), min(u, end), n) for (b, n), u in zip(begins, untils, strict=True)]
        return [(begin, until, n) for begin, until, n in clipped if begin < until]

    def dealers_at(self, table: str, day: date, seed: int) -> list[Stint]:
        """Return the dealers of a table through a gaming day, as stints in order of time.

        The crew of a pit has one dealer more than tables. A dealer returning from a break takes over the first table,
        whose dealer goes on to the second, and so on; the dealer of the last table goes on a break.
        """
        pit = self.pit_of[table]
        place, crew_size = pit.tables.index(table), len(pit.tables) + 1
        rng = Random(f"{seed}/{day}/rota {pit.number}")
        begins: list[tuple[int, Dealer]] = []
        for begin, until, shift in self.shift_times(day):
            crew = rng.sample([dealer for dealer in pit.dealers if dealer.shift == shift], crew_size)
            for n, push in enumerate(_changes(begin, until, _STINT_MINUTES, rng)):
                begins.append((push + place * _PUSH_MS, crew[(place - n) % crew_size]))
        start, end = self.bounds(day)
        begins[0] = (start, begins[0][1])
        untils = [begin for begin, _ in begins[1:]] + [end]
        return [Stint(begin, until, dealer) for (begin, dealer), until in zip(begins, untils, strict=True)]

    def supervisors_at(self, table: str, day: date, seed: int) -> list[tuple[int, Supervisor]]:
        """Return the supervisors of a table's pit with the start of each duty: one supervisor, or two by turns."""
        pit = self.pit_of[table]
        rng = Random(f"{seed}/{day}/watch {pit.number}")
        found = []
        for begin, until, shift in self.shift_times(day):
            pool = [each for each in pit.supervisors if each.shift == shift]
            on_duty = rng.sample(pool, rng.randint(1, 2))
            times = _changes(begin, until, _DUTY_MINUTES, rng)
            found += list(zip(times if len(on_duty) > 1 else times[:1], cycle(on_duty), strict=False))
        return found


def _changes(begin: int, until: int, minutes: tuple[int, int], rng: Random) -> list[int]:
    """Moments from a shift's begin on, some minutes apart, and none shortly before its end."""
    moments = [begin]
    while (following := moments[-1] + rng.randint(*minutes) * MINUTE_MS) <= until - minutes[0] * MINUTE_MS:
        moments.append(following)
    return moments


def _staffed(tables: list[str], shifts: int, rng: Random) -> Iterator[Pit]:
    pairs = [f"{first} {last}" for first, last in product(_FIRST.split(), _LAST.split())]
    rng.shuffle(pairs)
    names = cycle(pairs)
    dealers = supervisors = 0
    for number, lo in enumerate(range(0, len(tables), _PIT_TABLES)):
        ids = tuple(tables[lo : lo + _PIT_TABLES])
        crew = len(ids) + 1
        pool = crew + max(1, round(0.4 * crew))  # everybody has days off
        pit_dealers, pit_supervisors = [], []
        for shift in range(shifts):
            for _ in range(pool):
                dealers += 1
                pit_dealers.append(_dealer(f"D{dealers:03d} {next(names)}", shift, rng))
            for _ in range(3):
                supervisors += 1
                catch = round(rng.betavariate(6, 2), 3)
                pit_supervisors.append(Supervisor(f"S{supervisors:03d} {next(names)}", shift, catch))
        yield Pit(number, ids, tuple(pit_dealers), tuple(pit_supervisors))


def _dealer(name: str, shift: int, rng: Random) -> Dealer:
    # Most err little and a few err a lot; the mean of the weights is near one.
    weight = min(max(rng.lognormvariate(-0.5, 1.0), 0.05), 12.0)
    return Dealer(name, shift, round(1000 * rng.triangular(0.8, 1.3, 1.0)), round(1000 * weight))
