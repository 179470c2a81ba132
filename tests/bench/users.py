"""Many people at once: how long a page takes when each of them opens one every few seconds.

The server is ``audit21 serve`` in processes of its own; the people are tasks of this process, one connection each, over
loopback. A page is its document, the styles and scripts that it names as far as a browser would ask for them again, and
for a round its replay, which the page's script fetches.
"""

import asyncio
import gzip
import os
import random
import re
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Final, NamedTuple

from rich.table import Table

from dashboards.settings import DATABASE, utc_now
from dashboards.web.words import round_url
from tests.bench.lakes import COMMAND
from warehouse.cases import accounts, cases, sessions
from warehouse.cases.database import Database
from warehouse.cases.words import AUDIT, ROUND
from warehouse.lake import Lake

MOST_SECONDS: Final = 1.0  # p95 of all pages
EVERY_SECONDS: Final = 5.0  # each user opens a page
_WARM_UP_SECONDS: Final = 5.0  # each user's first page, which does not count
_LONGEST_SECONDS: Final = 60.0
_PLACES: Final = 40  # rounds and findings that are looked at
_STATIC: Final = re.compile(rb'(?:href|src)="(/static/[^"]+)"')
_SERVED: Final = re.compile(r"at http://127\.0\.0\.1:(\d+);")
# How often each kind of page is opened.
_SHARES: Final = {"triage": 3, "round": 3, "table": 1, "audit": 1, "finding": 1, "case": 1}


class Answer(NamedTuple):
    """The server's answer."""

    status: int
    headers: Mapping[bytes, bytes]
    body: bytes


@dataclass
class Browser:
    """One user's connection, and the styles and scripts that the browser has kept."""

    port: int
    cookie: str
    kept: dict[str, tuple[bytes, bool]] = field(default_factory=dict)  # by address: tag, and whether it never changes
    _streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def open(self, url: str) -> None:
        """Get a page with all that belongs to it."""
        page = await self._get(url)
        for found in dict.fromkeys(_STATIC.findall(page.body)):
            await self._get_kept(found.decode())
        if url.startswith("/rounds/"):
            await self._get("/replays/" + url.removeprefix("/rounds/"))

    async def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def _get_kept(self, url: str) -> None:
        tag, is_final = self.kept.get(url, (b"", False))
        if not is_final:
            answer = await self._get(url, tag)
            found = answer.headers.get(b"etag", b"")
            self.kept[url] = found, b"immutable" in answer.headers.get(b"cache-control", b"")

    async def _get(self, url: str, tag: bytes = b"") -> Answer:
        """An answer; a connection that the server closed meanwhile is opened again once."""
        lines = [f"GET {url} HTTP/1.1", "Host: 127.0.0.1", f"Cookie: audit21_session={self.cookie}"]
        lines += ["Accept-Encoding: gzip", *([f"If-None-Match: {tag.decode()}"] if tag else [])]
        asked = "\r\n".join([*lines, "", ""]).encode()
        if self._streams is not None:
            try:
                return self._checked(url, await self._exchange(asked))
            except (ConnectionError, asyncio.IncompleteReadError):
                await self.close()
        self._streams = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)
        return self._checked(url, await self._exchange(asked))

    @staticmethod
    def _checked(url: str, answer: Answer) -> Answer:
        if answer.status not in (200, 304):
            raise RuntimeError(f"{url}: the server answered {answer.status}, expected 200")
        return answer

    async def _exchange(self, asked: bytes) -> Answer:
        assert self._streams is not None
        reader, writer = self._streams
        writer.write(asked)
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[:-2]
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines)}
        status = int(first.split()[1])
        body = b"" if status == 304 else await _body(reader, headers)
        if headers.get(b"connection") == b"close":
            await self.close()
        if headers.get(b"content-encoding") == b"gzip":
            body = gzip.decompress(body)
        return Answer(status, headers, body)


async def _body(reader: asyncio.StreamReader, headers: Mapping[bytes, bytes]) -> bytes:
    if b"content-length" in headers:
        return await reader.readexactly(int(headers[b"content-length"]))
    parts = []
    while size := int(await reader.readuntil(b"\r\n"), 16):
        parts.append(await reader.readexactly(size))
        await reader.readexactly(2)
    await reader.readexactly(2)
    return b"".join(parts)


class Served(NamedTuple):
    """The server: its port, and the session that its processes are in."""

    port: int
    session: int

    def processor_seconds(self) -> float:
        """Processor time that its processes have taken."""
        fields = [each.read_text().rpartition(")")[2].split() for each in Path("/proc").glob("[0-9]*/stat")]
        ticks = sum(int(each[11]) + int(each[12]) for each in fields if int(each[3]) == self.session)
        return ticks / os.sysconf("SC_CLK_TCK")


class Opened(NamedTuple):
    """A page that somebody opened."""

    kind: str
    seconds: float


