"""Figures of devices over a range of days: terminals, shoes, shufflers, card readers and cameras, by table."""

from typing import Any, Final, NamedTuple

import pyarrow as pa

from dashboards.devices.clocks import IN_SPAN, PIECES
from dashboards.lake.pinned import Pinned
from dashboards.rates.span import Span
from dashboards.rates.wilson import rate


class DeviceKind(NamedTuple):
    """A kind of device: its errors, the events they are a share of, and the query that counts both by table."""

    label: str
    errors: str
    of: str
    query: str


_LINES: Final = f"""
SELECT {{key}}, sum(quarantined)::BIGINT AS errors, sum(lines)::BIGINT AS of
FROM files WHERE {IN_SPAN} AND source = '{{source}}' AND lines IS NOT NULL GROUP BY {{key}}
"""
KINDS: Final = {
    "terminal": DeviceKind("Terminals", "lines quarantined", "lines", _LINES.replace("{source}", "terminal")),
    "shoe": DeviceKind(
        "Shoes",
        "cards not read",
        "cards drawn",
        f"""
        SELECT {{key}}, count(*) FILTER (type = 'draw' AND card IS NULL) AS errors,
            count(*) FILTER (type = 'draw') AS of
        FROM events WHERE {IN_SPAN} AND source = 'shoe' AND type IN ('draw', 'shoe_loaded') GROUP BY {{key}}
        """,
    ),
    "shuffler": DeviceKind(
        "Shufflers",
        "faults",
        "shoes shuffled by machine",
        f"""
        SELECT {{key}}, count(*) FILTER (type = 'fault') AS errors, count(*) FILTER (type = 'shoe_loaded') AS of
        FROM events WHERE {IN_SPAN} AND source = 'shoe'
            AND (type = 'shoe_loaded' AND shuffle = 'machine' OR type = 'fault' AND device = 'shuffler')
        GROUP BY {{key}}
        """,
    ),
    "reader": DeviceKind(
        "Card readers",
        "checks that failed",
        "hole card checks",
        f"""
        SELECT {{key}}, count(*) FILTER (result = 'fault') AS errors, count(*) AS of
        FROM events WHERE {IN_SPAN} AND source = 'shoe' AND type = 'hole_card_check' GROUP BY {{key}}
        """,
    ),
    "camera": DeviceKind(
        "Cameras",
        "cards seen otherwise than drawn",
        "cards seen and drawn",
        f"""
        SELECT {{key}}, count(*) FILTER (seen_card <> card) AS errors, count(*) AS of
        FROM cards WHERE {IN_SPAN} AND seen_card IS NOT NULL AND card IS NOT NULL AND source = 'shoe' GROUP BY {{key}}
        """,
    ),
}
# A fault goes on until it is repaired: each counts once, with how long the device was out.
_FAULTS: Final = f"""
WITH steps AS (
    SELECT *, lead(type) OVER of_device AS next_type, lead(corrected) OVER of_device AS until FROM events
    WHERE {IN_SPAN} AND source = 'shoe' AND type IN ('fault', 'repaired') AND device = $kind
    WINDOW of_device AS (PARTITION BY gaming_day, "table", device ORDER BY corrected, seq)
)
SELECT {{key}}, count(*) AS faults, string_agg(DISTINCT kind, ', ' ORDER BY kind) AS fault_kinds,
    count(*) FILTER (next_type IS DISTINCT FROM 'repaired') AS unrepaired,
    sum(date_diff('second', corrected, until)) FILTER (next_type = 'repaired') / 60 AS minutes_out
FROM steps WHERE type = 'fault' GROUP BY {{key}}
"""
_GAPS: Final = f"""
SELECT {{key}},
    count(*) FILTER (code = 'evidence.sequence-gap') AS gaps,
    count(*) FILTER (code = 'evidence.duplicate') AS repeats,
    count(*) FILTER (code = 'evidence.source-missing') AS missing
FROM findings
WHERE {IN_SPAN} AND code IN ('evidence.sequence-gap', 'evidence.duplicate', 'evidence.source-missing')
    AND (regexp_matches(path, '/' || $kind || '[^/]*$') OR path IS NULL AND contains(message, $kind))
GROUP BY {{key}}
"""
_CLOCKS: Final = f"""{PIECES}
SELECT {{key}}, arg_max(offset_ms, (gaming_day, until)) AS offset_ms, min(offset_ms) AS offset_low_ms,
    max(offset_ms) AS offset_high_ms, arg_max(drift_ppm, abs(drift_ppm)) AS drift_ppm,
    max(uncertainty_ms) AS uncertainty_ms, count(step_ms) AS steps, sum(kept)::BIGINT AS bounds_kept,
    sum(broken)::BIGINT AS bounds_broken, count(*) FILTER (NOT sure) AS unsure,
    string_agg(DISTINCT note, '; ') AS notes, count(DISTINCT coalesce(device, '')) AS clocks
FROM pieces GROUP BY {{key}}
"""
_COUNTS: Final = ("errors", "of", "faults", "unrepaired", "gaps", "repeats", "missing", "steps", "unsure", "clocks")
_CLOCK: Final = (
    *("offset_ms", "offset_low_ms", "offset_high_ms", "drift_ppm", "uncertainty_ms"),
    *("bounds_kept", "bounds_broken", "notes"),
)
# What a device has of which nothing is said.
_NOTHING: Final = {**dict.fromkeys(_COUNTS, 0), **dict.fromkeys(("fault_kinds", "minutes_out", *_CLOCK))}
_FRACTIONS: Final = ("minutes_out", "drift_ppm")
_FIELDS: Final = pa.schema(
    [
        *((name, pa.string()) for name in ("table", "device", "fault_kinds", "notes")),
        *((name, pa.int64()) for name in (*_COUNTS, *_CLOCK) if name not in (*_FRACTIONS, "notes")),
        *((name, pa.float64()) for name in (*_FRACTIONS, "share", "low", "high")),
    ]
)
_WITH_CLOCK: Final = ("terminal", "shoe", "camera")
_WITH_FAULTS: Final = ("shoe", "shuffler", "reader")


