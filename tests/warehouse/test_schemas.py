"""The datasets' schemas: complete, cheap, and telling what is wrong."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from replay import ops
from tests.rules import worked
from warehouse import schemas
from warehouse.findings import finding_row, read_finding
from warehouse.schemas import DATASETS, SNAPSHOTS, SchemaError, check

DAY = date(2026, 1, 5)
HASH = "a" * 64


def carry(**columns: Any) -> pl.DataFrame:
    row = {"gaming_day": [DAY], "table": ["A"], "kind": ["meter"], "key": ["m"], "a": [1], "b": [2], "c": [3]}
    return pl.DataFrame(row | columns)


def files(**columns: Any) -> pl.DataFrame:
    row = {"path": "2026-01-05/A/shoe.ndjson", "source": "shoe", "sha256": HASH, "bytes": 9, "line_root": HASH}
    counts = {"lines": 7, "accepted": 4, "repeated": 2, "quarantined": 1, "seen": None}
    return pl.DataFrame([{"gaming_day": DAY, "table": "A", **row, **counts, "log_index": 0, "chain": HASH, **columns}])


@pytest.mark.parametrize("dataset", [*DATASETS.values(), SNAPSHOTS], ids=lambda dataset: dataset.name)
def test_every_column_is_described_and_has_its_types(dataset: schemas.Dataset) -> None:
    assert dataset.description.endswith(".")
    assert all(dataset.descriptions.values())
    assert set(dataset.sort) <= set(dataset.types)
    assert dataset.arrow.names == list(dataset.types)
    assert dataset.check(dataset.empty()).schema == dataset.types
    if dataset.partitioned:
        assert list(dataset.types)[:2] == ["gaming_day", "table"]
        assert dataset.sort[0] == "table"


def test_the_names_of_a_row_come_from_the_engine() -> None:
    words = {name: (column.metadata or {}).get("words") for name, column in schemas.SettlementsSchema.columns().items()}
    assert words["verdict"] == ops.VERDICTS
    assert words["kind"] == ops.KINDS


def test_what_the_engine_says_keeps_to_the_schemas() -> None:
    audits = [worked.run(each) for each in worked.every_round()]
    day = pl.DataFrame({"gaming_day": [DAY], "table": ["A"], "currency": ["USD"]})
    settlements = pl.DataFrame([row for audit in audits for row in audit.settlements], infer_schema_length=None)
    settlements = settlements.join(day, how="cross").rename({"round": "round_id"})
    assert len(check("settlements", settlements)) > 1000


def test_a_finding_survives_its_row() -> None:
    """Every finding of the worked rounds: checked against the schema, read again, and said in the same words."""
    made = [finding for each in worked.every_round() for finding in worked.run(each).findings]
    rows = [{**finding_row(each, "A", DAY, "USD"), "finding_id": str(n)} for n, each in enumerate(made)]
    types = DATASETS["findings"].types
    checked = check("findings", pl.DataFrame(rows, schema=types, orient="row"))
    assert len(checked) == len(made) > 100
    unstored: dict[str, Any] = {"id": "", "event": None, "detail": None}
    for finding, row in zip(made, checked.to_dicts(), strict=True):
        read = read_finding(row)
        assert read.message == finding.message
        form = finding.form or finding.code
        assert replace(read, **unstored) == replace(finding, **unstored, form=form), finding


def test_what_loses_nothing_is_cast_and_columns_are_put_in_order() -> None:
    frame = carry(table=pl.Series(["A"], dtype=pl.Categorical), kind=pl.Series(["decks"], dtype=pl.Enum(["decks"])))
    assert check("carry", frame.select(reversed(frame.columns))).schema == DATASETS["carry"].types
    nothing = DATASETS["hands"].empty().with_columns(pl.lit(None).alias("outcome"), cards=pl.lit([]))
    assert check("hands", nothing).schema == DATASETS["hands"].types


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (carry().drop("key"), "carry: columns missing: key"),
        (carry(d=[1]), "carry: columns that the dataset does not have: d"),
        (carry(a=["1"]), "carry.a: expected type Int64, found String"),
        (
            carry(kind=["moon"]),
            "carry.kind: found 'moon': rule known_word broken by 1 of 1 rows, expected one of decks",
        ),
        (
            carry(key=pl.Series([None], dtype=pl.String)),
            "carry.key: found None: rule nullability broken by 1 of 1 rows",
        ),
    ],
)
def test_what_is_wrong_is_told_of_frames_and_tables_alike(frame: pl.DataFrame, message: str) -> None:
    with pytest.raises(SchemaError) as found:
        check("carry", frame)
    assert str(found.value).startswith(message)
    table = frame.cast({pl.String: pl.Categorical}).to_arrow()
    with pytest.raises(SchemaError) as found:
        DATASETS["carry"].check_table(table)
    assert str(found.value).lower().startswith(message[:20].lower())


def test_a_number_that_is_too_large_for_its_column_is_told() -> None:
    row = {"gaming_day": DAY, "table": "A", "round_id": "r", "seat": 1 << 20, "hand": 1, "cards": [["7S"]]}
    frame = pl.DataFrame(row | {"total": 7, "soft": False, "outcome": "stand"})
    with pytest.raises(SchemaError, match="hands: a value is too large"):
        check("hands", frame)
    with pytest.raises(SchemaError, match=r"hands\.seat: a value is too large"):
        DATASETS["hands"].check_table(frame.to_arrow())


def test_rules_across_columns_and_keys_hold() -> None:
    check("files", files())
    check("files", files(lines=None, accepted=None, repeated=None, quarantined=None))
    with pytest.raises(SchemaError, match="files: rule every_line_is_accounted_for broken by 1 of 1 rows"):
        check("files", files(lines=8))
    with pytest.raises(SchemaError, match="files: rule primary_key broken by 2 of 2 rows"):
        DATASETS["files"].check_table(pl.concat([files(), files()]).to_arrow())


def test_words_that_a_dictionary_holds_but_no_row_uses_do_not_count() -> None:
    words = pa.array(["moon", "meter", "decks"])
    table = carry().to_arrow()
    place = table.column_names.index("kind")
    for number, fits in ((1, True), (0, False)):
        spelled = table.set_column(place, "kind", pa.DictionaryArray.from_arrays(pa.array([number]), words))
        if fits:
            assert DATASETS["carry"].check_table(spelled).column("kind").to_pylist() == ["meter"]
        else:
            with pytest.raises(SchemaError, match=r"carry\.kind: found 'moon'"):
                DATASETS["carry"].check_table(spelled)


def test_one_bad_event_in_a_million_is_found() -> None:
    rows = 1_000_000
    number = np.arange(rows)
    known: dict[str, Any] = {
        "gaming_day": DAY,
        "table": "A",
        "source": "shoe",
        "seq": number,
        "ts": datetime(2026, 1, 5, tzinfo=UTC),
        "utc_offset_minutes": 0,
        "corrected": datetime(2026, 1, 5, tzinfo=UTC),
        "type": "draw",
        "card": np.array(schemas.CARDS)[number % 52],
        "face": "down",
        "path": "f",
        "line": number + 1,
        "file_sha256": HASH,
    }
    types = DATASETS["events"].types
    frame = pl.DataFrame({name: known[name] for name in types if name in known})
    frame = frame.with_columns(pl.lit(None, types[name]).alias(name) for name in types if name not in known)
    frame = frame.with_columns(pl.col("ts", "corrected").cast(types["ts"]))
    check("events", frame)
    with pytest.raises(SchemaError, match=r"events\.line"):
        check("events", frame.with_columns(pl.when(pl.col("seq") == rows - 1).then(0).otherwise("line").alias("line")))
