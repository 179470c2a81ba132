"""The step ``reconcile``: the cards of a judged day compared with what the camera saw."""

from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa

from pipelines.judge import arrow as A
from pipelines.judge.day import JudgedDay
from pipelines.judge.ledger import CardLocations
from pipelines.judge.step import JudgedTable
from pipelines.reconcile.compare import compare
from pipelines.reconcile.discrepancies import arguments
from pipelines.reconcile.places import with_doubled, with_first_places
from replay import cards, codes, ops, situations
from replay.columns import ABSENT, I64, SEED_OF, TYPE_OF
from replay.finding import CitedClause, Finding
from replay.ops import ZONES

# Misdeals that a camera shows when the round is long over, with the slot of their clause.
_MISDEALS: Final = {
    "deal.wrong-box": situations.DEAL__WRONG_BOX,
    "deal.unwagered-box": situations.DEAL__UNWAGERED_BOX__LATE,
    "deal.hole-card-exposed": situations.DEAL__HOLE_CARD_EXPOSED,
}
_OF_PLAY: Final = np.array([code.name.startswith("play.") for code in codes.CODES])


class CameraVerdicts(NamedTuple):
    """By card: how the camera read it and where it saw it; and the discrepancies."""

    card: pa.Array
    zone: pa.Array
    findings: list[Finding]


def run(judged: JudgedTable) -> CameraVerdicts:
    """Compare the cards with the sightings."""
    day, placed, round_of = judged.day, judged.cards, judged.round_of
    rows = day.sightings
    if not len(rows):
        return CameraVerdicts(pa.nulls(len(placed.row), pa.string()), pa.nulls(len(placed.row), pa.string()), [])
    drawn = _cards(day, placed)
    acts = _acts(day, round_of)
    drawn = with_doubled(with_first_places(drawn, acts), acts)
    found = compare(drawn, _sightings(day, rows, round_of), _rounds(day))
    findings = [_finding(day, each) for each in found.discrepancies.to_dicts()]
    card, zone = (found.cards[name].to_arrow().cast(pa.string()) for name in ("seen_card", "seen_zone"))
    return CameraVerdicts(card, zone, findings)


def _finding(day: JudgedDay, row: dict[str, Any]) -> Finding:
    """Make a finding of a discrepancy; nobody reported it, or it would not be listed."""
    code, judged = row["code"], day.judged
    clause = handling = None
    if code in _MISDEALS:
        slot = _MISDEALS[code]
        book = judged.table.book
        cited = book.clause_for(slot)
        clause = CitedClause(book.id, book.clauses[cited].id) if cited >= 0 else None
        if judged.rules.prescribes[slot, 0]:
            handling = ops.HANDLINGS[ops.UNREPORTED if judged.rules.report[slot] else ops.NOT_PRESCRIBED]
    return Finding(
        code=code,
        form=row["form"],
        round=row["round"],
        seat=row["seat"],
        hand=row["hand"],
        card=row["n"],
        detail="camera",
        at_ms=row["ms"],
        clause=clause,
        handling=handling,
        said=arguments(row),
    )


def _frame(day: JudgedDay, rows: int, **columns: object) -> pl.DataFrame:
    found = pl.DataFrame(pa.table({"table": A.one(day.table_id, rows), **columns}))
    return found.with_columns(pl.col(pl.Categorical).cast(pl.String))


def _cards(day: JudgedDay, placed: CardLocations) -> pl.DataFrame:
    columns, words = day.lines.columns, day.lines.words
    return _frame(
        day,
        len(placed.row),
        round=A.names(placed.round, day.encoded.rounds, none=-1),
        shoe=A.names(columns.text("shoe")[placed.row], words),
        n=A.numbers(columns.number("n")[placed.row]),
        card=A.names(placed.card, cards.NAMES),
        zone=A.names(placed.zone, ZONES),
        position=A.small(placed.position),
        row=A.numbers(_places(day)[placed.row]),
        ms=A.numbers(day.corrected[placed.row]),
    )


_APART: Final = 1 << 12  # room for the cards that one line asks for