class Devices:
    """The devices of a kind."""

    def __init__(self, lake: Pinned, span: Span, kind: str) -> None:
        self._lake = lake
        self._span = span
        self.kind = kind

    @property
    def has_clock(self) -> bool:
        """Return whether the device has its own clock, measured against the terminal's."""
        return self.kind in _WITH_CLOCK

    @property
    def has_faults(self) -> bool:
        """Return whether faults of this kind of device are logged."""
        return self.kind in _WITH_FAULTS

    def rows(self, table: str | None = None) -> list[dict[str, Any]]:
        """By table; of one table, by day."""
        names = ("table",) if table is None else ("gaming_day", "table")
        key = '"table"' if table is None else 'gaming_day, "table"'
        found: dict[tuple[Any, ...], dict[str, Any]] = {}
        for query in self._queries():
            params = {**self._span.params, "table": table} | ({"kind": self.kind} if "$kind" in query else {})
            for row in self._lake.every_day().rows(query.format(key=key), **params):
                place = tuple(row[name] for name in names)
                found.setdefault(place, dict(_NOTHING)).update(row)
        return [row for _, row in sorted(found.items())]

    def table(self, table: str | None = None) -> pa.Table:
        """The rows for a file, with their intervals."""
        fields = _FIELDS if table is None else _FIELDS.insert(0, pa.field("gaming_day", pa.date32()))
        return pa.Table.from_pylist([_with_interval(self.kind, row) for row in self.rows(table)], fields)

    def _queries(self) -> list[str]:
        queries = [KINDS[self.kind].query]
        if self.has_clock:
            queries += [_CLOCKS, _GAPS]
        if self.has_faults:
            queries.append(_FAULTS)
        return queries


def _with_interval(kind: str, row: dict[str, Any]) -> dict[str, Any]:
    found = rate(min(row["errors"], row["of"]), row["of"])
    days = {"gaming_day": row["gaming_day"]} if "gaming_day" in row else {}
    told = {name: row[name] for name in _NOTHING}
    return {
        **days,
        "table": row["table"],
        "device": kind,
        **told,
        "share": found.share,
        "low": found.low,
        "high": found.high,
    }
