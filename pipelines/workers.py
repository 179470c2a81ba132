"""Other processes that audit groups of tables, where a day is large enough to be worth their start."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from typing import Final, TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")

_WORTH_LINES: Final = 1_000_000  # lines of a day from which the processes' start, some three seconds, pays
_ONE_THREAD: Final = {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"}


class Workers:
    """As many processes as there are cores, started when they are first needed; in one thread each."""

    def __init__(self, worth_lines: int = _WORTH_LINES) -> None:
        self.worth_lines = worth_lines
        self._pool: ProcessPoolExecutor | None = None

    def use_for(self, lines: int) -> "Workers | None":
        """These, if so many lines are worth it."""
        return self if lines >= self.worth_lines and (os.cpu_count() or 1) > 1 else None

    def map(self, function: Callable[[Given], Made], items: Sequence[Given]) -> Iterator[Made]:
        """Results in order, as they are ready; a few more items than there are processes are under way."""
        if self._pool is None:
            self._pool = _start(os.cpu_count() or 1)
        yield from self._pool.map(function, items)

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def _start(count: int) -> ProcessPoolExecutor:
    # Not forked: a process that is forked from one with Polars' threads hangs.
    pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_end_with_parent)
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(_ONE_THREAD)
    try:
        list(pool.map(_ready, range(count)))
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
    return pool


def _ready(number: int) -> int:
    """Lets a process load what it needs."""
    import pyarrow as pa

    import pipelines.staging  # noqa: F401

    pa.set_cpu_count(1)
    return number


def _end_with_parent() -> None:
    """A process whose parent was killed has nobody to work for."""
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