def _places(day: JudgedDay) -> I64:
    """By line, its place in the order of events, wide apart; a card stands behind the line that asked for it.

    A clock that is off by a little may put a card before the double that it was dealt on, or behind the next decision.
    """
    encoded, asked = day.encoded, day.judged.verdicts.asked
    drawn = np.flatnonzero((encoded.tape.op == ops.DRAW) & (asked >= 0))
    ask = encoded.offsets[np.searchsorted(encoded.offsets, drawn, side="right") - 1] + asked[drawn]
    by_ask = np.argsort(ask, kind="stable")
    nth = np.empty(len(ask), np.int64)
    nth[by_ask] = np.arange(len(ask)) - np.searchsorted(ask[by_ask], ask[by_ask])
    place = _APART * day.place
    place[encoded.source[drawn]] = place[encoded.source[ask]] + 1 + nth
    return place


def _acts(day: JudgedDay, round_of: I64) -> pl.DataFrame:
    """Decisions to split and to double, and rulings that refuse a decision."""
    columns, order = day.lines.columns, day.ordered.order
    decided = order[columns.type[order] == TYPE_OF["decision"]]
    action = columns.text("action")[decided]
    splits, doubles = (decided[action == SEED_OF[name]] for name in ("split", "double"))
    refused = _refused(day)
    rows = np.concatenate([splits, doubles, refused])
    act = np.repeat([0, 1, 2], [len(splits), len(doubles), len(refused)])
    hand = columns.number("hand")[rows]
    return _frame(
        day,
        len(rows),
        round=A.names(round_of[rows], day.encoded.rounds, none=-1),
        row=A.numbers(_APART * day.place[rows]),
        seat=A.numbers(columns.number("seat")[rows], pa.int16()),
        hand=A.numbers(np.where((hand == ABSENT) & (act < 2), 1, hand), pa.int16()),
        act=A.names(act, ("split", "double", "refuse"), none=-1),
    )


def _refused(day: JudgedDay) -> I64:
    """Lines that rule out a decision."""
    tape = day.encoded.tape
    ruled = np.flatnonzero((tape.op == ops.IRREGULARITY) & (tape.cents & ops.REFUSE != 0))
    return np.unique(day.encoded.source[ruled[_OF_PLAY[tape.kind[ruled]]]])


def _sightings(day: JudgedDay, rows: I64, round_of: I64) -> pl.DataFrame:
    c, words = day.lines.columns.take(rows), day.lines.words
    return _frame(
        day,
        len(rows),
        round=A.names(round_of[rows], day.encoded.rounds, none=-1),
        seq=A.numbers(c.number("seq")),
        zone=A.names(c.text("zone"), words),
        order=A.numbers(c.number("order"), pa.int16()),
        face=A.names(c.text("face"), words),
        card=A.names(c.text("card"), words),
        sideways=A.truths(c.number("sideways")),
        ms=A.numbers(day.corrected[rows]),
    )


def _rounds(day: JudgedDay) -> pl.DataFrame:
    """Boxes with a main wager, irregularities logged, and when a hole card may be turned, by round."""
    tape, offsets = day.encoded.tape, day.encoded.offsets
    count = len(day.encoded.rounds)
    staked = np.flatnonzero((tape.op == ops.WAGER) & (tape.kind == ops.MAIN))
    logged = np.flatnonzero(tape.op == ops.IRREGULARITY)
    every = np.arange(count)
    of_stake, of_log = (np.searchsorted(offsets, rows, "right") - 1 for rows in (staked, logged))
    names = pa.array([code.name for code in codes.CODES])
    return _frame(
        day,
        count,
        round=pa.array(day.encoded.rounds, pa.string()),
        boxes=A.grouped(pa.array(tape.seat[staked].astype(np.int16)), of_stake, every),
        codes=A.grouped(names.take(pa.array(tape.kind[logged])), of_log, every),
        decided_ms=A.numbers(_decided(day)),
    )


def _decided(day: JudgedDay) -> I64:
    """By round: when a player last decided something; absent where there is no hole card to wait with."""
    encoded = day.encoded
    decided = np.flatnonzero(encoded.tape.op == ops.DECISION)
    if not day.judged.rules.hole_card:
        decided = decided[:0]
    last = np.full(len(encoded.rounds), ABSENT)
    of_decision = np.searchsorted(encoded.offsets, decided, "right") - 1
    np.maximum.at(last, of_decision, day.corrected[encoded.source[decided]])
    return last
