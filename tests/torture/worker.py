"""``audit21`` in processes of their own that are warm before they are asked, so that a kill finds them at work."""

import json
import os
import select
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self, TextIO

ROOT = Path(__file__).parents[2]
MOST_S = 900.0  # longer than any run here takes, even on a machine that others use too


class Ended(NamedTuple):
    """Outcome of a command; a negative exit code is the signal that ended it."""

    exit_code: int
    output: str
    errors: str  # what it wrote on standard error


class Hung(RuntimeError):
    """A command that does not come to an end."""


class Worker:
    """A process that has imported everything and waits for commands. One that was killed takes no more.

    The history of runs is kept in the lake, or in a folder of its own.
    """

    def __init__(self, folder: Path, history: Path | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._written = [folder / f"{name}-{time.monotonic_ns()}.txt" for name in ("output", "errors")]
        self._read = [0, 0]
        with self._written[1].open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.torture.worker", str(self._written[0])],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=ROOT,
                env=os.environ | {"AUDIT21_KEY": str(folder / "key.pem"), "DAGSTER_HOME": str(history or "")},
            )
        self._is_ready = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.kill()

    def begin(self, *arguments: str | Path) -> None:
        """Start a command, once the process is warm."""
        if not self._is_ready:
            self._answer(MOST_S)
            self._is_ready = True
        self._read = [path.stat().st_size for path in self._written]
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([str(each) for each in arguments]).encode() + b"\n")
        self._process.stdin.flush()

    def ended(self, within_s: float) -> Ended | None:
        """Return the command's outcome, None if it has not ended within the time."""
        answer = self._answer(within_s)
        if answer is None:
            return None
        exit_code = int(answer) if answer else self._process.wait()
        told = [path.read_bytes()[read:] for path, read in zip(self._written, self._read, strict=True)]
        return Ended(exit_code, *(text.decode(errors="replace") for text in told))

    def run(self, *arguments: str | Path) -> Ended:
        """A command from beginning to end."""
        self.begin(*arguments)
        ended = self.ended(MOST_S)
        if ended is None:
            raise Hung(f"audit21 {' '.join(str(each) for each in arguments)} has not ended within {MOST_S:.0f} s")
        return ended

    def run_until(self, reached: Callable[[], bool], then_s: float, *arguments: str | Path) -> Ended | None:
        """A command that is killed some time after something shows; None where it was, else how it ended before."""
        self.begin(*arguments)
        until = time.monotonic() + MOST_S
        while not reached():
            if ended := self.ended(0):
                return ended
            if time.monotonic() > until:
                raise Hung(f"audit21 {' '.join(str(each) for each in arguments)} has not ended within {MOST_S:.0f} s")
        ended = self.ended(then_s)
        if ended is None:
            self.kill()
        return ended

    def kill(self) -> None:
        """SIGKILL, and wait until the process is gone."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        for path in self._written:
            path.unlink(missing_ok=True)

    def _answer(self, within_s: float) -> bytes | None:
        """A line from the process, empty where it has died."""
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], within_s)[0]:
            return None
        return self._process.stdout.readline()


def serve(answers: TextIO, commands: Sequence[str] | TextIO) -> None:
    """In the process: carry out one command after the other, as ``audit21`` would."""
    from pipelines import cli

    for name in ("run", "verify"):  # which the command line imports when it needs them
        import_module(f"pipelines.commands.{name}")
    answers.write("ready\n")
    answers.flush()
    for command in commands:
        sys.argv = ["audit21", *json.loads(command)]
        try:
            cli.main()
        except SystemExit as ended:
            exit_code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        except BaseException:
            traceback.print_exc()
            exit_code = 1
        sys.stdout.flush()
        answers.write(f"{exit_code}\n")
        answers.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent says when it is over
    with os.fdopen(os.dup(1), "w") as channel:
        os.dup2(os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT), 1)
        serve(channel, sys.stdin)
