"""One process at a time writes a lake."""

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from warehouse.lake import links
from warehouse.lake.errors import LakeBusy, writing

FILE = ".lock"
_TRIES = 20
_WAIT_S = 0.01


@dataclass
class _Held:
    pid: int
    descriptor: int
    times: int


_held: dict[Path, _Held] = {}
_guard = threading.Lock()


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Hold the lake for this process, any number of times over; the kernel lets go of it when the process dies."""
    folder = folder.resolve()
    with _guard:
        _take(folder)
    try:
        yield
    finally:
        with _guard:
            _give_back(folder)


def _take(folder: Path) -> None:
    held = _held.get(folder)
    if held and held.pid == os.getpid():  # a child of fork has the parent's table but not its lock
        held.times += 1
        return
    links.refuse(folder)
    with writing(folder / FILE):
        descriptor = os.open(folder / FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    try:
        _lock(descriptor)
    except BlockingIOError:
        holder = os.read(descriptor, 32).decode().strip() or "of unknown number"
        os.close(descriptor)
        raise LakeBusy(f"{folder} is being written by process {holder}: wait until it has ended") from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    _held[folder] = _Held(os.getpid(), descriptor, 1)


def _lock(descriptor: int) -> None:
    """Take the lock; somebody who only looks whether it is held has it for a moment."""
    for _ in range(_TRIES):
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_WAIT_S)
    return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_held(folder: Path) -> bool:
    """Tell whether another process writes the lake, without keeping anybody from writing it."""
    held = _held.get(folder.resolve())
    if held and held.pid == os.getpid():
        return False
    try:
        descriptor = os.open(folder / FILE, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _give_back(folder: Path) -> None:
    held = _held[folder]
    held.times -= 1
    if not held.times:
        del _held[folder]
        os.close(held.descriptor)
