"""``audit21`` in forked processes that stop before a given file operation, so that a fault hits the same moment again.

A server that has imported everything forks a process for each command. The process counts its changes of files below
a folder (open for writing, rename, remove, fsync, ...) and, at the numbers asked for, tells its parent and waits: for
leave to go on, for another clock, or for SIGKILL.
"""

import json
import os
import select
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterable
from datetime import datetime, timedelta, tzinfo
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

from tests.torture.worker import MOST_S, ROOT, Ended, Hung

_MODULES: Final = (
    *(
        "pipelines.cli",
        "pipelines.commands.run",
        "pipelines.commands.verify",
        "pipelines.commands.repair",
        "pipelines.custody.lines",
    ),
    *("dashboards.packets.bundle", "dashboards.packets.case"),
    *("warehouse.retention.plan", "warehouse.retention.remove", "warehouse.retention.holds", "warehouse.rounds"),
)
_ROOMS: Final = ("pipelines", "warehouse", "dashboards")
_CHANGES: Final = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "os.symlink")
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC

Look = tuple[int, int, int]  # inode, size and time of change of a file


def look_of(found: os.stat_result) -> Look:
    """Return the values that reveal a change of a file."""
    return found.st_ino, found.st_size, found.st_mtime_ns


class Stop(NamedTuple):
    """A command that waits before an operation."""

    operation: str
    path: str
    synced: frozenset[Look]  # files that the command has brought to the disk so far


class Command(NamedTuple):
    """Command to carry out: the folder where operations count, and the operation to stop before."""

    arguments: tuple[str, ...]
    root: Path
    key: Path
    stop: int | None = None
    ahead_s: float = 0.0  # of the clock


class Forked:
    """The server's end in this process. One command at a time."""

    def __init__(self, folder: Path) -> None:
        self._texts = [folder / "forked-output.txt", folder / "forked-errors.txt"]
        (folder / "history").mkdir(parents=True, exist_ok=True)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.torture.forked", *map(str, self._texts)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            cwd=ROOT,
            env=os.environ | {"DAGSTER_HOME": str(folder / "history")},
        )
        self.operations = 0  # of the newest command that came to its end

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def begin(self, command: Command) -> Stop | Ended:
        """Start a command; how far it came."""
        self._tell(command._asdict() | {"root": str(command.root), "key": str(command.key)})
        return self._result()

    def go_on(self, ahead_s: float = 0.0) -> Ended:
        """Let a command that waits go on, with another clock if asked for, to its end."""
        self._tell({"ahead_s": ahead_s})
        ended = self._result()
        assert isinstance(ended, Ended)
        return ended

    def kill(self) -> None:
        """SIGKILL for a command that waits."""
        self._tell({"die": True})
        ended = self._result()
        assert isinstance(ended, Ended) and ended.exit_code == -signal.SIGKILL, ended

    def run(self, command: Command) -> Ended:
        """A command from beginning to end."""
        ended = self.begin(command)
        assert isinstance(ended, Ended)
        return ended

    def _tell(self, what: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(what).encode() + b"\n")

    def _result(self) -> Stop | Ended:
        assert self._process.stdout is not None
        while True:
            if not select.select([self._process.stdout], [], [], MOST_S)[0]:
                raise Hung(f"a command has not ended within {MOST_S:.0f} s")
            told = json.loads(self._process.stdout.readline() or b'{"died": true}')
            if "operation" in told:
                return Stop(told["operation"], told["path"], frozenset((a, b, c) for a, b, c in told["synced"]))
            if "operations" in told:
                self.operations = told["operations"]
            elif "ended" in told:
                texts = [path.read_text(errors="replace") if path.exists() else "" for path in self._texts]
                return Ended(told["ended"], *texts)
            elif "died" in told:
                raise Hung("the process that forks the others has died")


# In the server and its children.


