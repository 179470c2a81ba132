"""Whatever a landing zone holds: no crash, no lost line, no effect on another table."""

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines.custody.landing import LINE_SOURCES, source_of
from tests.pipelines.handmade import DAY, Line, closing, dealt, numbered, opening, played, table_entry, written
from tests.pipelines.lakes import audited
from warehouse.lake import Lake
from warehouse.schemas import DATASETS

ROUNDS = (1, 2, 3)
SOUND = "sound"
Mutation = Callable[[Path], object]  # of a table's folder


def files() -> dict[str, list[Line]]:
    lines = [*opening(), *(line for number in ROUNDS for line in played(number)), closing(len(ROUNDS))]
    return {"terminal.ndjson": numbered(lines), "shoe.ndjson": numbered(dealt(ROUNDS))}


# Ways to change a file's bytes, its lines, a field, and what lies in the folder.


def flipped(seed: int) -> Mutation:
    def mutate(folder: Path) -> None:
        chance, path = Random(seed), folder / Random(seed).choice(("terminal.ndjson", "shoe.ndjson"))
        data = bytearray(path.read_bytes())
        for _ in range(chance.choice((1, 5, 50))):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(bytes(data))

    return mutate


def of_bytes(change: Callable[[bytes], bytes], name: str = "terminal.ndjson", ending: str = "") -> Mutation:
    def mutate(folder: Path) -> None:
        data = (folder / name).read_bytes()
        (folder / name).unlink()
        (folder / f"{name}{ending}").write_bytes(change(data))

    return mutate


def in_encoding(name: str) -> Callable[[bytes], bytes]:
    return lambda data: data.decode().encode(name)


def with_line(line: bytes) -> Mutation:
    return of_bytes(lambda data: data[:300].rpartition(b"\n")[0] + b"\n" + line + b"\n" + data)


def with_field(name: str, value: Any, every: bool = True) -> Mutation:
    def mutate(folder: Path) -> None:
        for path in sorted(folder.iterdir()):
            rows = [json.loads(line) for line in path.read_bytes().splitlines()]
            odd = [row for n, row in enumerate(rows) if name in row and (every or n == len(rows) // 2)]
            for row in odd:
                row[name] = value
            path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))

    return mutate


def beside(make: Callable[[Path], object], name: str = "terminal-2.ndjson") -> Mutation:
    return lambda folder: make(folder / name)


def instead(make: Callable[[Path], object], name: str = "shoe.ndjson") -> Mutation:
    def mutate(folder: Path) -> None:
        (folder / name).unlink()
        make(folder / name)

    return mutate


def parquet(columns: dict[str, Any]) -> Mutation:
    return beside(lambda path: pq.write_table(pa.table(columns), path), "terminal-2.parquet")


def zstd(data: bytes) -> bytes:
    packed: bytes = pa.compress(data, codec="zstd", asbytes=True)
    return packed


def without_rounds(data: bytes) -> bytes:
    return b"".join(line for line in data.splitlines(keepends=True) if b'"round"' not in line)


