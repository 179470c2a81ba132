"""Other processes that audit groups of tables, where a day is large enough to be worth their start."""

import gc
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
_LINE_BYTES: Final = 200  # more than a line usually has
# One thread each, and memory that is given back to the C library, which keeps it for the next table.
_SETTINGS: Final = {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}


class TableWorkers:
    """As many processes as there are cores, started when they are first expected or needed; in one thread each."""

    def __init__(self, worth_lines: int = _WORTH_LINES) -> None:
        self.worth_lines = worth_lines
        self._pool: ProcessPoolExecutor | None = None

    def use_for(self, lines: int) -> "TableWorkers | None":
        """These, if so many lines are worth it."""
        return self if lines >= self.worth_lines and (os.cpu_count() or 1) > 1 else None

    def expect(self, size: int) -> None:
        """So many bytes of lines are coming: where they are worth it, processes load what they need meanwhile."""
        if self.use_for(size // _LINE_BYTES):
            self._started()

    def map(self, function: Callable[[Given], Made], items: Sequence[Given]) -> Iterator[Made]:
        """Results in order, as they are ready; a few more items than there are processes are under way."""
        yield from self._started().map(function, items)

    def close(self) -> None:
        """Let the processes end."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = _start(os.cpu_count() or 1)
        return self._pool


def _start(count: int) -> ProcessPoolExecutor:
    """Processes that begin to load what they need."""
    # Not forked: a process that is forked from one with Polars' threads hangs.
    pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_load)
    before = {name: os.environ.get(name) for name in _SETTINGS}
    os.environ.update(_SETTINGS)
    try:
        pool.submit(os.getpid)  # all processes are started with the first thing to do
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
    return pool


def _load() -> None:
    _end_with_parent()
    import pyarrow as pa

    import pipelines.day.staging  # noqa: F401

    pa.set_cpu_count(1)
    gc.freeze()  # what was loaded stays: it need not be looked through for garbage again and again


def _end_with_parent() -> None:
    """A process whose parent was killed has nobody to work for."""
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
