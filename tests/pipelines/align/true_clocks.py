"""Simulated table days with the truth about their clocks and cards."""

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from pipelines.align.align import Alignment
from pipelines.align.devices import DeviceClock
from pipelines.stories.replayed import replay_day
from replay import floor
from replay.columns import I64, SHOE, TYPE_OF, Lines
from replay.simulator import house, zone
from replay.simulator.nature import Nature
from replay.simulator.plant import pick
from replay.simulator.simulate import FIRST_DAY, Simulation, SimulationOptions
from replay.simulator.truth import CARDS, CLOCKS
from tests.pipelines.align import zones

F64 = npt.NDArray[np.float64]

TABLES: Final = 5  # one of each rulebook


class Piece(NamedTuple):
    """A stretch of true time in which a clock ran evenly."""

    from_ms: int
    until_ms: int
    offset_ms: int
    drift_ppm: float
    jitter_ms: int


@dataclass(frozen=True)
class TrueDay:
    """A simulated table's day: its lines, and how its clocks really ran."""

    plan: floor.Floor = field(repr=False)
    table: floor.Table
    lines: Lines = field(repr=False)
    pieces: dict[str, list[Piece]]
    drawn: I64 = field(repr=False)  # by draw: true ms
    rounds: list[str | None] = field(repr=False)  # by draw: the round that it was drawn in; None between rounds

    @cached_property
    def aligned(self) -> Alignment:
        return self.align(self.lines)

    def align(self, lines: Lines) -> Alignment:
        """Put lines of the table in order, as the pipeline does."""
        return replay_day(self.plan, self.table, lines).aligned

    @property
    def draws(self) -> I64:
        """The rows of draws."""
        return np.flatnonzero(self.lines.columns.type == TYPE_OF["draw"])

    def ahead(self, source: str, true: I64) -> F64:
        """Return the offset of a device's stamps to true time, in ms; half of the jitter is its mean."""
        found = np.zeros(len(true))
        for piece in self.pieces[source]:
            inside = (true >= piece.from_ms) & (true < piece.until_ms)
            ahead = piece.offset_ms + piece.jitter_ms / 2 + piece.drift_ppm * (true - piece.from_ms) / 1e6
            found = np.where(inside, ahead, found)
        return found

    @property
    def true_offsets(self) -> F64:
        """Offset of the shoe's clock from the terminal's, in ms, by draw."""
        return self.ahead("shoe", self.drawn) - self.ahead("terminal", self.drawn)

    @property
    def wrong_rounds(self) -> int:
        """Number of draws put into another round than they were drawn in."""
        named = [*self.aligned.rounds, None]
        placed = [named[number] for number in self.aligned.round[self.draws].tolist()]
        return sum(one != other for one, other in zip(placed, self.rounds, strict=True))

    @cached_property
    def stated_offsets(self) -> I64:
        """By draw: how far the shoe's clock is ahead, as the alignment has it."""
        ahead: I64 = (self.lines.columns.number("ts") - self.aligned.corrected)[self.draws]
        return ahead

    @property
    def is_within(self) -> npt.NDArray[np.bool_]:
        """By draw: whether the true offset lies within the stated uncertainty."""
        off = np.abs(self.stated_offsets - self.true_offsets)
        within: npt.NDArray[np.bool_] = off <= zones.uncertainty(self.lines, self.aligned)[self.draws] + 1  # rounding
        return within

    def clock(self, source: str) -> DeviceClock:
        """The clock of the only device of a source."""
        (found,) = [each for each in self.aligned.clocks if each.source == source]
        return found

    @property
    def true_steps(self) -> list[int]:
        """Steps of the shoe against the terminal, in the order of time, in ms."""
        moments: list[tuple[int, int]] = []
        for source, sign in (("shoe", 1), ("terminal", -1)):
            for before, after in zip(self.pieces[source], self.pieces[source][1:], strict=False):
                ran = before.drift_ppm * (after.from_ms - before.from_ms) / 1e6
                moments.append((after.from_ms, sign * round(after.offset_ms - before.offset_ms - ran)))
        return [by for _, by in sorted(moments)]


def written(
    out: Path, nature: Nature, rounds: int, seed: int, camera: bool = False, rate: float = 0.0, plant: str = ""
) -> Path:
    """Write a landing zone with a table of each rulebook, and the truth about its clocks."""
    orders = Counter(dict([pick.parse(plant)])) if plant else Counter[pick.Order]()
    text = house.toml(house.default_floor("all", TABLES, FIRST_DAY, 1, seed))
    wanted = SimulationOptions(rounds, seed, camera=camera, nature=nature._replace(truth_cards=True))
    out.mkdir(parents=True, exist_ok=True)
    zone.write(out, Simulation(text, wanted, rate, orders), {})
    return out


def days(out: Path) -> list[TrueDay]:
    """The table days of a landing zone."""
    clocks, cards = pl.read_parquet(out / CLOCKS), pl.read_parquet(out / CARDS)
    plan = floor.read(out / "floor.toml")
    return [
        _day(plan, table, zones.table_day(out / FIRST_DAY.isoformat() / table.id).lines, clocks, cards)
        for table in plan.tables
    ]


def _day(plan: floor.Floor, table: floor.Table, lines: Lines, clocks: pl.DataFrame, cards: pl.DataFrame) -> TrueDay:
    own = clocks.filter(table=table.id).with_columns(pl.col("from", "until").dt.timestamp("ms"))
    pieces = {
        str(source): [Piece(*row) for row in part.select("from", "until", "offset_ms", "drift_ppm", "jitter_ms").rows()]
        for (source,), part in own.group_by("source", maintain_order=True)
    }
    times = {
        (shoe, n): (ms, name)
        for shoe, n, ms, name in cards.filter(table=table.id)
        .select("shoe", "n", pl.col("true_time").dt.timestamp("ms"), "round")
        .rows()
    }
    columns = lines.columns
    draws = np.flatnonzero((columns.type == TYPE_OF["draw"]) & (columns.source == SHOE))
    names = [lines.words[word] for word in columns.text("shoe")[draws].tolist()]
    found = [times[key] for key in zip(names, columns.number("n")[draws].tolist(), strict=True)]
    return TrueDay(plan, table, lines, pieces, np.array([ms for ms, _ in found], np.int64), [name for _, name in found])
