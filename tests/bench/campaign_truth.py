"""The truth about a landing zone of either generator, in one form."""

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Final, NamedTuple

import polars as pl

MONEY: Final = frozenset({"settlement.overpaid", "settlement.underpaid", "settlement.missing", "settlement.unexpected"})
# The adversary's misdeals and irregularities, by the codes that name them.
MISDEAL_CODES: Final = {
    "no-first-card": {"deal.player-one-card"},
    "no-second-card": {"deal.player-one-card"},
    "no-cards": {"deal.player-no-cards"},
    "dealer-missed-first": {"deal.dealer-missed-card"},
    "extra-discarded": {"deal.drawn-in-error"},
    "hit-not-dealt": {"deal.hit-not-dealt"},
    "extra-to-box": {"deal.drawn-in-error", "deal.drawn-together"},
    "exchanged": {"deal.wrong-box"},
    "unwagered-box": {"deal.unwagered-box"},
}
IRREGULAR_CODES: Final = {
    "overpaid": {"settlement.overpaid"},
    "underpaid": {"settlement.underpaid"},
    "not-paid": {"settlement.missing", "settlement.underpaid"},
    "dealer-overdraw": {"dealer.drew-on-standing-total", "deal.drawn-in-error"},
    "dealer-short": {"dealer.failed-to-draw"},
    "late-wager": {"wager.late"},
    "insurance-excess": {"wager.insurance-excess"},
}
CLEAN: Final = "clean"


class Expected(NamedTuple):
    """A finding that is true: any of the codes, at any of the boxes (no boxes: wherever it is reported)."""

    codes: frozenset[str]
    seats: frozenset[int] = frozenset()

    def fits(self, code: str | None, seat: int | None) -> bool:
        """Return whether a finding of that code at that box is this one."""
        return code in self.codes and (not self.seats or seat in self.seats)


class Misdeal(NamedTuple):
    """A misdeal that nobody logged: the codes that name it, and its boxes."""

    codes: frozenset[str]
    seats: frozenset[int] = frozenset()  # none: it happened at no box
    cards: frozenset[int] = frozenset()  # of a card too many: ordinals in the shoe of the cards where it went

    def is_at(self, code: str | None, seat: int | None) -> bool:
        """Return whether a code at a box names this misdeal."""
        return code in self.codes and (seat in self.seats if self.seats else seat is None)


class Happened(NamedTuple):
    """The truth about one round."""

    kind: str = CLEAN  # class of the misdeal or irregularity
    blind: bool = False  # lines of terminal or shoe were lost
    misdeal: Misdeal | None = None
    irregular: tuple[Expected, ...] = ()

    @property
    def seats(self) -> frozenset[int]:
        """Boxes at which something went wrong."""
        wrong = frozenset[int]().union(*(each.seats for each in self.irregular))
        return wrong | self.misdeal.seats if self.misdeal else wrong


class Truth(NamedTuple):
    """The truth about a landing zone; times are true ones, in ms since 1970."""

    rounds: dict[str, Happened]  # by round_id; a round that is not there is clean
    elsewhere: dict[str, tuple[Expected, ...]]  # by shoe or path: findings outside of rounds
    stepped_back: frozenset[str]  # tables with a clock that was put back
    cards: pl.DataFrame  # table, shoe, n, round_id, zone, position, true_ms
    clocks: pl.DataFrame  # table, source, from_ms, until_ms, offset_ms (at from_ms), drift_ppm, jitter_ms

    def round(self, round_id: str) -> Happened:
        """Return the truth about a round."""
        return self.rounds.get(round_id, Happened())


def read(generator: str, zone: Path) -> Truth:
    """Return the truth that a generator wrote beside its landing zone."""
    return _of_adversary(zone / "truth") if generator == "adversary" else _of_simulator(zone)


_ROUND_ID: Final = pl.format("{}/{}/{}", "table", "gaming_day", "round")
_CLOCKS: Final = ("table", "source", "from_ms", "until_ms", "offset_ms", "drift_ppm", "jitter_ms")
_CARDS: Final = ("table", "shoe", "n", "round_id", "zone", "position", "true_ms")


