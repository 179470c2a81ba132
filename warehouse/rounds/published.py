"""Verdicts of rounds that had to be inferred, as they were published."""

from collections import defaultdict
from typing import Any

import numpy as np
import polars as pl

from replay.audit import Judged, Reporter
from replay.doubt import keep_certain
from replay.engine import layout as L
from warehouse.rounds.order import StoredLines
from warehouse.rounds.place import Place

_FINDING = ("code", "seat", "bettor", "kind", "hand")
_WAGER = ("seat", "bettor", "for_bettor", "kind", "hand")


def as_published(judged: Judged, place: Place, lines: StoredLines) -> Judged:
    """Drop findings that were not published as certain, and leave wagers open that were published as undetermined."""
    inferred = place.rows("stories", lambda frame: frame.select("round_id").unique())["round_id"].to_list()
    if not inferred:
        return judged
    numbers = [judged.encoded.rounds.index(round_id.split("/", 2)[2]) for round_id in inferred]
    reporter = Reporter(judged.table, judged.encoded)
    found, settled = judged.verdicts.findings, judged.verdicts.settlements
    certainty, is_open = np.ones(len(found)), np.zeros(len(settled), np.bool_)
    stored = _stored(place, "findings", inferred, (*_FINDING, "event_path", "event_line"))
    for n in np.flatnonzero(np.isin(found[:, L.F_ROUND], numbers)).tolist():
        finding = reporter.finding(found[n])
        line = lines.rows.row(int(lines.order[finding.event or 0]), named=True)
        key = (finding.round, *(getattr(finding, name) for name in _FINDING), line["path"], line["line"])
        certainty[n] = stored[key].pop(0)["certainty"] if stored[key] else 0.0
    stored = _stored(place, "settlements", inferred, _WAGER)
    for n in np.flatnonzero(np.isin(settled[:, L.S_ROUND], numbers)).tolist():
        wager = reporter.settlement(settled[n])
        rows = stored[wager.round, *(getattr(wager, name) for name in _WAGER)]
        is_open[n] = bool(rows) and _is_open(rows.pop(0))
    return keep_certain(judged, certainty, is_open)


def _stored(
    place: Place, dataset: str, rounds: list[str], names: tuple[str, ...]
) -> defaultdict[tuple[Any, ...], list[dict[str, Any]]]:
    """Read the rows of rounds by name of the round and some of their columns."""
    rows: defaultdict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in place.rows(dataset, lambda frame: frame.filter(pl.col("round_id").is_in(rounds))).to_dicts():
        rows[row["round_id"].split("/", 2)[2], *(row[name] for name in names)].append(row)
    return rows


def _is_open(row: dict[str, Any]) -> bool:
    """Tell whether a settlement was left open; what the engine itself cannot determine may keep a clause."""
    return row["verdict"] == "undetermined" and row["clause"] is None and row["odds"] is None
