"""Disorder does to finished landing files what it says, and no more."""

import json
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

from replay import ops
from replay.simulator import disorder, landing
from replay.simulator.log import Row, from_rows
from tests.replay.test_landing import DAY, EXACT, NAMES, TYPES, random_row, random_rows
from tests.some import some


def landing_zone(out: Path) -> dict[str, bytes]:
    """Three tables on two days, each closed at the end; returns the files."""
    for table in ("T1", "T2", "T3"):
        for n in range(2):
            rows = random_rows(Random(f"{table}{n}"), 60)
            log = from_rows([*rows, random_row(ops.DRAW, Random(1)), Row(ops.CLOSE, ms=rows[-1].ms + 5)])
            landing.write(out, DAY + timedelta(n), log, NAMES._replace(table=table), EXACT)
    return contents(out)


def contents(out: Path) -> dict[str, bytes]:
    files = (path for path in out.rglob("*") if path.is_file() and path.name != disorder.RECORD)
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in files}


def disordered(out: Path, what: str, count: int = 2) -> tuple[dict[str, bytes], dict[str, bytes], list[dict[str, Any]]]:
    """Files before and after, and the acts; what no act names is as it was."""
    before = landing_zone(out)
    frame = disorder.apply(out, {what: count}, Random(7))
    assert pl.read_parquet(out / disorder.RECORD).equals(frame)
    acts = frame.to_dicts()
    assert [act["what"] for act in acts] == [what] * count
    after = contents(out)
    origins = {act["origin"] for act in acts}
    assert len(origins) == count
    assert {name: data for name, data in before.items() if name not in origins} == {
        name: data for name, data in after.items() if name in before and name not in origins
    }
    return before, after, acts


def test_late_files_wait_elsewhere(tmp_path: Path) -> None:
    before, after, acts = disordered(tmp_path, "late")
    assert len(after) == len(before)
    for act in acts:
        assert act["path"] == f".late/{act['origin']}"
        assert act["origin"] not in after
        assert after[act["path"]] == before[act["origin"]]


def test_repeated_files_have_another_name(tmp_path: Path) -> None:
    before, after, acts = disordered(tmp_path, "repeated")
    assert len(after) == len(before) + 2
    for act in acts:
        assert act["path"] != act["origin"]
        assert act["path"].startswith(act["origin"].removesuffix(".ndjson"))
        assert after[act["path"]] == after[act["origin"]] == before[act["origin"]]


def test_overlapping_parts_repeat_lines(tmp_path: Path) -> None:
    before, after, acts = disordered(tmp_path, "overlapping")
    assert len(after) == len(before) + 2
    for act in acts:
        first = after[act["path"].replace("-b.", "-a.")].splitlines()
        second = after[act["path"]].splitlines()
        common = len(act["lines"])
        assert act["lines"] == list(range(1, common + 1))
        assert first[-common:] == second[:common]
        assert first + second[common:] == before[act["origin"]].splitlines()
        assert act["origin"] not in after


def test_truncated_files_lose_the_closing_line_only(tmp_path: Path) -> None:
    before, after, acts = disordered(tmp_path, "truncated")
    for act in some(acts):
        was, now = before[act["origin"]].splitlines(), after[act["path"]].splitlines()
        assert act["path"] == act["origin"]
        assert act["lines"] == [len(was)]
        assert now[:-1] == was[:-1]
        assert json.loads(was[-1])["type"] == "close"
        assert was[-1].startswith(now[-1])
        with pytest.raises(json.JSONDecodeError):
            json.loads(now[-1])


@pytest.mark.parametrize("what", ["garbage", "foreign"])
def test_added_lines_leave_the_others_alone(tmp_path: Path, what: str) -> None:
    before, after, acts = disordered(tmp_path, what, 6)
    for act in some(acts):
        lines = after[act["path"]].split(b"\n")[:-1]
        added = [lines[n - 1] for n in act["lines"]]
        kept = [line for n, line in enumerate(lines, 1) if n not in act["lines"]]
        assert kept == before[act["origin"]].splitlines()
        if what == "foreign":
            assert {json.loads(line)["table"] for line in added} == {act["path"].split("/")[1] + "-X"}
        else:
            assert {reason(line) for line in added} == {"no json", "wrong types", "unknown type", "no utf-8"}


def reason(line: bytes) -> str:
    """Why a line cannot be an event."""
    try:
        event = json.loads(line)
    except UnicodeDecodeError:
        return "no utf-8"
    except json.JSONDecodeError:
        return "no json"
    if not isinstance(event["seq"], int):
        return "wrong types"
    return "known" if event["type"] in TYPES.values() else "unknown type"


def test_disorder_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    wanted = {"garbage": 1, "late": 2, "truncated": 1, "repeated": 1, "foreign": 1, "overlapping": 2}
    for name in ("a", "b"):
        landing_zone(tmp_path / name)
        disorder.apply(tmp_path / name, wanted, Random(9))
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    records = [(tmp_path / name / disorder.RECORD).read_bytes() for name in ("a", "b")]
    assert records[0] == records[1]


def test_disorder_that_cannot_be_done(tmp_path: Path) -> None:
    landing_zone(tmp_path)
    with pytest.raises(ValueError, match="found wet, expected one of truncated"):
        disorder.apply(tmp_path, {"wet": 1}, Random(1))
    with pytest.raises(ValueError, match="no file is left that truncated suits"):
        disorder.apply(tmp_path, {"truncated": 7}, Random(1))


@pytest.mark.parametrize("compression", ["gz", "zst", "parquet"])
def test_compressed_files_may_be_late_or_come_twice(tmp_path: Path, compression: str) -> None:
    log = from_rows(random_rows(Random(6), 60))
    landing.write(tmp_path, DAY, log, NAMES, EXACT, landing.Form(1, compression))
    acts = disorder.apply(tmp_path, {"late": 1, "repeated": 1}, Random(2))
    assert all(path.endswith(landing.ENDINGS[compression]) for path in acts["path"])
    with pytest.raises(ValueError, match="garbage"):
        disorder.apply(tmp_path, {"garbage": 1}, Random(2))
