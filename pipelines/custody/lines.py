"""The lines of Parquet files, for commands that must not wait for the readers before they need one."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from replay.columns import U8


def of_parquet(path: Path, name: str) -> "U8 | None":
    """The lines of a landing file in Parquet; None for any other."""
    from pipelines.custody.store import text

    return text(path, name)