def without_files(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


def no_permission(path: Path) -> None:
    path.write_bytes(b"{}\n")
    path.chmod(0)


EVIL: Final = "\x1b[2J\r\n\x00\x9b"
VALUES: Final[dict[str, Any]] = {
    "escape": EVIL,
    "long": "x" * 300_000,
    "huge": 10**30,
    "edge": 2**63 - 1,
    "negative": -(2**63),
    "list": [[]],
    "null": None,
    "float": 1e308,
}
MUTATIONS: Final[dict[str, Mutation]] = {
    **{f"flipped-{seed}": flipped(seed) for seed in range(16)},
    **{
        f"{name}-{field}": with_field(field, value) for name, value in VALUES.items() for field in ("round", "seq", "n")
    },
    **{
        f"one-{name}-{field}": with_field(field, value, every=False)
        for name, value in VALUES.items()
        for field in ("ts",)
    },
    "year-one": with_field("ts", "0001-01-01T00:00:00Z"),
    "year-9999": with_field("ts", "9999-12-31T23:59:59.999+00:00", every=False),
    "one-time": with_field("ts", "2026-01-05T15:00:00.000Z"),
    "one-number": with_field("seq", 1),
    **{f"as-{name}": of_bytes(in_encoding(name)) for name in ("utf-16", "utf-32", "cp500")},
    "cr-lf": of_bytes(lambda data: data.replace(b"\n", b"\r\n")),
    "cr": of_bytes(lambda data: data.replace(b"\n", b"\r")),
    "bom": of_bytes(lambda data: b"\xef\xbb\xbf" + data),
    "empty": of_bytes(lambda _: b""),
    "no-rounds": of_bytes(without_rounds),
    "newlines": of_bytes(lambda _: b"\n" * 5000),
    "nuls": of_bytes(lambda data: data + bytes(5000)),
    "no-last-newline": of_bytes(lambda data: data[:-20]),
    "twice": of_bytes(lambda data: data * 2),
    "backwards": of_bytes(lambda data: b"\n".join(data.splitlines()[::-1]) + b"\n"),
    "deep-list": with_line(b"[" * 100_000),
    "deep-object": with_line(b'{"a":' * 50_000),
    "long-number": with_line(b'{"seq":' + b"9" * 50_000 + b"}"),
    "long-line": with_line(b"x" * (5 << 20)),
    "many-keys": with_line(("{" + ",".join(f'"{n}":1' for n in range(50_000)) + ',"0":1}').encode()),
    "surrogate": with_line(b'{"table":"\\ud800"}'),
    "gz-whole": of_bytes(gzip.compress, ending=".gz"),
    "gz-truncated": of_bytes(lambda data: gzip.compress(data)[:-30], ending=".gz"),
    "gz-of-newlines": of_bytes(lambda _: gzip.compress(b"\n" * 400_000), ending=".gz"),
    "gz-is-none": of_bytes(lambda data: data, ending=".gz"),
    "zst-truncated": of_bytes(lambda data: zstd(data)[:-30], ending=".zst"),
    "zst-rubbish": of_bytes(lambda data: zstd(data) + b"rubbish", ending=".zst"),
    "parquet-is-none": of_bytes(lambda data: data, ending=".parquet"),
    "parquet-odd": parquet({"seq": ["a", None], "table": [1, 2], "x": [{"y": [1]}, None]}),
    "parquet-empty": parquet({}),
    "folder": instead(Path.mkdir),
    "pipe": instead(os.mkfifo),
    "link-nowhere": instead(lambda path: path.symlink_to("nowhere")),
    "link-to-itself": instead(lambda path: path.symlink_to(path.name)),
    "link-to-memory": instead(lambda path: path.symlink_to("/proc/self/mem")),
    "link-to-device": instead(lambda path: path.symlink_to("/dev/zero")),
    "link-outside": instead(lambda path: path.symlink_to("/etc/passwd")),
    "no-permission": beside(no_permission),
    "name-newline": beside(lambda path: path.write_bytes(b"{}\n"), "terminal-\n.ndjson"),
    "name-escape": beside(lambda path: path.write_bytes(b"{}\n"), "terminal-\x1b[2J.ndjson"),
    "name-long": beside(lambda path: path.write_bytes(b"{}\n"), f"terminal-{'x' * 200}.ndjson"),
    "name-no-text": beside(lambda path: path.write_bytes(b"{}\n"), os.fsdecode(b"terminal-\xff.ndjson")),
    "nothing": without_files,
}


@pytest.fixture(scope="module")
def zone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every mutation as a table, and one that nobody touched."""
    root = written(tmp_path_factory.mktemp("attack") / "zone", {name: files() for name in (SOUND, *MUTATIONS)})
    for name, mutate in MUTATIONS.items():
        mutate(root / DAY / name)
    return root


@pytest.fixture(scope="module")
def lake(zone: Path) -> Lake:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUDIT21_KEY", str(zone.parent / "key.pem"))
        return audited(zone, zone.parent / "lake")


@pytest.mark.parametrize("table", MUTATIONS)
def test_no_line_is_lost(zone: Path, lake: Lake, table: str) -> None:
    counted = {row["path"]: row for row in lake.read("files").filter(table=table).iter_rows(named=True)}
    paths = list((zone / DAY / table).iterdir())
    assert bool(paths) == (MUTATIONS[table] is not without_files)
    for path in paths:
        row = counted.get(f"{DAY}/{table}/{path.name}")
        if row is None:
            assert path.is_symlink() or not path.is_file() or not _is_plain(path) or not os.access(path, os.R_OK)
        elif source_of(path.name) in LINE_SOURCES:
            assert row["lines"] == row["accepted"] + row["repeated"] + row["quarantined"]
            assert row["accepted"] == len(_of(lake, "events", row)) + len(_of(lake, "sightings", row))
            assert row["quarantined"] == len(_of(lake, "quarantine", row))
            if path.suffix == ".ndjson":
                data = path.read_bytes()
                assert row["lines"] == data.count(b"\n") + (data[-1:] not in (b"", b"\n"))


def _is_plain(path: Path) -> bool:
    """Return whether a landing zone has a place for a file of that name."""
    return source_of(path.name) is not None and path.name.isprintable()


def _of(lake: Lake, dataset: str, file: dict[str, Any]) -> pl.DataFrame:
    return lake.read(dataset).filter(path=file["path"])


def test_the_table_that_nobody_touched_is_as_if_it_were_alone(
    zone: Path, lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIT21_KEY", str(tmp_path / "key.pem"))
    alone = audited(written(tmp_path / "zone", {SOUND: files()}), tmp_path / "lake")
    for name in sorted(DATASETS.keys() - {"files", "carry", "restatements", "rounds"}):
        assert lake.read(name).filter(table=SOUND).equals(alone.read(name).filter(table=SOUND)), name
    assert len(lake.read("rounds").filter(table=SOUND)) == len(ROUNDS)
    assert table_entry(SOUND) in (zone / "floor.toml").read_text()
