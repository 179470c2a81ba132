"""Landing files in every form, and broken in every way."""

import gzip
import io
import json
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.custody import files
from pipelines.custody.files import source_of, text_of
from pipelines.ingest import read as reader
from pipelines.ingest.read import FileLines, read_file
from tests.pipelines.ingest.rows import read, read_carefully, rows
from tests.pipelines.ingest.test_careful import TS, line

TEXT = b"".join(line("draw", {"shoe": f"S{n % 7}", "n": n, "card": "7S"}, seq=n) for n in range(1, 4001))


def zstd(text: bytes) -> bytes:
    packed: bytes = pa.compress(text, codec="zstd", asbytes=True)
    return packed


def parquet(columns: dict[str, Any]) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, row_group_size=2)
    return file.getvalue()


def shoe_file(data: bytes, name: str) -> FileLines:
    return read_file(data, name, "shoe", "T1", ("T1",))


@pytest.mark.parametrize(
    ("name", "source"),
    [
        *(("terminal.ndjson", "terminal"), ("shoe-2.ndjson.gz", "shoe"), ("camera.zst", "camera")),
        *(("terminal-1.parquet", "terminal"), ("shoe.mp4", None), ("footage.json", None), ("floor.toml", None)),
        *((".terminal.ndjson", None), ("terminal.ndjson.tmp", None)),
    ],
)
def test_a_name_tells_the_source(name: str, source: str | None) -> None:
    assert source_of(name) == source


@pytest.mark.parametrize(("ending", "pack"), [("ndjson", bytes), ("ndjson.gz", gzip.compress), ("zst", zstd)])
def test_packed_files_hold_the_same(ending: str, pack: Callable[[bytes], bytes]) -> None:
    plain = shoe_file(TEXT, "shoe.ndjson")
    packed = shoe_file(pack(TEXT), f"shoe.{ending}")
    twice = shoe_file(pack(TEXT[:1000]) + pack(TEXT[1000:]), f"shoe.{ending}")
    for found in (packed, twice):
        assert rows(found.columns, found.words) == rows(plain.columns, plain.words)
        assert (found.lines, found.quarantined) == (4000, [])


@pytest.mark.parametrize("name", ["shoe.ndjson", "shoe.gz", "shoe.ndjson.zst"])
def test_an_empty_file_has_no_lines(name: str) -> None:
    found = shoe_file(b"", name)
    assert (found.lines, len(found.columns.line), found.quarantined) == (0, 0, [])


