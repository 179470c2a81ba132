"""Evidence gone wrong: lines lost or repeated, a silent table, a clock far off, a camera that saw something else.

These are done to what a table's day leaves behind, when all else is planted and settled. ``FILE_ACTS`` lists them: each
takes the material of a day and says whether it suited; what was planted is in the material's ``truth``.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl

from replay.simulator import camera, landing
from replay.simulator.clocks import TableClocks
from replay.simulator.log import Log, Names
from replay.simulator.plant.base import Truth
from replay.tape import I64, U8

_SKEW_MS: Final = (35_000, 180_000)  # beyond what is tolerated, drifts included
# Lines whose loss changes no verdict: offers are optional, and a spin shows in its prize.
_DISPENSABLE: Final = re.compile(
    rb'"type":"offer","round":"(\d+)"|"type":"progressive","round":"(\d+)","system":"bonus-spin","action":"spin"'
)
_LAST_DIGIT: Final = re.compile(rb'("ts":"[^"]*\.\d\d)(\d)')
_HAND: Final = re.compile(r"seat(\d+)\.hand(\d+)")
_ALIKE: Final = ("A4", "23", "58", "69", "7A", "QK", "JK", "QJ", "38", "56")  # ranks that are taken for each other


@dataclass
class Material:
    """The material of a table's day: its log, to be written as files, and the places of its cards, if a camera saw."""

    day: date
    log: Log
    names: Names
    clocks: TableClocks
    form: landing.Form = landing.PLAIN
    used: frozenset[int] = frozenset()  # rounds with something planted in them
    placed: pl.DataFrame | None = None  # see ``camera.placements``
    is_filmed: bool = False  # the camera films: what it saw is to be read from its footage
    camera: str = ""
    seed: str = ""  # of what the camera makes of it
    truth: list[Truth] = field(default_factory=list)
    is_silent: bool = False
    lost: dict[str, set[int]] = field(default_factory=dict)  # lines by source, from 0
    again: dict[str, dict[int, bool]] = field(default_factory=dict)  # lines that come twice; True: with other bytes

    def write(self, out: Path) -> list[Path]:
        """The landing files."""
        if self.is_silent:
            return []
        folder = out / self.day.isoformat() / self.names.table
        folder.mkdir(parents=True, exist_ok=True)
        return [
            path
            for source in self.sources()
            for path in landing.save_parts(folder, source, list(self._parts(source)), self.form)
        ]

    def has_camera(self) -> bool:
        return self.placed is not None and not self.placed.is_empty()

    def sources(self) -> list[str]:
        """List the devices that leave lines."""
        return [*landing.SOURCES, *([camera.CAMERA] if self.has_camera() and not self.is_filmed else [])]

    def lines(self, source: str) -> U8:
        """A source's lines with nothing lost and nothing repeated."""
        if source != camera.CAMERA:
            return landing.source_lines(self.log, self.names, self.clocks, source)
        return np.frombuffer(self.seen().write_ndjson().encode(), np.uint8)

    def logged(self, source: str) -> tuple[I64, I64]:
        """Return when a source logged its lines, in true time, and in which round; 0 between rounds."""
        if source != camera.CAMERA:
            own = landing.has_line(self.log, source)
            return self.log.ms[own], self.log.round[own].astype(np.int64)
        assert self.placed is not None
        seen = camera.reported(self.placed, Random(self.seed))
        return seen["seen_ms"].to_numpy(), seen["round"].to_numpy()

    def seen(self, placed: pl.DataFrame | None = None) -> pl.DataFrame:
        """Return the camera's reports; the same for the same cards."""
        shown = self.placed if placed is None else placed
        assert shown is not None
        return camera.sightings(shown, self.names.table, self.camera, self.clocks, Random(self.seed))

    def path(self, source: str, part: int = 0) -> str:
        if source == camera.CAMERA and self.is_filmed:
            return f"{self.day.isoformat()}/{self.names.table}/{camera.FOOTAGE}.mp4"
        return f"{self.day.isoformat()}/{self.names.table}/{landing.file_name(source, part, self.form)}"

    def found(
        self, code: str, path: str | None = None, number: int | None = None, seat: int | None = None, hand: int = 0
    ) -> bool:
        """Note a finding that an audit has to make now: about a file, or about a card of a round."""
        self.truth.append(Truth(code, number, None, seat, None, None, hand or None, 0, "", None, path))
        return True

    def _parts(self, source: str) -> Iterator[U8]:
        """A source's files; what is lost or repeated is so within its file."""
        lost, again = self.lost.get(source, set()), self.again.get(source, {})
        number = 0
        for part in landing.split(self.lines(source), self.form.parts):
            if not lost and not again:
                yield part
                continue
            kept: list[bytes] = []
            for line in part.tobytes().splitlines(keepends=True):
                if number not in lost:
                    kept.append(line)
                if number in again:
                    kept.append(_restamped(line) if again[number] else line)
                number += 1
            yield np.frombuffer(b"".join(kept), np.uint8)


