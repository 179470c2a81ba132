"""The marts: SQL files beside this package, what a row of each is, and what every column means."""

import hashlib
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from warehouse.schemas import DATASETS

FOLDER: Final = Path(__file__).parents[1] / "marts"
# In this order: a step reads datasets and the steps before it, a mart reads datasets and steps.
STEPS: Final = ("figures", "tables")
NAMES: Final = (
    *("day_summary", "table_day", "dealer_day", "shift_day", "rulebook_day"),
    *("findings_by_code", "evidence_day", "shoe_day"),
)


@dataclass(frozen=True)
class Mart:
    """A table of the catalog that one SQL query makes out of the datasets of any gaming days."""

    name: str
    description: str
    key: tuple[str, ...]
    query: str


@cache
def marts() -> tuple[Mart, ...]:
    """The marts, from their files."""
    return tuple(parse(name, (FOLDER / f"{name}.sql").read_text(encoding="utf-8")) for name in NAMES)


@cache
def steps() -> dict[str, str]:
    """The queries that marts share."""
    return {name: (FOLDER / "steps" / f"{name}.sql").read_text(encoding="utf-8") for name in STEPS}


def parse(name: str, text: str) -> Mart:
    """A mart's file: comments that say what a row is, the comment ``key:`` with the order of the rows, the query."""
    header = [line[2:].strip() for line in text[: text.index("\n", text.index("-- key:"))].splitlines()]
    key = header.pop().removeprefix("key:").split(",")
    return Mart(name, " ".join(header), tuple(column.strip() for column in key), text)


@cache
def meanings() -> dict[str, Any]:
    """Read the meanings of columns, by name, and for some marts by mart and name."""
    return tomllib.loads((FOLDER / "columns.toml").read_text(encoding="utf-8"))


def meaning(mart: str, column: str) -> str:
    """Return the meaning of a mart's column."""
    of_this_mart = meanings().get(mart)
    said = of_this_mart.get(column) if isinstance(of_this_mart, dict) else None
    said = said or meanings().get(column)
    if not isinstance(said, str):
        raise LookupError(f"{FOLDER / 'columns.toml'}: no meaning of {column}, a column of {mart}: add it")
    return said


@cache
def recipe() -> str:
    """A hash of everything that decides what the marts' rows are, but for the data."""
    columns = {dataset.name: dict(dataset.types) for dataset in DATASETS.values()}
    text = repr((columns, steps(), marts()))
    return hashlib.sha256(text.encode()).hexdigest()
