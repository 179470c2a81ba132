"""Worker processes at one address: they share sessions and links, are replaced when they die, and end together."""

import os
import re
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from dashboards.workers import WorkerError, Workers
from tests.dashboards.floor import FIRST, Floor
from tests.dashboards.server import PASSWORD
from tests.dashboards.test_serve import lines_to, started
from warehouse.cases import accounts
from warehouse.cases.database import Database

_PATIENCE_S = 60.0


def children(pid: int) -> set[int]:
    """The worker processes of a server."""
    found = set(Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return {int(each) for each in found if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()}


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def wait_for(what: str) -> Iterator[None]:
    """Ask again and again, for a while."""
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        yield
        time.sleep(0.1)
    raise AssertionError(f"{what}: not within {_PATIENCE_S:g} s")


def ask_each(url: str, path: str, cookies: dict[str, str]) -> set[int]:
    """The statuses of answers over many connections, so that every worker answers some."""
    return {httpx.get(url + path, cookies=cookies).status_code for _ in range(12)}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "cases.db"


def test_workers_share_sessions_and_one_time_links(floor: Floor, database: Path) -> None:
    with started("--lake", str(floor.lake), "--database", str(database), "--workers", "2") as process:
        printed = lines_to(process, "audit21 serves")
        link = re.search(r"(http://127\.0\.0\.1:\d+)(/welcome/\S+)", printed)
        assert link is not None
        with httpx.Client(base_url=link[1], timeout=_PATIENCE_S) as client:
            token = re.search(r'name="csrf" value="([^"]+)"', client.get(link[2]).text)
            assert token is not None
            form = {"csrf": token[1], "name": "root", "password": PASSWORD, "again": PASSWORD}
            assert client.post(link[2], data=form).status_code == 303
            cookies = dict(client.cookies)
        assert ask_each(link[1], f"/triage?day={FIRST}", cookies) == {200}
        assert ask_each(link[1], link[2], {}) == {404}, "the link works once, whoever answers"

        workers = children(process.pid)
        assert len(workers) == 2
        lost = min(workers)
        os.kill(lost, signal.SIGKILL)
        for _ in wait_for("another worker in its place"):
            if len(children(process.pid) - {lost}) == 2:
                break
        assert ask_each(link[1], "/cases", cookies) == {200}
        workers = children(process.pid)
        process.send_signal(signal.SIGINT)
        assert process.wait(_PATIENCE_S) == 0
        assert all(gone(each) for each in workers)


def test_workers_end_when_their_parent_is_killed(floor: Floor, database: Path) -> None:
    with started("--lake", str(floor.lake), "--database", str(database), "--workers", "2") as process:
        url = re.search(r"http://127\.0\.0\.1:\d+", lines_to(process, "audit21 serves"))
        assert url is not None and httpx.get(f"{url[0]}/sign-in", timeout=_PATIENCE_S).status_code == 200
        workers = children(process.pid)
        process.kill()
        for _ in wait_for("the end of all workers"):
            if all(gone(each) for each in workers):
                break
    kept = Database(database, create=False)
    with kept.read() as session:
        assert accounts.none_yet(session)
    kept.close()


def cannot_start(_listening: socket.socket, _ready: Callable[[], object]) -> None:
    sys.exit(3)


def test_workers_that_cannot_start_are_not_started_again_and_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, pytest.raises(WorkerError, match="could not start"):
        Workers(cannot_start, listening, 2).run()
