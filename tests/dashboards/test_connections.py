"""Clients that keep the server waiting: they are given up, and others are answered meanwhile."""

import asyncio
import select
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, suppress

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from dashboards.connections import MOST_HEAD_BYTES, PatientConnection
from tests.dashboards.floor import Floor
from tests.dashboards.server import Server, serving

_PATIENCE_S = 20.0
HEAD = b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"


class Quick(PatientConnection):
    """As little patience as a test has, and room for few."""

    head_s, body_s, take_s, most_open = 0.5, 0.5, 0.5, 12


class Crowded(PatientConnection):
    """All patience, but room for few."""

    head_s = body_s = take_s = 600.0
    most_open = 12


@pytest.fixture(scope="module", params=[Quick, Crowded])
def both(request: pytest.FixtureRequest, floor: Floor, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(floor.lake, tmp_path_factory.mktemp("cases") / "cases.db", http=request.param) as running:
        yield running


@pytest.fixture(scope="module")
def quick(floor: Floor, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(floor.lake, tmp_path_factory.mktemp("cases") / "cases.db", http=Quick) as running:
        yield running


def connect(server: Server) -> socket.socket:
    host, port = httpx.URL(server.url).host, httpx.URL(server.url).port
    return socket.create_connection((host, port), timeout=_PATIENCE_S)


def is_closed(connection: socket.socket) -> bool:
    """Return whether the server ends a connection without an answer."""
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


@pytest.mark.parametrize("sent", [b"", b"GET / HT", HEAD, HEAD + b"Content-Length: 100\r\n\r\nname=ann"])
def test_who_sends_no_whole_request_is_given_up(quick: Server, sent: bytes) -> None:
    with connect(quick) as connection:
        connection.sendall(sent)
        assert is_closed(connection)


def test_a_trickle_of_bytes_is_no_progress(quick: Server) -> None:
    with connect(quick) as connection:
        deadline = time.monotonic() + _PATIENCE_S
        try:
            connection.sendall(HEAD)
            while time.monotonic() < deadline:
                connection.sendall(b"X-Slow: 1\r\n")
                time.sleep(0.1)
        except ConnectionError:
            return
        raise AssertionError("the connection stayed open")


def test_a_head_without_end_is_given_up(both: Server) -> None:
    with connect(both) as connection:
        try:
            connection.sendall(HEAD)
            for _ in range(2 * MOST_HEAD_BYTES // 1000):
                connection.sendall(b"X-Long: " + b"x" * 1000 + b"\r\n")
            assert is_closed(connection)
        except ConnectionError:
            pass


def test_who_takes_nothing_of_an_answer_is_given_up(quick: Server) -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"x" * (1 << 16)
            await asyncio.sleep(0)  # whoever streams lets others have their turn

    quick.app.router.routes.insert(0, Route("/endless", lambda _request: StreamingResponse(endless())))
    with connect(quick) as connection:
        connection.sendall(b"GET /endless HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        ended = select.poll()
        ended.register(connection, 0)  # tells only that the other side has ended it
        assert ended.poll(1000 * _PATIENCE_S)


def test_half_open_connections_keep_nobody_out(both: Server) -> None:
    with ExitStack() as stack:
        halves: list[socket.socket] = []
        for _ in range(60):
            with suppress(ConnectionResetError):  # one that had no room is out already
                halves.append(stack.enter_context(connect(both)))
        assert len(halves) > Quick.most_open
        for place, half in enumerate(halves):
            with suppress(ConnectionError):
                half.sendall(HEAD if place % 2 else HEAD + b"Content-Length: 100\r\n\r\n")
        with both.client("ann") as client:
            for _ in range(3):
                assert client.get("/cases").status_code == 200
        deadline = time.monotonic() + _PATIENCE_S
        gone: list[socket.socket] = []
        while len(gone) < len(halves) - Quick.most_open and time.monotonic() < deadline:
            gone = select.select(halves, [], [], 0.1)[0]
        assert len(gone) >= len(halves) - Quick.most_open and all(is_closed(each) for each in gone), "some made room"


def test_a_stream_of_events_may_be_silent(quick: Server) -> None:
    async def events() -> AsyncIterator[bytes]:
        yield b"data: first\n\n"
        await asyncio.sleep(4 * Quick.take_s)
        yield b"data: last\n\n"

    def stream(_request: Request) -> StreamingResponse:
        return StreamingResponse(events(), media_type="text/event-stream")

    quick.app.router.routes.insert(0, Route("/stream", stream))
    with quick.client("ann") as client, client.stream("GET", "/stream") as answer:
        assert b"".join(answer.iter_raw()) == b"data: first\n\ndata: last\n\n"


def test_a_browser_may_pause_between_two_requests(quick: Server) -> None:
    with connect(quick) as connection:
        for _ in range(2):
            connection.sendall(b"GET /static/favicon.svg HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200")
            time.sleep(2 * Quick.head_s)
