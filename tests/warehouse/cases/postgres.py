"""A PostgreSQL server that is there for the tests only."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_USER = "postgres"


def programs() -> Path:
    """The folder with the newest initdb and pg_ctl."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    assert found, "PostgreSQL is not installed; make test installs it where it can"
    return found[-1]


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """A server of its own in a folder; the URL of its empty database."""
    folder.mkdir(parents=True)
    if os.getuid() == 0:  # PostgreSQL refuses to run as root
        shutil.chown(folder, _USER)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = f"-c listen_addresses=127.0.0.1 -c unix_socket_directories= -p {port} -c fsync=off"
    _run("initdb", "--pgdata", str(folder / "data"), "--auth", "trust", "--username", _USER, "--no-sync")
    _run("pg_ctl", "start", "--wait", "-D", str(folder / "data"), "-l", str(folder / "log"), "-o", options)
    try:
        yield f"postgresql://{_USER}@127.0.0.1:{port}/{_USER}"
    finally:
        _run("pg_ctl", "stop", "-D", str(folder / "data"), "-m", "immediate")


def _run(program: str, *arguments: str) -> None:
    command = [str(programs() / program), *arguments]
    if os.getuid() == 0:
        command = ["setpriv", "--reuid", _USER, "--regid", _USER, "--clear-groups", *command]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/", timeout=120)
    assert done.returncode == 0, f"{program}: {done.stderr or done.stdout}"
