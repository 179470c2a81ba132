"""Runs the server: checks the settings, creates the first account, and prints the app's address."""

import getpass
import ipaddress
import os
import socket
import ssl
import sys
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import uvicorn
from rich.console import Console
from starlette.applications import Starlette

from dashboards.app import create_app
from dashboards.connections import PatientConnection
from dashboards.packets.case import CaseError, read_deadlines
from dashboards.settings import LOOPBACK, Settings, database_of
from dashboards.web.site import Site
from dashboards.workers import WorkerError, Workers
from warehouse.cases import accounts, activity
from warehouse.cases.activity import Actor
from warehouse.cases.errors import CasesError, Refused
from warehouse.evidence.files import TextOf
from warehouse.lake import LakeError

_TRIES: Final = 3
_MOST_BY_DEFAULT: Final = 4
_KEEP_ALIVE_S: Final = 15  # between two requests of a connection


class ServeRefused(ValueError):
    """The server cannot be started as it was asked for."""


class Failed(RuntimeError):
    """The server stopped, or the first account could not be made."""


@dataclass(frozen=True)
class ServeRequest:
    """The options of ``audit21 serve``."""

    lake: Path
    host: str = "127.0.0.1"
    port: int = 8021
    database: str | None = None
    open_browser: bool = False
    show_live_shoes: bool = False
    certificate: Path | None = None
    key: Path | None = None
    names: tuple[str, ...] = ()
    behind_proxy: bool = False
    landing: Path | None = None
    deadlines: Path | None = None
    text_of: TextOf | None = None  # reads the lines of landing files in Parquet
    workers: int = 1
    is_demo: bool = False


def usual_workers() -> int:
    """Worker processes where nobody says how many: one for each processor, up to four."""
    return min(_MOST_BY_DEFAULT, len(os.sched_getaffinity(0)))


def run(request: ServeRequest) -> None:
    """Serve until interrupted; ``ServeRefused`` where lake, database, certificate or port will not do."""
    out = Console(highlight=False, soft_wrap=True)
    _check_certificate(request)
    if request.landing is not None and not request.landing.is_dir():
        raise ServeRefused(f"{request.landing}: no such folder; expected the landing zone of the lake")
    try:
        settings = _settings(request)
        app = create_app(settings)
    except (LakeError, CasesError, CaseError) as error:
        raise ServeRefused(str(error)) from error
    with _listen(request) as listening:
        url = _url(request, listening.getsockname()[1])
        start = _first_account(app, url, out) or url
        out.print(f"audit21 serves {request.lake} at {url}; Ctrl+C ends it")
        if not _is_loopback(request.host) and request.certificate is None and not request.behind_proxy:
            out.print("Unencrypted: passwords can be intercepted. Give --certificate and --key, or use a proxy")
        if request.open_browser:
            threading.Timer(1, webbrowser.open, (start,)).start()
        if request.workers == 1:
            _answer(request, app, listening)
        else:
            app.state.site.close()
            _answer_with_workers(request, settings, listening)


def _settings(request: ServeRequest) -> Settings:
    return Settings(
        lake=request.lake,
        database=database_of(request.lake, request.database),
        show_live_shoes=request.show_live_shoes,
        hosts=request.names or (LOOPBACK if _is_loopback(request.host) else ("*",)),
        landing=request.landing,
        deadlines=read_deadlines(request.deadlines) if request.deadlines else {},
        text_of=request.text_of,
        is_demo=request.is_demo,
    )


def _answer(request: ServeRequest, app: Starlette, listening: socket.socket) -> None:
    uvicorn.Server(_config(request, app)).run(sockets=[listening])


def _answer_with_workers(request: ServeRequest, settings: Settings, listening: socket.socket) -> None:
    try:
        Workers(partial(_work, request, settings), listening, request.workers).run()
    except WorkerError as error:
        raise Failed(str(error)) from error


def _work(request: ServeRequest, settings: Settings, listening: socket.socket, ready: Callable[[], object]) -> None:
    """Serve requests in a worker process, which opens its own app, lake and database."""
    app = create_app(settings)
    ready()
    _answer(request, app, listening)


def _config(request: ServeRequest, app: Starlette) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=request.behind_proxy,
        ssl_certfile=request.certificate,
        ssl_keyfile=request.key,
        timeout_graceful_shutdown=3,
        timeout_keep_alive=_KEEP_ALIVE_S,
        http=PatientConnection,
        ws="none",
    )


def _check_certificate(request: ServeRequest) -> None:
    if (request.certificate is None) != (request.key is None):
        raise ServeRefused("--certificate and --key go together; one of them is missing")
    for path in (request.certificate, request.key):
        if path is not None and not path.is_file():
            raise ServeRefused(f"{path}: no such file; expected one in PEM form")
    if request.certificate is not None:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(request.certificate, request.key)
        except ssl.SSLError as error:
            told = f"{request.certificate}, {request.key}: no certificate with its key: {error.reason or error}"
            raise ServeRefused(f"{told}; expected both in PEM form") from error


def _listen(request: ServeRequest) -> socket.socket:
    try:
        family = socket.getaddrinfo(request.host, request.port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((request.host, request.port), family=family)
    except OSError as error:
        place = f"{request.host} port {request.port}"
        raise ServeRefused(
            f"cannot listen at {place}: {error.strerror or error}; choose another with --port"
        ) from error


def _url(request: ServeRequest, port: int) -> str:
    scheme = "http" if request.certificate is None else "https"
    host = request.names[0] if request.names else "127.0.0.1" if request.host in ("0.0.0.0", "::") else request.host
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


# The first account.


def _first_account(app: Starlette, url: str, out: Console) -> str | None:
    """Ask for the first account on a terminal, else give a link that makes it; None where there is one."""
    site: Site = app.state.site
    with site.database.read() as session:
        if not accounts.none_yet(session):
            return None
    if sys.stdin.isatty() and sys.stdout.isatty():
        _ask(site, out)
        return None
    with site.database.write() as session:
        link = f"{url}/welcome/{accounts.invite(session, None, site.now(), accounts.SET_UP_VALID)}"
    out.print(f"No accounts yet. This link creates the first one; it works once, for a day:\n  {link}")
    return link


def _ask(site: Site, out: Console) -> None:
    out.print("No accounts yet. The first account may invite others.")
    for _ in range(_TRIES):
        name, full_name = input("Account name: "), input("Your name: ")
        password = getpass.getpass("Password: ")
        try:
            if password != getpass.getpass("Password again: "):
                raise Refused("The two passwords differ.")
            with site.database.write() as session:
                account = accounts.create(session, name, full_name, accounts.FOUNDER_ROLES, site.now())
                accounts.set_password(session, account, password)
                activity.record(
                    session, Actor(account.name, "terminal"), site.now(), "set password", f"account {account.name}"
                )
            return
        except Refused as error:
            out.print(str(error))
    raise Failed("no account was made; start the server again")
