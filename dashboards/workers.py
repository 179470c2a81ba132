"""Worker processes that answer at one socket, and the process that keeps them running until it is told to stop."""

import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import connection
from multiprocessing.context import SpawnProcess
from multiprocessing.synchronize import Event
from types import FrameType
from typing import Final

Work = Callable[[socket.socket, Callable[[], object]], object]  # serves at a socket; calls the second when it can
STOPS: Final = (signal.SIGINT, signal.SIGTERM)
PATIENCE_S: Final = 10.0  # for workers to finish their open requests
_LOOK_S: Final = 0.5
_PAUSE_S: Final = 1.0  # before a worker that died is replaced
_SPAWN: Final = multiprocessing.get_context("spawn")


class WorkerError(RuntimeError):
    """A worker ended before it could answer anything."""


@dataclass(frozen=True)
class _Worker:
    process: SpawnProcess
    ready: Event


@dataclass
class Workers:
    """Processes that do the same work at the same socket. ``work`` has to be a function that can be pickled."""

    work: Work
    listening: socket.socket
    count: int
    _running: list[_Worker] = field(default_factory=list)
    _stopped: bool = False

    def run(self) -> None:
        """Keep them running until SIGINT or SIGTERM comes; ``WorkerError`` where one cannot even start."""
        with self._signals():
            try:
                self._running = [self._start() for _ in range(self.count)]
                while not self._stopped:
                    self._replace_dead()
            finally:
                self._stop_all()

    @contextmanager
    def _signals(self) -> Iterator[None]:
        def stop(_number: int, _frame: FrameType | None) -> None:
            self._stopped = True

        before = {each: signal.signal(each, stop) for each in STOPS}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    def _start(self) -> _Worker:
        ready = _SPAWN.Event()
        process = _SPAWN.Process(target=_serve, args=(self.work, self.listening, ready), name="audit21 worker")
        # Ctrl+C reaches all processes of a terminal: workers leave it to this one to stop them.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return _Worker(process, ready)

    def _replace_dead(self) -> None:
        connection.wait([each.process.sentinel for each in self._running], _LOOK_S)
        for place, each in enumerate(self._running):
            if self._stopped or each.process.is_alive():
                continue
            if not each.ready.is_set():
                raise WorkerError("a worker of the server could not start; its message is above")
            time.sleep(_PAUSE_S)
            self._running[place] = self._start()

    def _stop_all(self) -> None:
        deadline = time.monotonic() + PATIENCE_S
        for each in self._running:
            each.process.terminate()
        for each in self._running:
            each.process.join(max(0.0, deadline - time.monotonic()))
            if each.process.is_alive():
                each.process.kill()
                each.process.join()


def _serve(work: Work, listening: socket.socket, ready: Event) -> None:
    threading.Thread(target=_follow_parent, name="follow parent", daemon=True).start()
    work(listening, ready.set)


def _follow_parent() -> None:
    """Stop when the parent is gone, however it ended: nobody else would stop a worker."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
