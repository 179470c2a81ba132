"""A round judged again, with every step, from the events that a snapshot has of its table's day."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import polars as pl

from replay import ops
from replay.audit import Audit, Reporter
from replay.audit import judge as judge_table
from replay.carry import NOTHING, Carry
from replay.tape import I64, Encoded, encode
from warehouse import carry
from warehouse.rounds.place import Place
from warehouse.rounds.timeline import events, in_order

# A card that only the camera saw has neither an ordinal nor, where it could not be read, a face.
_STAND_IN: Final = {"n": 1, "card": "AS"}


@dataclass(frozen=True)
class Retold:
    """The audit of a table's day up to the end of a round, and the lines that its events come from."""

    audit: Audit
    lines: pl.DataFrame  # of ``events``, in the order in which they happened
    line_of: list[int]  # by event: its row in ``lines``, -1 for a card that only the camera saw

    def line(self, event: int) -> dict[str, Any] | None:
        """The line behind an event."""
        row = self.line_of[event]
        return None if row < 0 else self.lines.row(row, named=True)


def retell(place: Place) -> Retold:
    """Judge the round's table again, up to the end of the round, with every step."""
    ordered = _until(place, in_order(place.rows("events")))
    rounds = place.rows("rounds", lambda frame: frame.select("round_id", "round", "evidence"))
    seen = place.rows(
        "cards", lambda frame: frame.filter(pl.col("source") == "camera", pl.col("round_id").is_not_null())
    )
    kept, told, line_of = _with_camera(ordered, seen)
    encoded = _encoded(told)
    judged = judge_table(
        place.floor,
        place.floor.table(place.table, place.day),
        encoded,
        _before(place),
        _context(encoded.rounds, rounds, seen),
        trace=True,
    )
    reporter = Reporter(judged.table, judged.encoded)
    settled = tuple(reporter.settlement(line) for line in judged.verdicts.settlements)
    audit = Audit(**vars(judged), settlements=settled, findings=tuple(reporter.findings(judged)))
    return Retold(audit, kept, line_of)


def _until(place: Place, ordered: pl.DataFrame) -> pl.DataFrame:
    """The events up to the round's last; what came later says nothing of it."""
    own = ordered.with_row_index("_row").filter(pl.col("round_id") == place.round_id)["_row"]
    return ordered.head(int(own[-1]) + 1) if len(own) else ordered


def _with_camera(ordered: pl.DataFrame, seen: pl.DataFrame) -> tuple[pl.DataFrame, list[dict[str, Any]], list[int]]:
    """Lines, events and the line of each, with the camera's cards in rounds whose cards only the camera tells."""
    if seen.is_empty():
        return ordered, events(ordered), list(range(len(ordered)))
    replaced = (pl.col("type") == "draw") & pl.col("round_id").is_in(seen["round_id"].unique().to_list())
    kept = ordered.filter(~replaced.fill_null(False))
    last = kept["_ms"].cum_max().to_numpy()
    told, line_of = events(kept), list(range(len(kept)))
    for row in reversed(seen.sort("ts", maintain_order=True).to_dicts()):
        time = row["ts"]
        at = int(np.searchsorted(last, int(time.timestamp() * 1000), "right"))
        if at == len(told):  # after what is told
            continue
        card = {"card": row["card"]} if row["card"] else {}
        told.insert(at, {"source": "camera", "type": "draw", "ts": time.isoformat(timespec="milliseconds"), **card})
        line_of.insert(at, -1)
    return kept, told, line_of


def _encoded(told: list[dict[str, Any]]) -> Encoded:
    """The tapes of events; a camera's card stands on them without an ordinal."""
    by_camera = np.array([event["source"] == "camera" for event in told], np.bool_)
    if not by_camera.any():
        return encode(told)
    stand_ins = ({**event, **_STAND_IN, "card": event.get("card", _STAND_IN["card"])} for event in told)
    encoded = encode(more if camera else plain for plain, more, camera in zip(told, stand_ins, by_camera, strict=True))
    unread = np.array(["card" not in event and camera for event, camera in zip(told, by_camera, strict=True)], np.bool_)
    for tape, source in ((encoded.tape, encoded.source), (encoded.table, encoded.table_source)):
        tape.aux[by_camera[source]] = 0
        tape.card[unread[source]] = 0
    encoded.events = list(told)
    return encoded


def _context(names: list[str], rounds: pl.DataFrame, seen: pl.DataFrame) -> I64:
    """What the engine has to know of each round: that no source tells its cards."""
    unknown = rounds.filter(
        ~pl.col("evidence").str.contains("shoe"), ~pl.col("round_id").is_in(seen["round_id"].unique().to_list())
    )
    untold = set(unknown["round"].to_list())
    return np.array([ops.NO_SHOE if name in untold else 0 for name in names], np.int64)


def _before(place: Place) -> Carry:
    """The state that the day began with."""
    earlier = [each for each in place.snapshot.days if each < place.day]
    if not earlier:
        return NOTHING
    return carry.from_frame(place.lake.scan("carry", place.snapshot, [max(earlier)]).collect())
