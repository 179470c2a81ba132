"""Pages of the web app, from request to the last byte, next to the bare DuckDB queries that they need."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from rich.table import Table
from starlette.applications import Starlette
from starlette.types import Message

from dashboards.app import create_app
from dashboards.lake import pinned
from dashboards.rounds.warm import warm_up
from dashboards.settings import DATABASE, Settings
from dashboards.web.words import round_url
from tests.dashboards.server import Clock, Server, add_people
from warehouse.lake import Lake

MOST: Final = 1.5
_PLACES: Final = 12  # addresses of each page
_ACCOUNT: Final = "bob"  # of internal audit: sees all three pages
_T = TypeVar("_T")
Ask = Callable[[str], Awaitable[bytes]]  # an address, for the body of the answer


class Query(NamedTuple):
    """A query that a page made."""

    scope: pinned.Scope
    sql: str
    params: dict[str, object]

    def run(self) -> None:
        with self.scope.cursor() as cursor:
            cursor.execute(self.sql, self.params or None).fetchall()


class Times(NamedTuple):
    """Seconds of many answers."""

    page: list[float]
    bare: list[float]
    queries: int
    bytes: int


def measure(lake: Path, runs: int) -> Table:
    """The pages at several places of the lake, each so many times, in turn with its queries."""
    found = Lake.open(lake)
    days = list(found.snapshot().days)
    rounds = found.scan("rounds").select("round_id").collect()["round_id"]
    spread_days = _spread(days)
    places = {
        "triage": [f"/triage?day={day}" for day in spread_days],
        "round": [round_url(each) for each in _spread(rounds.to_list())],
        "audit": [f"/audit?day={day}" for day in spread_days],
    }
    times = asyncio.run(_all_times(lake, places, runs))
    table = Table(title=f"The web app: a lake of {len(rounds):,} rounds on {len(days)} days, {runs} times each place")
    for column in ("page", "places", "size", "p50", "p95", "queries", "bare p50", "bare p95"):
        table.add_column(column, justify="left" if column == "page" else "right")
    table.add_column(f"ratio p50, p95 (at most {MOST})", justify="right")
    for page, taken in times.items():
        own, bare = _percentiles(taken.page), _percentiles(taken.bare)
        shown = [f"{1000 * each:.1f} ms" for each in (*own, *bare)]
        ratios = ", ".join(f"{mine / theirs:.2f}" for mine, theirs in zip(own, bare, strict=True))
        size = f"{taken.bytes / 1000:.0f} kB"
        table.add_row(page, str(len(places[page])), size, *shown[:2], str(taken.queries), *shown[2:], ratios)
    return table


async def _all_times(lake: Path, places: Mapping[str, Sequence[str]], runs: int) -> dict[str, Times]:
    """In one task, as a server is one: it keeps the threads that answer."""
    with tempfile.TemporaryDirectory(prefix="audit21-bench-") as name:
        async with _browser(lake, Path(name)) as ask:
            return {page: await _times(ask, urls, runs) for page, urls in places.items()}


async def _times(ask: Ask, urls: Sequence[str], runs: int) -> Times:
    """The first answer of a place opens its files and tells its queries; it does not count."""
    page, bare = [], []
    for url in urls:
        with _recorded() as queries:
            answer = await ask(url)
        for _ in range(runs):
            for query in queries:
                query.scope.forget()
            start = time.perf_counter()
            await ask(url)
            answered = time.perf_counter()
            _run_all(queries)
            page.append(answered - start)
            bare.append(time.perf_counter() - answered)
    return Times(page, bare, len(queries), len(answer))


def _run_all(queries: Sequence[Query]) -> None:
    for query in queries:
        query.run()


@contextmanager
def _recorded() -> Iterator[list[Query]]:
    """The queries that are made meanwhile."""
    made: list[Query] = []
    rows, table = pinned.Scope.rows, pinned.Scope.table

    def listed(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(scope: pinned.Scope, query: str, **params: object) -> Any:
            made.append(Query(scope, query, params))
            return method(scope, query, **params)

        return call

    pinned.Scope.rows, pinned.Scope.table = listed(rows), listed(table)  # type: ignore[method-assign]
    try:
        yield made
    finally:
        pinned.Scope.rows, pinned.Scope.table = rows, table  # type: ignore[method-assign]


@asynccontextmanager
async def _browser(lake: Path, folder: Path) -> AsyncIterator[Ask]:
    """Yield a client of the app in this process, warmed up and without a network between."""
    clock = Clock()
    app = create_app(Settings(lake, folder / DATABASE, now=clock))
    add_people(app.state.site, {_ACCOUNT: ["audit"]})
    server = Server("http://localhost", app, clock)
    cookie = f"audit21_session={server.sign_in(_ACCOUNT).cookie}"
    warming = warm_up()
    if warming is not None:
        warming.join()
    async with app.router.lifespan_context(app):
        yield lambda url: _answer(app, url, cookie)


async def _answer(app: Starlette, url: str, cookie: str) -> bytes:
    path, _, query = url.partition("?")
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "root_path": "",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(b"host", b"localhost"), (b"cookie", cookie.encode()), (b"accept-encoding", b"gzip")],
        "client": ("127.0.0.1", 50_000),
        "server": ("localhost", 80),
    }
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    if sent[0]["status"] != 200:
        raise RuntimeError(f"{url}: the app answered {sent[0]['status']}, expected 200")
    return b"".join(message.get("body", b"") for message in sent[1:])


def _spread(rows: Sequence[_T]) -> list[_T]:
    """Some of them from the first to the last."""
    most = min(_PLACES, len(rows))
    return [rows[index * (len(rows) - 1) // max(1, most - 1)] for index in range(most)]


def _percentiles(seconds: list[float]) -> tuple[float, float]:
    """p50 and p95."""
    cuts = statistics.quantiles(seconds, n=20)
    return cuts[9], cuts[18]
