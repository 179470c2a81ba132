"""The installed `audit21` script, run as a person runs it."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
import typer

from pipelines.cli.shared import fail

SCRIPT = Path(sys.executable).with_name("audit21")


def audit21(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, check=False)


def test_version() -> None:
    done = audit21("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"audit21 {version('audit21')}\n", "")


def test_no_command_shows_help() -> None:
    done = audit21()
    assert done.returncode == 0
    assert "--version" in done.stdout


@pytest.mark.parametrize("argument", ["--nonsense", "nonsense"])
def test_bad_command_is_one_line(argument: str) -> None:
    done = audit21(argument)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("audit21: No such ")
    assert argument in done.stderr
    assert done.stderr.count("\n") == 1


def test_fail_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as raised:
        fail("no such file:\n  tape.ndjson")
    assert raised.value.exit_code == 2
    assert capsys.readouterr().err == "audit21: no such file: tape.ndjson\n"