def measure(lake: Path, users: int, seconds: float, workers: int | None, seed: int) -> Table:
    """Pages of so many users for a time, by kind, and whether their p95 is small enough."""
    with tempfile.TemporaryDirectory(prefix="audit21-bench-") as name:
        database = Path(name) / DATABASE
        cookies, case_id = _people(database, lake, users)
        places = _places(lake, case_id)
        with _served(lake, database, workers) as server:
            opened, busy = asyncio.run(_visit(server, cookies, places, seconds, seed))
    title = (
        f"{users} users, a page every {EVERY_SECONDS:g} s each, for {seconds:g} s: {len(opened) / seconds:.1f} pages/s"
    )
    table = Table(title=title)
    for column in ("page", "opened", "p50", "p95", "longest"):
        table.add_column(column, justify="left" if column == "page" else "right")
    for kind in (*_SHARES, "all"):
        table.add_row(kind, *_figures([each.seconds for each in opened if kind in (each.kind, "all")]))
    table.caption = (
        f"p95 of all pages shall be at most {MOST_SECONDS:g} s on {os.cpu_count()} cores for server and users; "
        f"the server took {1000 * busy / max(1, len(opened)):.1f} ms of processor time for a page"
    )
    return table


def _figures(taken: list[float]) -> tuple[str, ...]:
    if len(taken) < 2:
        return str(len(taken)), "–", "–", "–"
    cuts = statistics.quantiles(taken, n=20)
    return f"{len(taken):,}", *(f"{1000 * each:,.0f} ms" for each in (cuts[9], cuts[18], max(taken)))


def _people(database: Path, lake: Path, users: int) -> tuple[list[str], int]:
    """A session for every user, and a case that they look at."""
    kept, now = Database(database), utc_now()
    round_id, day = Lake.open(lake).scan("rounds").select("round_id", "gaming_day").head(1).collect().row(0)
    with kept.write() as session:
        begun = []
        for number in range(users):
            account = accounts.create(session, f"user{number}", "", [AUDIT], now)
            account.password = "not the hash of any password"
            begun.append(sessions.begin(session, account, "127.0.0.1", now).id)
        case = cases.open_case(session, "A late wager", "user0", now)
        cases.add_item(case, ROUND, round_id, day, "user0", now)
    kept.close()
    return begun, case.id


def _places(lake: Path, case_id: int) -> dict[str, list[str]]:
    """Addresses of each kind of page, on the newest day, where people look most."""
    found = Lake.open(lake)
    day = max(found.snapshot().days)
    rounds = found.scan("rounds", days=[day]).select("round_id").head(_PLACES).collect()["round_id"].to_list()
    findings = found.scan("findings", days=[day]).select("finding_id").head(_PLACES).collect()["finding_id"].to_list()
    tables = found.scan("rounds", days=[day]).select("table").unique().collect()["table"].sort().to_list()
    whole = f"day={day}&from={day}T00:00:00Z&to={day + timedelta(days=2)}T00:00:00Z"
    return {
        "triage": [f"/triage?day={day}"],
        "round": [round_url(each) for each in rounds],
        "table": [f"/tables/{table}?{whole}" for table in tables],
        "audit": [f"/audit?day={day}"],
        "finding": [f"/findings/{each}?day={day}" for each in findings],
        "case": [f"/cases/{case_id}"],
    }


@contextmanager
def _served(lake: Path, database: Path, workers: int | None) -> Iterator[Served]:
    """The command, running."""
    command = [*COMMAND, "serve", "--lake", str(lake), "--database", str(database), "--port", "0"]
    command += [] if workers is None else ["--workers", str(workers)]
    nothing, pipe = subprocess.DEVNULL, subprocess.PIPE
    with subprocess.Popen(command, stdin=nothing, stdout=pipe, text=True, start_new_session=True) as process:
        try:
            assert process.stdout is not None
            found = next(filter(None, map(_SERVED.search, process.stdout)), None)
            if found is None:
                raise RuntimeError("audit21 serve ended before it listened")
            yield Served(int(found[1]), process.pid)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


async def _visit(
    server: Served, cookies: Sequence[str], places: Mapping[str, list[str]], seconds: float, seed: int
) -> tuple[list[Opened], float]:
    """The pages that were opened, and the processor time that the server took for them."""
    browsers = [Browser(server.port, cookie) for cookie in cookies]
    async with asyncio.timeout(_LONGEST_SECONDS):  # until the workers are there
        await browsers[0].open(places["triage"][0])
    start = time.perf_counter() + _WARM_UP_SECONDS
    tasks = [_user(browser, places, start, seconds, random.Random(f"{seed} {browser.cookie}")) for browser in browsers]
    visits = asyncio.gather(*tasks)
    await asyncio.sleep(_WARM_UP_SECONDS)
    before = server.processor_seconds()
    opened = [each for pages in await visits for each in pages]
    for browser in browsers:
        await browser.close()
    return opened, server.processor_seconds() - before


async def _user(
    browser: Browser, places: Mapping[str, list[str]], start: float, seconds: float, rng: random.Random
) -> list[Opened]:
    """Open a page every few seconds, whether or not the one before came soon; those before ``start`` do not count."""
    due, opened = start - _WARM_UP_SECONDS + rng.uniform(0, EVERY_SECONDS), []
    while due < start + seconds:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        kind = rng.choices(list(_SHARES), list(_SHARES.values()))[0]
        async with asyncio.timeout(_LONGEST_SECONDS):
            await browser.open(rng.choice(places[kind]))
        if due >= start:
            opened.append(Opened(kind, time.perf_counter() - due))
        due += EVERY_SECONDS
    return opened
