"""The command: what it prints, whom it lets in first, and what it refuses."""

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from dashboards import serve
from pipelines import cli
from tests.dashboards.floor import Floor

_MAIN = "from pipelines.cli import main; main()"


@contextmanager
def started(*arguments: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-u", "-c", _MAIN, "serve", "--port", "0", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(20)


def lines_to(process: "subprocess.Popen[str]", word: str) -> str:
    """Return the server's output up to a line with that word."""
    assert process.stdout is not None
    read = ""
    for line in process.stdout:
        read += line
        if word in line:
            return read
    raise AssertionError(f"it ended: {read}")


def test_without_a_terminal_a_link_makes_the_first_account(floor: Floor, tmp_path: Path) -> None:
    options = ("--lake", str(floor.lake), "--database", str(tmp_path / "cases.db"))
    with started(*options) as process:
        printed = lines_to(process, "audit21 serves")
        link = re.search(r"http://127\.0\.0\.1:\d+/welcome/\S+", printed)
        assert link is not None and "works once" in printed
        assert httpx.get(link[0], timeout=60).status_code == 200  # the workers may still be starting
        assert (tmp_path / "cases.db").exists() and not (floor.lake / "cases.db").exists()


def refused(lake: Path, **options: Any) -> str:
    with pytest.raises(serve.ServeRefused) as told:
        serve.run(serve.ServeRequest(lake, **options))
    return str(told.value)


def test_what_cannot_be_served_is_told(floor: Floor, tmp_path: Path) -> None:
    database = str(tmp_path / "cases.db")
    assert "is no lake" in refused(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = refused(floor.lake, database=database, port=port)
    assert str(port) in told and "choose another with --port" in told
    assert "expected a path" in refused(floor.lake, database="oracle://x/y")
    nowhere = str(tmp_path / "no" / "cases.db")
    assert nowhere in refused(floor.lake, database=nowhere)
    assert "go together" in refused(floor.lake, database=database, key=tmp_path / "key.pem")
    assert "expected the landing zone" in refused(floor.lake, database=database, landing=tmp_path / "gone")
    pem = tmp_path / "none.pem"
    assert str(pem) in refused(floor.lake, database=database, key=pem, certificate=pem)
    pem.write_text("no certificate")
    assert "no certificate with its key" in refused(floor.lake, database=database, key=pem, certificate=pem)


def test_the_command_tells_it_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["audit21", "serve", "--lake", str(tmp_path)])
        cli.main()
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith(f"audit21: {tmp_path} is no lake") and told.count("\n") == 1
