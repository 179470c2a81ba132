"""Verdicts of a table's day as they were published, and those of a story as it was weighed."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from replay.audit import Judged, Reporter
from replay.doubt import keep_certain
from replay.engine import layout as L
from warehouse.rounds.order import StoredLines
from warehouse.rounds.place import Place

_WAGER: Final = ("seat", "bettor", "for_bettor", "kind", "hand")
_DAY_LONG: Final = "progressive.meter-drift"  # which no story is weighed by

Key = tuple[Any, ...]


def as_published(judged: Judged, place: Place, lines: StoredLines) -> Judged:
    """Leave findings unsaid that were not published, and wagers open that were published as undetermined."""
    reporter = Reporter(judged.table, judged.encoded)
    around, found, settled = len(judged.around), len(judged.verdicts.findings), judged.verdicts.settlements
    stored: dict[str, float] = dict(place.rows("findings").select("finding_id", "certainty").iter_rows())
    made = reporter.findings(judged, place.day)
    first = len(made) - len(judged.drifts) - found
    certainty = [stored.get(finding.id, 0.0) for finding in made]
    opened = _stored(place, "settlements", _WAGER)
    is_open = []
    for wager in map(reporter.settlement, settled):
        rows = opened[wager.round, *(getattr(wager, name) for name in _WAGER)]
        is_open.append(bool(rows) and _is_open(rows.pop(0)))
    said_around = np.array(certainty[first - around : first]) > 0
    told = place.rows("stories").filter(rank=1).select("round_id", "also").iter_rows()
    also = {round_id.split("/", 2)[2]: text for round_id, text in told}
    share = np.array(certainty[first : first + found])
    return keep_certain(judged, share, np.array(is_open, np.bool_), said_around, also)


def as_weighed(judged: Judged, name: str, story: Mapping[str, Any]) -> Judged:
    """Drop findings that a story was not weighed by, such as those that rest on a clock it takes for unknown.

    A story that says nothing of the cards leaves all wagers open: its variance is not that of the replay.
    """
    number, reporter = judged.encoded.rounds.index(name), Reporter(judged.table, judged.encoded)
    found, settled = judged.verdicts.findings, judged.verdicts.settlements
    codes = {*story["leaves_codes"], _DAY_LONG}
    certainty = [float(line[L.F_ROUND] != number or reporter.finding(line).code in codes) for line in found]
    own = settled[:, L.S_ROUND] == number
    says_nothing = int(settled[own, L.S_VARIANCE].sum()) != story["variance_cents"]
    return keep_certain(judged, np.array(certainty), own & says_nothing)


def _stored(place: Place, dataset: str, names: tuple[str, ...]) -> defaultdict[Key, list[dict[str, Any]]]:
    """Read rows by the name of their round and some of their columns."""
    rows: defaultdict[Key, list[dict[str, Any]]] = defaultdict(list)
    for row in place.rows(dataset).to_dicts():
        if row["round_id"] is not None:
            rows[row["round_id"].split("/", 2)[2], *(row[name] for name in names)].append(row)
    return rows


def _is_open(row: dict[str, Any]) -> bool:
    """Tell whether a settlement was left open; what the engine itself cannot determine may keep a clause."""
    return row["verdict"] == "undetermined" and row["clause"] is None and row["odds"] is None