@pytest.mark.parametrize(("ending", "pack"), [("gz", gzip.compress), ("zst", zstd)])
def test_what_was_read_before_the_data_end_early_is_kept(ending: str, pack: Callable[[bytes], bytes]) -> None:
    packed = pack(b"".join(line("draw", {"n": n, "card": "7S", "x": Random(n).random()}) for n in range(1, 9000)))
    found = shoe_file(packed[: len(packed) // 2], f"shoe.{ending}")
    whole = text_of(packed[: len(packed) // 2], f"shoe.{ending}").text.tobytes().count(b"\n")
    assert whole > 1000 and len(found.columns.line) == whole
    rest = found.quarantined[-1]
    assert rest.reason == f"compressed data ends early after line {found.lines - 1}"
    assert rest.line == found.lines
    # A line that is cut in two is quarantined as what it is, and the rest as another.
    assert len(found.quarantined) == found.lines - whole <= 2


@pytest.mark.parametrize(("ending", "pack"), [("gz", gzip.compress), ("zst", zstd)])
def test_nothing_is_lost_of_a_file_with_rubbish_behind_it(ending: str, pack: Callable[[bytes], bytes]) -> None:
    found = shoe_file(pack(TEXT) + b"rubbish", f"shoe.{ending}")
    assert len(found.columns.line) == 4000
    assert found.quarantined[0].reason == "compressed data is corrupt after line 4000"


@pytest.mark.parametrize("name", ["shoe.gz", "shoe.zst", "shoe.parquet"])
def test_a_plain_file_under_a_wrong_name_is_one_bad_line(name: str) -> None:
    found = shoe_file(TEXT, name)
    assert found.lines == 1
    (bad,) = found.quarantined
    assert bad.raw == TEXT[: files.MOST_RAW]
    assert bad.reason.endswith(f"the first {files.MOST_RAW} of {len(TEXT)} bytes are kept here")


def test_a_file_that_unpacks_to_too_much_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 100_000)
    found = shoe_file(gzip.compress(TEXT), "shoe.gz")
    assert 500 < len(found.columns.line) < 4000
    assert "goes beyond the limit of 100000 bytes; send it in parts" in found.quarantined[-1].reason


def memory_of(work: Callable[[], object]) -> int:
    """The most bytes that Python and numpy held at a time."""
    tracemalloc.start()
    work()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


@pytest.mark.parametrize(("ending", "pack"), [("ndjson", bytes), ("gz", gzip.compress), ("zst", zstd)])
def test_a_file_of_newlines_takes_little_memory_and_loses_no_line(
    ending: str, pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_BLOCK_LINES", 1 << 12)
    monkeypatch.setattr(reader, "MOST_BAD", 1 << 13)
    data, found = pack(b"\n" * (1 << 20)), list[FileLines]()
    assert memory_of(lambda: found.append(shoe_file(data, f"shoe.{ending}"))) < 20 << 20
    assert (found[0].lines, len(found[0].quarantined)) == ((1 << 13) + 1,) * 2
    rest = found[0].quarantined[-1]
    assert rest.reason.startswith(
        "8192 lines before are no good, expected a log of this table; 1040384 bytes from line"
    )
    assert rest.raw == b"\n" * files.MOST_RAW


def test_blocks_of_a_file_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"\xef\xbb\xbf" + TEXT[:5000] + b"rubbish\n" + TEXT[5000:20_000] + b"more"
    whole = shoe_file(text, "shoe.ndjson")
    monkeypatch.setattr(reader, "_BLOCK_LINES", 7)
    found = shoe_file(text, "shoe.ndjson")
    assert rows(found.columns, found.words) == rows(whole.columns, whole.words)
    assert (found.lines, found.quarantined) == (whole.lines, whole.quarantined)
    monkeypatch.setattr(files, "MOST_LINES", 21)
    cut = shoe_file(text, "shoe.ndjson")
    assert (cut.lines, len(cut.columns.line)) == (22, 21)
    assert "goes beyond the limit of 21 lines; send it in parts" in cut.quarantined[-1].reason


def test_a_line_without_end_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_MOST_LINE", 1 << 17)
    good = line("draw", {"n": 1, "card": "7S"})
    found = shoe_file(good + b"x" * 200_000 + b"\n" + line("draw", {"n": 2, "card": "7S"}, seq=2), "shoe.ndjson")
    assert found.columns.line.tolist() == [1, 3]
    (bad,) = found.quarantined
    assert bad.reason == "200000 bytes long, expected at most 131072; the first 65536 of 200000 bytes are kept here"


def test_a_name_that_stands_twice_among_very_many_is_found_at_once() -> None:
    names = ",".join(f'"{n}":1' for n in range(200_000))
    (bad,) = shoe_file(f'{{{names},"0":2}}'.encode(), "shoe.ndjson").quarantined
    assert bad.reason == "'0' stands twice in the line, expected once"


@pytest.mark.parametrize(
    "columns",
    [
        {"seq": pa.array(np.ones(1 << 22, np.int64))},
        {"table": pa.DictionaryArray.from_arrays(np.zeros(2000, np.int32), ["x" * (1 << 20)])},
        {"n": pa.array([list(range(10))] * (1 << 18))},
    ],
)
def test_a_small_parquet_file_of_very_much_takes_little_memory(
    columns: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 64 << 20)
    monkeypatch.setattr(files, "MOST_LINES", 1 << 20)
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, compression="zstd", row_group_size=1 << 30)
    held = list[files.FileText]()
    assert memory_of(lambda: held.append(text_of(file.getvalue(), "shoe.parquet"))) < 400 << 20
    assert len(held[0].text) < 130 << 20 and pa.total_allocated_bytes() < 300 << 20
    assert held[0].rest is not None
    assert "limit" in held[0].rest.reason or "send it in parts" in held[0].rest.reason


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 60), st.sampled_from(["gz", "zst", "parquet"]))
def test_no_damage_makes_it_fail(seed: int, ending: str) -> None:
    rng = Random(seed)
    columns = {"seq": [1, 2, 3], "table": ["T1"] * 3}
    packed = {"gz": gzip.compress(TEXT[:12_000]), "zst": zstd(TEXT[:12_000]), "parquet": parquet(columns)}
    data = bytearray(packed[ending])
    for _ in range(rng.randrange(1, 4)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    found = shoe_file(bytes(data[: rng.choice((len(data), rng.randrange(len(data))))]), f"shoe.{ending}")
    assert found.lines == len(found.columns.line) + len(found.quarantined)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32", "cp500"])
def test_other_encodings_are_refused_line_by_line(encoding: str) -> None:
    data = TEXT[:1000].decode().encode(encoding)
    found = read(data, "shoe")
    assert len(found.columns.line) == 0
    assert b"\n".join(bad.raw for bad in found.quarantined) == data


def test_blank_lines_are_lines_but_for_nothing_after_the_last_newline() -> None:
    found = read(b"\n \t\r\n" + line("close", {}))
    assert [(bad.line, bad.reason) for bad in found.quarantined] == [(1, "empty line"), (2, "empty line")]
    assert (found.lines, found.columns.line.tolist()) == (3, [3])


def test_rows_of_parquet_are_lines_of_what_is_not_null() -> None:
    at = datetime(2026, 1, 6, 5, 21, 49, 210_000, UTC)
    columns = {
        "seq": pa.array([1, 2, 3]),
        "table": pa.array(["T1", "T1", 'a"\\\n\u00e9']).dictionary_encode(),
        "ts": pa.array([at, None, at], pa.timestamp("us", "America/New_York")),
        "n": pa.array([[1, 2], None, [None]]),
        "by": pa.array([["a", 'b"'], [], None]),
        "exposed": pa.array([True, None, False]),
        "confidence": pa.array([0.25, 1.0, None]),
        "other": pa.array([{"a": 1}, None, {"a": 2}]),
    }
    found = text_of(parquet(columns), "terminal.parquet").text.tobytes().splitlines()
    time = '"ts":"2026-01-06T05:21:49.210000Z"'
    assert found == [
        f'{{"seq":1,"table":"T1",{time},"n":[1,2],"by":["a","b\\""],"exposed":true,"confidence":0.25,"other":{{"a":1}}}}'.encode(),
        b'{"seq":2,"table":"T1","by":[],"confidence":1}',
        f'{{"seq":3,"table":"a\\"\\\\\\n\u00e9",{time},"n":[null],"exposed":false,"other":{{"a":2}}}}'.encode(),
    ]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.text(max_size=5), st.none() | st.lists(st.text(max_size=3) | st.none())), min_size=1))