def _restamped(line: bytes) -> bytes:
    """Return a line with its timestamp changed by a few milliseconds."""
    return _LAST_DIGIT.sub(lambda found: found[1] + str((int(found[2]) + 3) % 10).encode(), line, count=1)


class FileAct(NamedTuple):
    """A way to spoil evidence."""

    code: str
    weight: float  # how often, among all that goes wrong on a floor
    apply: Callable[[Material, Random], bool]


def _lines_by_part(material: Material, source: str) -> list[list[bytes]]:
    parts = landing.split(material.lines(source), material.form.parts)
    return [part.tobytes().splitlines(keepends=True) for part in parts]


def _is_free(material: Material, code: str) -> bool:
    """Tell whether a day can have something of a code planted: one of each, and none at a silent table."""
    return not material.is_silent and all(truth.code != code for truth in material.truth)


# Lines.


def lose_lines(material: Material, rng: Random) -> bool:
    """The terminal loses a line or two, in the middle of a file, that no verdict rests on."""
    source, code = landing.TERMINAL, "evidence.sequence-gap"
    if not _is_free(material, code):
        return False
    parts = _lines_by_part(material, source)
    firsts = [0, *accumulate(len(part) for part in parts)]
    fit = [
        (number, at)
        for number, part in enumerate(parts)
        for at, line in enumerate(part[:-1])
        if at and _is_dispensable(material, line)
    ]
    if not fit:
        return False
    number, at = rng.choice(fit)
    gone = [at, at + 1] if (number, at + 1) in fit and rng.random() < 0.5 else [at]
    lost = {firsts[number] + each for each in gone}
    if lost & material.again.get(source, {}).keys():
        return False
    material.lost[source] = lost
    return material.found(code, material.path(source, number))


def _is_dispensable(material: Material, line: bytes) -> bool:
    found = _DISPENSABLE.search(line)
    return found is not None and int(found[1] or found[2]) not in material.used


def repeat_line(material: Material, rng: Random) -> bool:
    """A line comes twice in its file; mostly the very same, at times stamped again."""
    code, source = "evidence.duplicate", rng.choice(material.sources())
    if not _is_free(material, code):
        return False
    parts = _lines_by_part(material, source)
    filled = [number for number, part in enumerate(parts) if part]
    if not filled:
        return False
    number = rng.choice(filled)
    line = sum(len(part) for part in parts[:number]) + rng.randrange(len(parts[number]))
    if line in material.lost.get(source, ()):
        return False
    material.again[source] = {line: rng.random() < 0.25}
    return material.found(code, material.path(source, number))


# Whole sources.


def fall_silent(material: Material, _: Random) -> bool:
    """Drop all lines of a table's day, unless the day has other findings."""
    if material.is_silent or material.used or material.truth:
        return False
    material.is_silent = True
    return material.found("evidence.source-missing")


def skew_clock(material: Material, rng: Random) -> bool:
    """The clock of the shoe, or of the camera, is off by more than clocks may be."""
    code, clocks = "evidence.clock-skew", material.clocks
    if not _is_free(material, code):
        return False
    source = rng.choice([landing.SHOE, *([camera.CAMERA] if material.has_camera() else [])])
    off = rng.randint(*_SKEW_MS)
    if source == landing.SHOE:
        offset = clocks.terminal.offset_ms + rng.choice((-off, off))
        material.clocks = clocks._replace(shoe=clocks.shoe._replace(offset_ms=offset))
    else:
        known = clocks.terminal.offset_ms, clocks.shoe.offset_ms
        offset = rng.choice((min(known) - off, max(known) + off))
        material.clocks = clocks._replace(camera=clocks.camera._replace(offset_ms=offset))
    return material.found(code, material.path(source))


# What the camera saw.


def _box() -> pl.Expr:
    """The box that a zone belongs to, null for the dealer's and the like."""
    return pl.col("zone").str.extract(r"^seat(\d+)\.").cast(pl.Int64)


def _lying(material: Material) -> pl.DataFrame:
    """Cards that lie face up all the time, in rounds where nothing else is planted: a row for each place."""
    assert material.placed is not None
    taken = sorted({*material.used, *(truth.round for truth in material.truth if truth.round)})
    is_last = pl.col("order") == pl.col("order").max().over("round", "zone")
    placed = material.placed.with_row_index("row").with_columns(
        is_last=is_last, box=_box(), boxes=_box().drop_nulls().n_unique().over("round")
    )
    placed = placed.filter(pl.col("round") > 0, ~pl.col("round").is_in(taken))
    return placed.filter((pl.col("face") == "up").all().over("shoe", "n"))