class _ShiftedType(type):
    """Everything but ``now`` is that of ``datetime``."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, datetime)

    def __call__(cls, *values: Any, **named: Any) -> Any:
        return datetime(*values, **named)  # noqa: DTZ001

    def __getattr__(cls, name: str) -> Any:
        return getattr(datetime, name)


class _Shifted(metaclass=_ShiftedType):
    """``datetime`` with a clock that can be set."""

    ahead = timedelta()

    @classmethod
    def now(cls, zone: tzinfo | None = None) -> datetime:
        return datetime.now(zone) + cls.ahead


def _set_clock(ahead_s: float) -> None:
    """Set the clock that the product's modules ask."""
    _Shifted.ahead = timedelta(seconds=ahead_s)
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in _ROOMS and getattr(module, "datetime", None) is datetime:
            module.datetime = _Shifted  # type: ignore[attr-defined]


class _Child:
    """Counts operations and stops before one of them."""

    def __init__(self, root: str, stop: int | None) -> None:
        self.root = root
        self.stop = stop
        self.count = 0
        self.synced: set[Look] = set()
        self._one_at_a_time = threading.RLock()
        self._is_busy = False
        self._fsync = os.fsync
        os.fsync = self.fsync  # type: ignore[assignment]
        sys.addaudithook(self.hear)

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            if isinstance(arguments[2], int) and arguments[2] & _WRITING:
                self._happens(event, arguments[0])
        elif event in _CHANGES:
            self._happens(event, arguments[0])

    def fsync(self, descriptor: int) -> None:
        self._happens("fsync", f"/proc/self/fd/{descriptor}")
        self._fsync(descriptor)
        self.synced.add(look_of(os.fstat(descriptor)))

    def _happens(self, event: str, path: object) -> None:
        if not isinstance(path, str | bytes | os.PathLike):
            return
        name = os.fsdecode(path)
        name = os.path.realpath(name) if event == "fsync" else str(Path(name).absolute())
        if not name.startswith(self.root):
            return
        with self._one_at_a_time:
            if self._is_busy:
                return
            if self.count == self.stop:
                self._is_busy = True
                self._wait(event, name)
                self._is_busy = False
            self.count += 1

    def _wait(self, event: str, name: str) -> None:
        _answer({"operation": event, "path": os.path.relpath(name, self.root), "synced": sorted(self.synced)})
        told = _told()
        if told.get("die"):
            os.kill(os.getpid(), signal.SIGKILL)
        if told["ahead_s"]:
            _set_clock(told["ahead_s"])


def _answer(what: dict[str, Any]) -> None:
    os.write(_CHANNEL, json.dumps(what).encode() + b"\n")


def _told() -> dict[str, Any]:
    """The next line from the parent, byte by byte: what follows is for whoever asks next."""
    line = b""
    while not line.endswith(b"\n"):
        if not (byte := os.read(0, 1)):
            os._exit(0)
        line += byte
    told: dict[str, Any] = json.loads(line)
    return told


def _obey(asked: dict[str, Any], texts: Iterable[str]) -> None:
    """In the child: carry out a command as ``audit21`` would; does not return."""
    import pyarrow as pa

    from pipelines import cli
    from pipelines.custody import store as custody

    for descriptor, path in enumerate(texts, 1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), descriptor)
    os.environ["AUDIT21_KEY"] = asked["key"]
    os.cpu_count = lambda: 1  # fewer threads: the same operations in the same order
    pa.set_cpu_count(1)
    custody._AT_ONCE = 1  # type: ignore[misc]
    if asked["ahead_s"]:
        _set_clock(asked["ahead_s"])
    child = _Child(asked["root"], asked["stop"])
    sys.argv = ["audit21", *asked["arguments"]]
    exit_code = 0
    try:
        cli.main()
    except SystemExit as ended:
        exit_code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        exit_code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    _answer({"operations": child.count})
    os._exit(exit_code)


def _serve(texts: list[str]) -> None:
    for name in _MODULES:
        import_module(name)
    while True:
        asked = _told()
        child = os.fork()
        if not child:
            _obey(asked, texts)
        _, status = os.waitpid(child, 0)
        _answer({"ended": os.waitstatus_to_exitcode(status)})


_CHANNEL: Final = 1 if __name__ != "__main__" else os.dup(1)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent says when it is over
    _serve(sys.argv[1:])
