"""Device clocks piece by piece, against the terminal's clock."""

from datetime import date
from itertools import groupby
from typing import Any, Final

import pyarrow as pa

from dashboards.lake.pinned import Pinned
from dashboards.rates.span import Span

IN_SPAN: Final = 'gaming_day BETWEEN $first AND $last AND ($table::VARCHAR IS NULL OR "table" = $table)'
WIDEST_OFFSET_MS: Final = 30_000  # clocks may differ by that much
WIDEST_UNCERTAINTY_MS: Final = 2_000  # and their offsets may be unsure by that much
_STEP_MS: Final = 1_000  # a jump this far beyond the uncertainty of both offsets is a step

# Every piece with the step before it, in ms; null where the clock ran on evenly.
PIECES: Final = f"""
WITH jumps AS (
    SELECT *, uncertainty_ms + lag(uncertainty_ms) OVER clock AS unsure_ms, offset_ms - lag(
        offset_ms + drift_ppm * 1e-6 * date_diff('millisecond', "from", until)
    ) OVER clock AS jump_ms
    FROM clocks WHERE {IN_SPAN} AND source = $kind
    WINDOW clock AS (PARTITION BY gaming_day, "table", device ORDER BY piece)
), pieces AS (
    SELECT * EXCLUDE (jump_ms, unsure_ms),
        CASE WHEN abs(jump_ms) > {_STEP_MS} + unsure_ms THEN round(jump_ms)::BIGINT END AS step_ms
    FROM jumps
)
"""
_SHOWN: Final = f"""{PIECES}
SELECT gaming_day, "table", device, piece, "from", until, from_seq, until_seq, offset_ms, step_ms, drift_ppm,
    uncertainty_ms, kept, broken, sure, note
FROM pieces ORDER BY gaming_day DESC, "table", device NULLS FIRST, piece
"""


class ClockPieces:
    """The pieces of the clocks of one kind of device at a table, the newest day first."""

    def __init__(self, lake: Pinned, span: Span, kind: str, table: str) -> None:
        self._scope = lake.every_day()
        self._params = {**span.params, "kind": kind, "table": table}

    def by_clock(self) -> list[tuple[date, str | None, list[dict[str, Any]]]]:
        """List the pieces of each clock, by gaming day and device."""
        rows = self._scope.rows(_SHOWN, **self._params)
        grouped = groupby(rows, key=lambda row: (row["gaming_day"], row["device"]))
        return [(day, device, list(pieces)) for (day, device), pieces in grouped]

    def table(self) -> pa.Table:
        """Return the pieces for a file."""
        return self._scope.table(_SHOWN, **self._params)