def _drawn(material: Material) -> pl.DataFrame:
    """... those that were drawn to a hand after the deal, and stayed there."""
    lying = _lying(material).filter(pl.len().over("shoe", "n") == 1)
    return lying.filter(pl.col("order") > 2, pl.col("zone").str.starts_with("seat"))


def _sees(material: Material, code: str) -> bool:
    return material.has_camera() and _is_free(material, code)


def _changed(placed: pl.DataFrame, rows: list[int], **values: str | int | bool) -> pl.DataFrame:
    """The cards with some of them lying otherwise."""
    chosen = pl.int_range(pl.len()).is_in(rows)
    return placed.with_columns(
        pl.when(chosen).then(pl.lit(value, placed.schema[name])).otherwise(name).alias(name)
        for name, value in values.items()
    )


def _planted(material: Material, code: str, card: dict[str, Any], placed: pl.DataFrame) -> bool:
    """Take a change over, if the camera is sure enough of the card to show it."""
    if not material.is_filmed and material.seen(placed).equals(material.seen()):
        return False
    material.placed = placed
    found = _HAND.fullmatch(card["zone"])
    seat, hand = (int(found[1]), int(found[2])) if found else (None, 0)
    return material.found(code, number=card["round"], seat=seat, hand=hand)


def see_another_card(material: Material, rng: Random) -> bool:
    """The camera takes a card for one that looks like it."""
    code = "evidence.card-disagreement"
    lying = _lying(material) if _sees(material, code) else pl.DataFrame()
    if material.placed is None or lying.is_empty():
        return False
    card = lying.row(rng.randrange(len(lying)), named=True)
    rows = lying.filter(pl.col("shoe") == card["shoe"], pl.col("n") == card["n"])
    placed = _changed(material.placed, rows["row"].to_list(), card=_alike(card["card"], rng))
    return _planted(material, code, rows.row(0, named=True), placed)


def _alike(card: str, rng: Random) -> str:
    """A card that is easily taken for another: of a rank that looks like it, or of the other suit of its colour."""
    rank, suit = card[0], card[1]
    ranks = [pair.replace(rank, "") for pair in _ALIKE if rank in pair]
    if not ranks or rng.random() < 0.4:
        return rank + {"S": "C", "C": "S", "H": "D", "D": "H"}[suit]
    return rng.choice(ranks) + suit


def see_another_zone(material: Material, rng: Random) -> bool:
    """The camera has a hand's last card lying in another box."""
    code = "evidence.zone-disagreement"
    drawn = _drawn(material) if _sees(material, code) else pl.DataFrame()
    if material.placed is None or drawn.is_empty():
        return False
    drawn = drawn.filter("is_last", pl.col("boxes") > 1)
    if drawn.is_empty():
        return False
    card = drawn.row(rng.randrange(len(drawn)), named=True)
    around = material.placed.filter(pl.col("round") == card["round"], _box() != card["box"])
    last = around.group_by("zone").agg(pl.col("order").max()).sort("zone")
    zone, order = last.row(rng.randrange(len(last)))
    placed = _changed(material.placed, [card["row"]], zone=zone, order=order + 1)
    return _planted(material, code, card, placed)


def see_another_way(material: Material, rng: Random) -> bool:
    """The camera has a drawn card lying straight after a double, or sideways without one."""
    code = "evidence.sideways-disagreement"
    drawn = _drawn(material) if _sees(material, code) else pl.DataFrame()
    if material.placed is None or drawn.is_empty():
        return False
    doubled = drawn.filter("sideways")
    fit = doubled if len(doubled) and rng.random() < 0.5 else drawn
    card = fit.row(rng.randrange(len(fit)), named=True)
    placed = _changed(material.placed, [card["row"]], sideways=not card["sideways"])
    return _planted(material, code, card, placed)


FILE_ACTS: Final[dict[str, FileAct]] = {
    act.code: act
    for act in (
        FileAct("evidence.sequence-gap", 1.0, lose_lines),
        FileAct("evidence.duplicate", 1.0, repeat_line),
        FileAct("evidence.source-missing", 0.05, fall_silent),
        FileAct("evidence.clock-skew", 0.2, skew_clock),
        FileAct("evidence.card-disagreement", 0.5, see_another_card),
        FileAct("evidence.zone-disagreement", 0.3, see_another_zone),
        FileAct("evidence.sideways-disagreement", 0.3, see_another_way),
    )
}