def test_texts_of_parquet_come_out_as_they_are(values: list[tuple[str, list[str | None] | None]]) -> None:
    columns = {
        "a": pa.array([a for a, _ in values], pa.string()),
        "b": pa.array([b for _, b in values], pa.list_(pa.string())),
    }
    found = text_of(parquet(columns), "x.parquet").text.tobytes().split(b"\n")
    assert [(each["a"], each.get("b")) for each in map(json.loads, found[:-1])] == values


def test_parquet_of_the_columns_is_read_as_lines() -> None:
    rows_given = [
        {"table": "T1", "seq": n, "ts": TS, "type": "draw", "n": n, "card": "7S", "face": None} for n in (1, 2, 3)
    ]
    file = io.BytesIO()
    pl.DataFrame([*rows_given, rows_given[0] | {"card": "1S"}]).write_parquet(file)
    found = read_file(file.getvalue(), "shoe.parquet", "shoe", "T1", ("T1",))
    good, bad = read_carefully(text_of(file.getvalue(), "shoe.parquet").text.tobytes(), "shoe")
    assert rows(found.columns, found.words) == good and len(good) == 3
    assert [tuple(each) for each in found.quarantined] == bad
    assert bad[0][1].startswith("card: found '1S', expected a card such as 7S")


def test_a_memory_map_or_an_array_will_do() -> None:
    for data in (bytearray(TEXT), memoryview(TEXT), np.frombuffer(TEXT, np.uint8)):
        assert len(read_file(data, "shoe.ndjson", "shoe", "T1", ("T1",)).columns.line) == 4000
