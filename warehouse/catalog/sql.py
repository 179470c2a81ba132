"""SQL text: names, literals, and the query of a dataset's view."""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import duckdb

from warehouse.dataset import Dataset


def name(identifier: str) -> str:
    """An identifier in quotes: ``table`` and ``from`` are words of SQL."""
    return '"' + identifier.replace('"', '""') + '"'


def names(identifiers: Iterable[str]) -> str:
    """Identifiers in quotes, with commas."""
    return ", ".join(map(name, identifiers))


def literal(text: str | Path) -> str:
    """A text in quotes."""
    return "'" + str(text).replace("'", "''") + "'"


def select(dataset: Dataset, files: Sequence[Path]) -> str:
    """The query of a dataset's view: its columns in order, out of these files."""
    if not files:
        nulls = (f"NULL::{kind} AS {name(column)}" for column, kind in types(dataset).items())
        return f"SELECT {', '.join(nulls)} WHERE false"
    paths = ", ".join(map(literal, files))
    # All files of a dataset have the columns of its schema. To match them by name (union_by_name) would open every
    # file for every query, even for one about a single day.
    options = "hive_partitioning = true, hive_types = {'gaming_day': DATE}"
    return f"SELECT {names(dataset.types)} FROM read_parquet([{paths}], {options})"


@cache
def types(dataset: Dataset) -> dict[str, str]:
    """The DuckDB type of every column, in order."""
    with duckdb.connect() as con:
        relation = con.from_arrow(dataset.arrow.empty_table())
        return dict(zip(relation.columns, map(str, relation.types), strict=True))
