"""The lists in CATALOG.md, from the marts and schemas themselves: ``python -m warehouse.catalog.page`` writes them."""

from pathlib import Path
from typing import Final

from warehouse.catalog import marts
from warehouse.schemas import DATASETS, SNAPSHOTS

PAGE: Final = Path(__file__).parents[1] / "CATALOG.md"
MARK: Final = "<!-- From here on written by python -m warehouse.catalog.page -->\n"


def current(page: str) -> str:
    """The page with its lists as they should be."""
    written, mark, _ = page.partition(MARK)
    return written + mark + lists()


def lists() -> str:
    """Marts, datasets, and what the columns of the marts mean, as Markdown."""
    datasets = [(dataset.name, dataset.description) for dataset in (*DATASETS.values(), SNAPSHOTS)]
    meanings = marts.meanings()
    columns = [(name, said) for name, said in meanings.items() if isinstance(said, str)]
    parts = [
        _table("Marts", "mart", [(mart.name, mart.description) for mart in marts.marts()]),
        _table("Datasets", "dataset", datasets),
        _table("Columns of the marts", "column", columns),
    ]
    return "".join(parts)


def _table(title: str, head: str, rows: list[tuple[str, str]]) -> str:
    lines = [f"\n## {title}\n", f"| {head} | |", "|---|---|", *(f"| `{name}` | {said} |" for name, said in rows)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(current(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
