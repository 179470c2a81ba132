"""Small days for a lake."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import polars as pl

from warehouse.lake import Lake, SnapshotMeta, Staged
from warehouse.schemas import DATASETS

MONDAY = date(2026, 1, 5)
TUESDAY = date(2026, 1, 6)
NOON = datetime(2026, 1, 7, 12, tzinfo=UTC)


def carry(day: date, *rows: tuple[str, str, int]) -> pl.DataFrame:
    """Rows of ``carry``: table, key and a number."""
    return DATASETS["carry"].check(
        pl.DataFrame(
            [(day, table, "meter", key, number, 0, 0) for table, key, number in rows],
            schema=DATASETS["carry"].types,
            orient="row",
        )
    )


def cards(day: date, table: str, *faces: str) -> pl.DataFrame:
    """Cards drawn from one shoe, a second apart."""
    start = datetime(day.year, day.month, day.day, 9, tzinfo=UTC)
    known: dict[str, Any] = {"gaming_day": day, "table": table, "shoe": "S1", "face": "down", "source": "shoe"}
    rows = [
        dict.fromkeys(DATASETS["cards"].types)
        | known
        | {"n": n, "place": n, "card": card, "ts": start + timedelta(seconds=n)}
        for n, card in enumerate(faces, 1)
    ]
    return DATASETS["cards"].check(pl.DataFrame(rows, schema=DATASETS["cards"].types))


def stage(lake: Lake, day: date, *frames: tuple[str, pl.DataFrame]) -> Staged:
    """Stage some datasets of a day."""
    stage = lake.stage(day)
    for dataset, frame in frames:
        stage.write(dataset, frame)
    return stage.close()


def meta(inputs: str = "files", hours: int = 0, **other: Any) -> SnapshotMeta:
    """A publication some hours after noon."""
    about = {"run_id": "run", "reason": "new files", "carry_in": "in", "carry_out": "out", "engine_version": "1"}
    return SnapshotMeta(published=NOON + timedelta(hours=hours), inputs=inputs, **(about | other))
