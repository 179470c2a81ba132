"""A day's rows become few part files, in order and complete."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.warehouse.lake.days import MONDAY, TUESDAY, cards, carry, stage
from warehouse.lake import Lake, LakeError, Staged, parts
from warehouse.lake import stage as staging
from warehouse.schemas import CARDS, DATASETS, SchemaError

_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4)
_CARD = st.fixed_dictionaries(
    {
        "gaming_day": st.just(MONDAY),
        "table": st.sampled_from(["", "P21-01", "P21-02", "Ä"]),
        "round_id": st.none() | _TEXT,
        "shoe": st.none() | _TEXT,
        "n": st.none() | st.integers(-(1 << 63), (1 << 63) - 1),
        "card": st.none() | st.sampled_from(CARDS),
        "face": st.sampled_from(["up", "down"]),
        "zone": st.none() | _TEXT,
        "position": st.none() | st.integers(-(1 << 15), (1 << 15) - 1),
        "ts": st.integers(0, 3).map(lambda n: datetime(2026, 1, 5, tzinfo=UTC) + timedelta(milliseconds=n)),
        "place": st.integers(1, 4),
        "source": st.sampled_from(["shoe", "camera"]),
        "seen_card": st.none() | st.sampled_from(CARDS),
        "seen_zone": st.none() | _TEXT,
    }
)


def _place(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple((row[key] is not None, row[key]) for key in DATASETS["cards"].sort)


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=DATASETS["cards"].types)


@settings(deadline=None, max_examples=60)
@given(drawn=st.lists(_CARD, max_size=40), spelled=st.booleans(), part_rows=st.integers(1, 30), data=st.data())
def test_rows_come_out_as_they_went_in(
    drawn: list[dict[str, Any]], spelled: bool, part_rows: int, data: st.DataObject
) -> None:
    rows = _frame(sorted(drawn, key=_place))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=3)))
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(staging, "PART_ROWS", part_rows)
        stage = Lake.create(folder).stage(MONDAY)
        for start, end in zip([0, *cuts], [*cuts, len(rows)], strict=True):
            some = rows[start:end]
            stage.write("cards", some.cast({pl.String: pl.Categorical}) if spelled else some)
        parts = stage.close().parts["cards"]
        assert all(part.rows == part_rows for part in parts[:-1])
        found = [pl.read_parquet(Path(folder, "cards", part.path)) for part in parts]
        together = pl.concat([rows[:0], *(_as_written(frame) for frame in found)])
        assert together.equals(rows)


def _as_written(part: pl.DataFrame) -> pl.DataFrame:
    """A part's rows with the day, which only its folder tells, and times in our unit, not Delta's."""
    return part.select(pl.lit(MONDAY).alias("gaming_day"), pl.all()).cast({"ts": pl.Datetime("ms", "UTC")})


@settings(deadline=None, max_examples=30)
@given(rows=st.lists(_CARD, max_size=20), data=st.data())
def test_a_write_in_any_order_is_put_in_order(rows: list[dict[str, Any]], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(rows))
    with TemporaryDirectory() as folder:
        stage = Lake.create(folder).stage(MONDAY)
        stage.write("cards", _frame(shuffled))
        found = [pl.read_parquet(Path(folder, "cards", part.path)) for part in stage.close().parts["cards"]]
    expected = [_place(row) for row in sorted(rows, key=_place)]
    assert [_place(row) for frame in found for row in frame.to_dicts()] == expected


@given(st.lists(st.tuples(st.none() | _TEXT, st.none() | st.integers(-3, 3)), max_size=20))
def test_absent_values_come_first_and_equal_rows_stay_as_they_are(rows: list[tuple[str | None, int | None]]) -> None:
    columns = {"text": [text for text, _ in rows], "number": [n for _, n in rows], "row": list(range(len(rows)))}
    types = pa.schema({"text": pa.string(), "number": pa.int64(), "row": pa.int64()})
    found = parts.in_order(pa.table(columns, types), ("text", "number")).column("row").to_pylist()
    assert found == sorted(range(len(rows)), key=lambda row: [(value is not None, value) for value in rows[row]])


def test_the_same_rows_make_the_same_parts_however_they_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "PART_ROWS", 4)
    rows = cards(MONDAY, "P21-01", *CARDS[:11])
    words = pa.array(["unused", *sorted(CARDS, reverse=True), "P21-01", "S1", "down", "shoe"])
    spelled = rows.to_arrow()
    for name in ("table", "shoe", "card", "face", "source"):
        numbers = [words.to_pylist().index(word) for word in rows[name]]
        column = pa.DictionaryArray.from_arrays(pa.array(numbers, pa.int32()), words)
        spelled = spelled.set_column(spelled.column_names.index(name), name, column)
    lake = Lake.create(tmp_path)
    whole, pieces = lake.stage(MONDAY), lake.stage(MONDAY)
    whole.write("cards", rows.cast({pl.String: pl.Categorical}))
    for start in (0, 1, 6, 8):
        pieces.write("cards", spelled.slice(start, {0: 1, 1: 5, 6: 2, 8: 3}[start]))
    assert whole.close() == (staged := pieces.close())
    assert [part.rows for part in staged.parts["cards"]] == [4, 4, 3]
    assert len(list((tmp_path / "cards").rglob("*"))) == 1 + 3


def test_what_is_staged_is_not_visible_and_can_be_handed_on(tmp_path: Path) -> None:
    lake = Lake.create(tmp_path / "lake")
    staged = stage(lake, MONDAY, ("carry", carry(MONDAY, ("A", "m", 1))))
    assert lake.read("carry").is_empty()
    staged.save(tmp_path / "staged.json")
    assert Staged.load(tmp_path / "staged.json") == staged
    part = staged.parts["carry"][0]
    data = (lake.path / "carry" / part.path).read_bytes()
    assert (part.bytes, part.rows, part.first, part.last) == (len(data), 1, "A", "A")
    assert part.sha256 == sha256(data).hexdigest()


def test_tables_that_come_after_their_place_is_written_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "PART_ROWS", 2)
    stage = Lake.create(tmp_path).stage(MONDAY)
    stage.write("carry", carry(MONDAY, ("B", "m", 1), ("C", "m", 1)))
    stage.write("carry", carry(MONDAY, ("A", "m", 1)))
    with pytest.raises(LakeError, match=r"carry: rows of \['A', 'meter', 'm'\] came after .*ascending order"):
        stage.close()


def test_rows_of_another_day_or_against_the_schema_are_refused(tmp_path: Path) -> None:
    stage = Lake.create(tmp_path).stage(MONDAY)
    with pytest.raises(SchemaError, match=r"carry\.gaming_day: expected 2026-01-05 only, found 2026-01-06"):
        stage.write("carry", carry(TUESDAY, ("A", "m", 1)))
    wrong = cards(MONDAY, "A", "7S").with_columns(face=pl.lit("sideways"))
    with pytest.raises(SchemaError, match=r"cards.face: found 'sideways'.*1 of 1 rows.*down up"):
        stage.write("cards", wrong)
    assert not any(stage.close().parts.values())


@contextmanager
def full_disk(most_bytes: int) -> Iterator[None]:
    """Files cannot grow above a size: to a writer, a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_told_and_leaves_nothing_behind(tmp_path: Path) -> None:
    stage = Lake.create(tmp_path).stage(MONDAY)
    stage.write("carry", carry(MONDAY, ("A", "m", 1)))
    with (
        full_disk(100),
        pytest.raises(LakeError, match=r"carry/gaming_day=2026-01-05/part-00000-\w+.parquet could not"),
    ):
        stage.close()
    assert [path.name for path in (tmp_path / "carry").rglob("*")] == ["gaming_day=2026-01-05"]


def test_a_damaged_part_that_a_killed_run_left_is_written_anew(tmp_path: Path) -> None:
    lake = Lake.create(tmp_path)
    stage(lake, MONDAY, ("carry", carry(MONDAY, ("A", "m", 1))))
    left = next((tmp_path / "carry").rglob("part-*"))
    whole = left.read_bytes()
    left.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    stage(lake, MONDAY, ("carry", carry(MONDAY, ("A", "m", 1))))
    assert left.read_bytes() == whole
