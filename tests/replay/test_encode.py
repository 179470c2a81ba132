"""Tapes made from columns are those that the events give one by one."""

import ast
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from pipelines.ingest.read import read_file
from pipelines.ingest.table_day import Landed, gather
from replay import tape
from replay.columns import CAMERA, TYPES_OF, Lines
from replay.encode import encode, encode_events
from tests.pipelines.zones import made
from tests.replay import zone_reader

ROOT = Path(__file__).parents[2]


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
        found, wanted = encode(lines, order.astype(np.int64), ms), encode_events(events)
        for name in ("rounds", "patrons", "shoes", "sets", "dealers"):
            assert getattr(found, name) == getattr(wanted, name), name
        np.testing.assert_array_equal(found.offsets, wanted.offsets)
        for which in ("tape", "table"):
            for column, ours, theirs in zip(tape.COLUMNS, getattr(found, which), getattr(wanted, which), strict=True):
                np.testing.assert_array_equal(ours, theirs, f"{which}.{column}")
                assert ours.dtype == theirs.dtype
        seen += len(found.rounds)
    assert seen == 400


@pytest.mark.parametrize("card", [None, 1, 2])
def test_the_missed_card_of_a_ruling_is_on_the_tape(card: int | None) -> None:
    event = {"table": "T1", "seq": 1, "ts": "2026-01-06T00:21:49Z", "type": "irregularity", "round": "7", "seat": 3}
    event |= {"code": "deal.player-one-card", "ruling": "continue"} | ({} if card is None else {"card": card})
    file = io.BytesIO()
    pl.DataFrame([event]).write_parquet(file)
    for data, name in ((json.dumps(event).encode(), "terminal.ndjson"), (file.getvalue(), "terminal.parquet")):
        read = read_file(data, name, "terminal", "T1", {"T1"})
        lines = Lines(read.columns, read.words)
        found = encode(lines, np.zeros(1, np.int64), lines.columns.number("ts"))
        assert found.tape.card.tolist() == encode_events([event]).tape.card.tolist() == [card or 0]


def test_tapes_come_about_in_one_place() -> None:
    """Stored lines, landing files and the notation share one way to the tape; tests of the pages replay all of it."""
    makers, from_lines, from_events = set(), set(), set()
    for room in ("replay", "pipelines", "warehouse", "dashboards"):
        for path in (ROOT / room).rglob("*.py"):
            name = path.relative_to(ROOT).as_posix()
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Encoded":
                    makers.add(name)
                if isinstance(node, ast.ImportFrom) and node.module == "replay.encode":
                    imported = {alias.name for alias in node.names}
                    from_lines |= {name} if "encode" in imported else set()
                    from_events |= {name} if "encode_events" in imported else set()
    assert makers == {"replay/encode.py"}
    assert from_events == {"replay/audit.py", "replay/settling.py"}  # what people write
    run, stories, pages = "pipelines/stories/step.py", "pipelines/stories/replayed.py", "warehouse/rounds/judge.py"
    assert from_lines == {run, stories, pages, "dashboards/rounds/warm.py"}


def _keys(lines: Lines) -> Iterator[tuple[str, int]]:
    columns = lines.columns
    assert not (columns.source == CAMERA).any()
    for source, seq in zip(columns.source.tolist(), columns.number("seq").tolist(), strict=True):
        yield ("terminal", "shoe")[source], seq


def _key(event: dict[str, Any]) -> tuple[str, int]:
    return ("shoe" if event["type"] in TYPES_OF["shoe"] else "terminal"), event["seq"]
