"""Faults of a step: those worth another attempt, and the message of the others."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import dagster as dg

from warehouse.lake import LakeBusy

RETRY: Final = dg.RetryPolicy(max_retries=5, delay=2, backoff=dg.Backoff.EXPONENTIAL, jitter=dg.Jitter.PLUS_MINUS)
# What a disk or a network share may be over in a minute. A full disk is not.
_PASSING: Final = frozenset(
    {errno.EAGAIN, errno.EBUSY, errno.EINTR, errno.EIO, errno.ESTALE, errno.ETIMEDOUT, errno.ENETUNREACH}
)


@contextmanager
def told_plainly() -> Iterator[None]:
    """Lets faults that pass through to the retry policy; any other ends the step at once, in one line."""
    try:
        yield
    except Exception as error:
        if passes(error):
            raise
        raise dg.Failure(one_line(error), allow_retries=False) from error


def passes(error: BaseException | None) -> bool:
    """Tell whether the same step may succeed a little later: a busy lake, a disk that stumbled."""
    while error is not None:
        if isinstance(error, LakeBusy) or (isinstance(error, OSError) and error.errno in _PASSING):
            return True
        error = error.__cause__
    return False


def one_line(error: BaseException) -> str:
    """An error in one line; of one that is not ours to expect, its type as well."""
    text = " ".join(str(error).split())
    expected = type(error).__module__.partition(".")[0] in ("pipelines", "warehouse", "replay")
    return text if expected and text else f"{type(error).__name__}: {text}"
