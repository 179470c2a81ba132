"""A server of the web app in this process, and people who use it."""

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import httpx
import uvicorn
from starlette.applications import Starlette

from dashboards.app import create_app
from dashboards.connections import PatientConnection
from dashboards.packets.case import Rules
from dashboards.settings import Settings
from dashboards.web.site import Site
from warehouse.cases import accounts, passwords, sessions

PASSWORD = "seven of hearts, suited"
# Account names and their roles: two auditors, because a day is signed off by two.
PEOPLE = {
    "ann": ["surveillance"],
    "bob": ["audit"],
    "cyd": ["audit"],
    "reg": ["regulator"],
    "roy": ["regulator"],
    "root": ["admin"],
    "rosa": ["admin"],
}
MADE = datetime(2025, 12, 1, tzinfo=UTC)  # before any day of the tests, which only older accounts may sign


@dataclass
class Clock:
    """The time, which a test may move on."""

    ahead: timedelta = field(default_factory=timedelta)

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@dataclass(frozen=True)
class Visitor:
    """Session of a signed-in account: its cookie and form token."""

    name: str
    cookie: str
    csrf: str


@dataclass(frozen=True)
class Server:
    """A server that is running."""

    url: str
    app: Starlette
    clock: Clock

    @property
    def site(self) -> Site:
        site: Site = self.app.state.site
        return site

    def sign_in(self, name: str) -> Visitor:
        """A session without the form."""
        with self.site.database.write() as session:
            account = accounts.by_name(session, name)
            assert account is not None
            begun = sessions.begin(session, account, "127.0.0.1", self.clock())
        with self.site.database.read() as session:
            found = sessions.find(session, begun.id, self.clock())
            assert found is not None
            return Visitor(name, begun.id, found.csrf)

    def client(self, name: str | None = None) -> httpx.Client:
        """An HTTP client as somebody, or as a stranger; it follows no redirect and sends the token of forms."""
        client = httpx.Client(base_url=self.url, timeout=30)
        if name is not None:
            visitor = self.sign_in(name)
            client.cookies.set("audit21_session", visitor.cookie)
            client.headers["X-CSRF-Token"] = visitor.csrf
        return client


@contextmanager
def serving(
    lake: Path,
    database: str | Path,
    *,
    show_live_shoes: bool = False,
    landing: Path | None = None,
    deadlines: Rules | None = None,
    people: Mapping[str, list[str]] = PEOPLE,
    http: type[PatientConnection] = PatientConnection,
) -> Iterator[Server]:
    """A server on any free port, with an account for everyone."""
    clock = Clock()
    app = create_app(Settings(lake, database, show_live_shoes, landing=landing, now=clock, deadlines=deadlines or {}))
    add_people(app.state.site, people)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(
            app, log_level="error", access_log=False, http=http, ws="none", timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield Server(f"http://127.0.0.1:{listening.getsockname()[1]}", app, clock)
        finally:
            server.should_exit = True
            thread.join()


@cache
def _kept() -> str:
    return passwords.kept(PASSWORD)  # takes a while, so once for all


def add_people(site: Site, people: Mapping[str, list[str]]) -> None:
    """Accounts with these roles, where there are none of that name yet."""
    with site.database.write() as session:
        for name, roles in people.items():
            if accounts.by_name(session, name) is None:
                account = accounts.create(session, name, f"{name.title()} of the test", roles, MADE)
                account.password = _kept()
        everyone = accounts.everyone(session)
        admins = [each.id for each in everyone if each.name in ("root", "rosa")]
        for each in everyone if len(admins) == 2 else []:
            each.invited_by, each.confirmed_by = admins
