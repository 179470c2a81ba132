"""Errors of a lake."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
from deltalake.exceptions import DeltaError


class LakeError(Exception):
    """The lake cannot be read or written."""


class LakeBusy(LakeError):
    """Another process is writing the lake."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns what the disk and the Delta library complain of into a ``LakeError`` that names the path."""
    try:
        yield
    except (OSError, DeltaError) as error:
        raise LakeError(f"{path} could not be written: {error}. Make room or allow it, and run again") from error


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turns what Polars and the disk complain of a part into a ``LakeError`` that names the path."""
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        told = " ".join(str(error).split())
        raise LakeError(f"{path}: a part is damaged; run audit21 verify ({told})") from error
