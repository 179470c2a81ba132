"""Errors of a lake."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
