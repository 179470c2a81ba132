"""Tapes made from columns are those that the events give one by one."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipelines.ingest.read import read_file
from pipelines.ingest.table_day import Landed, gather
from replay import tape
from replay.columns import CAMERA, TYPES_OF, Lines
from replay.encode import encode
from tests.pipelines.zones import made
from tests.replay import zone_reader


@pytest.fixture(scope="module")
def zone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of all rulebooks in which much goes wrong."""
    return made(tmp_path_factory.mktemp("encode"), tables=10, rounds=40, irregularities=0.6)


def tables(zone: Path) -> Iterator[tuple[Lines, list[dict[str, Any]]]]:
    for day, table in zone_reader.table_days(zone):
        landed = []
        for path in sorted((zone / day.isoformat() / table).glob("*.ndjson")):
            source = path.name.partition(".")[0]
            landed.append(Landed(path.name, path.name, read_file(path.read_bytes(), path.name, source, table, {table})))
        yield gather(landed).lines, zone_reader.events(zone, day, table)


def test_columns_give_the_same_tapes_as_events(zone: Path) -> None:
    seen = 0
    for lines, events in tables(zone):
        place = {_key(event): n for n, event in enumerate(events)}
        order = np.argsort([place[key] for key in _keys(lines)])
        ms = lines.columns.number("ts")
        found, wanted = encode(lines, order.astype(np.int64), ms), tape.encode(events)
        for name in ("rounds", "patrons", "shoes", "sets", "dealers"):
            assert getattr(found, name) == getattr(wanted, name), name
        np.testing.assert_array_equal(found.offsets, wanted.offsets)
        for which in ("tape", "table"):
            for column, ours, theirs in zip(tape.COLUMNS, getattr(found, which), getattr(wanted, which), strict=True):
                np.testing.assert_array_equal(ours, theirs, f"{which}.{column}")
                assert ours.dtype == theirs.dtype
        seen += len(found.rounds)
    assert seen == 400


def _keys(lines: Lines) -> Iterator[tuple[str, int]]:
    columns = lines.columns
    assert not (columns.source == CAMERA).any()
    for source, seq in zip(columns.source.tolist(), columns.number("seq").tolist(), strict=True):
        yield ("terminal", "shoe")[source], seq


def _key(event: dict[str, Any]) -> tuple[str, int]:
    return ("shoe" if event["type"] in TYPES_OF["shoe"] else "terminal"), event["seq"]