def _of_simulator(zone: Path) -> Truth:
    truth = pl.read_parquet(zone / "truth.parquet")
    expected: dict[str, list[Expected]] = defaultdict(list)
    misdeals: dict[str, Misdeal] = {}
    kinds: dict[str, str] = {}
    blind: set[str] = set()
    for round_id, kind in pl.read_parquet(zone / "truth-rounds.parquet").select("round_id", "class").iter_rows():
        if kind.startswith("misdeal:"):
            kinds[round_id] = kind.removeprefix("misdeal:")
        elif kind in ("blind:shoe", "blind:terminal"):
            blind.add(round_id)
    for row in truth.iter_rows(named=True):
        each = Expected(frozenset({row["code"]}), frozenset() if row["seat"] is None else frozenset({row["seat"]}))
        where = row["round_id"] or row["shoe"] or row["path"] or row["table"]
        if where in kinds and row["code"].startswith("deal.") and row["handling"] == "unreported":
            misdeals[where] = Misdeal(each.codes, each.seats)
        else:
            expected[where].append(each)
    known = set(truth["round_id"].drop_nulls()) | set(kinds) | blind
    rounds = {
        name: Happened(
            kinds.get(name, "irregular" if name in expected else CLEAN),
            name in blind,
            misdeals.get(name),
            tuple(expected[name]),
        )
        for name in known
    }
    cards = pl.read_parquet(zone / "truth-cards.parquet").with_columns(
        round_id=_ROUND_ID, true_ms=pl.col("true_time").dt.epoch("ms")
    )
    rounds |= _with_cards(rounds, cards)
    clocks = pl.read_parquet(zone / "truth-clocks.parquet").with_columns(
        from_ms=pl.col("from").dt.epoch("ms"), until_ms=pl.col("until").dt.epoch("ms")
    )
    elsewhere = {name: tuple(each) for name, each in expected.items() if name not in known}
    return _truth(rounds, elsewhere, cards, clocks)


def _of_adversary(folder: Path) -> Truth:
    frames = {path.stem: pl.read_parquet(path) for path in folder.glob("*.parquet")}
    table = frames["rounds"].with_columns(round_id=_ROUND_ID)
    blind = _blind(table, frames["order"])
    rounds = {}
    for row in table.iter_rows(named=True):
        name, kind = row["round_id"], row["class"]
        if kind == CLEAN and name not in blind:
            continue
        exchanged = re.search(r"boxes (\d+) and (\d+)", row["note"])
        seats = frozenset(map(int, exchanged.groups())) if exchanged else frozenset({row["seat"]} - {None})
        wrong = frozenset(int(seat) for seat, cents in json.loads(row["error_by_box"]).items() if cents)
        misdeal = Misdeal(frozenset(MISDEAL_CODES[kind]), seats) if kind in MISDEAL_CODES else None
        irregular = [Expected(frozenset(IRREGULAR_CODES[kind]), seats)] if kind in IRREGULAR_CODES else []
        if wrong and not any(each.codes & MONEY for each in irregular):
            irregular.append(Expected(MONEY, wrong))
        rounds[name] = Happened(kind, name in blind, misdeal, tuple(irregular))
    cards = frames["cards"].with_columns(round_id=_ROUND_ID)
    rounds |= _with_cards(rounds, cards)
    clocks = frames["clocks"].rename({"from_true_ms": "from_ms", "until_true_ms": "until_ms"})
    return _truth(rounds, {}, cards, clocks)


def _with_cards(rounds: dict[str, Happened], cards: pl.DataFrame) -> dict[str, Happened]:
    """Return the rounds with a card too many, with the cards where it went: those of the box, or those discarded."""
    names = [name for name, each in rounds.items() if each.misdeal and "deal.drawn-in-error" in each.misdeal.codes]
    found: dict[str, Happened] = {}
    for (name,), own in cards.filter(pl.col("round_id").is_in(names)).group_by("round_id"):
        happened = rounds[str(name)]
        assert happened.misdeal is not None
        zones = [f"seat{seat}." for seat in happened.misdeal.seats] or ["discard"]
        there = pl.any_horizontal(pl.col("zone").str.starts_with(zone) for zone in zones)
        misdeal = happened.misdeal._replace(cards=frozenset(own.filter(there)["n"]))
        found[str(name)] = happened._replace(misdeal=misdeal)
    return found


def _blind(rounds: pl.DataFrame, order: pl.DataFrame) -> set[str]:
    """Return the rounds of which a line of terminal or shoe was lost."""
    lost = order.filter(pl.col("lost") & (pl.col("source") != "camera")).select("table", "gaming_day", "true_ms")
    both = rounds.join(lost, on=["table", "gaming_day"])
    inside = pl.col("true_ms").is_between("from_true_ms", "until_true_ms")
    return set(both.filter(inside)["round_id"])


def _truth(
    rounds: dict[str, Happened], elsewhere: dict[str, tuple[Expected, ...]], cards: pl.DataFrame, clocks: pl.DataFrame
) -> Truth:
    clocks = clocks.select(_CLOCKS).sort("table", "source", "from_ms")
    drifted = pl.col("offset_ms") + pl.col("drift_ppm") * (pl.col("until_ms") - pl.col("from_ms")) / 1e6
    before = drifted.shift(1).over("table", "source")
    back = set(clocks.filter(pl.col("offset_ms") < before - 1)["table"])
    between = pl.when(pl.col("round").is_not_null()).then("round_id").alias("round_id")
    return Truth(rounds, elsewhere, frozenset(back), cards.with_columns(between).select(_CARDS), clocks)
