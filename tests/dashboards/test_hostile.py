"""Odd and hostile evidence, addresses and forms: every one gets an answer, none breaks a page or shows the server."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from urllib.parse import quote, unquote

import pytest
from starlette.routing import Route

from dashboards.web.attachments import disposition
from dashboards.web.pages import Guarded
from dashboards.web.permissions import Permission, of_roles
from dashboards.web.words import round_url
from tests.dashboards.conftest import ClientOf
from tests.dashboards.floor import FIRST
from tests.dashboards.server import PEOPLE, Server, serving
from tests.pipelines.lakes import audited
from tests.pipelines.zones import made
from tests.vision.calibration import tables
from warehouse.evidence.files import file_sha256
from warehouse.lake import Lake

DEEP = "[" * 100_000 + "]" * 100_000
ROUNDS = {"1": "第一局 ♠", "2": "a\r\nSet-Cookie: b=c", "3": 'x"; y=\t%41', "4": "r" * 400}


@dataclass(frozen=True)
class Odd:
    """A server on a lake with odd names in it."""

    server: Server
    rounds: list[str]
    sidecars: list[str]  # one that is nested too deeply, then one that can be adjusted


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory, floor: object) -> Iterator[Odd]:
    folder = tmp_path_factory.mktemp("odd")
    zone = made(folder / "zone", tables=1, rounds=6, irregularities=0.5)
    place = next(path for path in (zone / str(FIRST)).iterdir() if path.is_dir())
    for log in place.glob("*.ndjson"):
        text = log.read_text(encoding="utf-8")
        renamed = re.sub(r'"round":"(\d)"', lambda found: f'"round":{json.dumps(ROUNDS.get(found[1], found[1]))}', text)
        log.write_text(renamed, encoding="utf-8")
    (place / "footage-1.json").write_text(f'{{"start": {DEEP}, "calibration": {DEEP}}}')
    calibration = tables.table().truth.to_json()
    (place / "footage-2.json").write_text(json.dumps({"start": f"{FIRST}T18:00:00Z", "calibration": calibration}))
    audited(zone, folder / "lake", copy_footage=True)
    rounds = Lake.open(folder / "lake").read("rounds")["round_id"].to_list()
    sidecars = [file_sha256(place / f"footage-{number}.json")[0] for number in (1, 2)]
    with serving(folder / "lake", folder / "cases.db") as running:
        yield Odd(running, rounds, sidecars)


def test_rounds_of_any_name_have_pages_files_and_a_place_in_cases(odd: Odd, client_of: ClientOf) -> None:
    client = client_of("bob", at=odd.server)
    assert all(any(name in round_id for round_id in odd.rounds) for name in ROUNDS.values())
    for round_id in odd.rounds:
        url = round_url(round_id)
        assert client.get(url).status_code == 200, round_id
        assert client.get(url.replace("/rounds/", "/replays/", 1)).status_code == 200, round_id
        for form in ("csv", "parquet"):
            answer = client.get(url, params={"format": form})
            assert answer.status_code == 200, round_id
            assert "set-cookie" not in answer.headers
        assert client.post(url, data={"case": "new", "title": "odd"}).status_code == 303


def test_a_file_is_named_as_its_round_is() -> None:
    header = disposition("rounds-第一局-snapshot-1.csv")["Content-Disposition"]
    assert header.startswith('attachment; filename="rounds-___-snapshot-1.csv"; ')
    assert unquote(header.partition("UTF-8''")[2]) == "rounds-第一局-snapshot-1.csv"
    assert disposition("a.csv") == {"Content-Disposition": 'attachment; filename="a.csv"'}
    broken = disposition('a"b\r\nX: y/../\ud800.csv')["Content-Disposition"]
    assert broken.encode("latin-1").isascii() and "\r" not in broken and "\n" not in broken and "/" not in broken


def test_sidecars_that_are_nested_deeply(odd: Odd, client_of: ClientOf) -> None:
    client, (deep, good) = client_of("ann", at=odd.server), odd.sidecars
    assert client.get(f"/cameras?day={FIRST}").status_code == 200
    assert client.get(f"/cameras?day={FIRST}&format=csv").status_code == 200
    assert client.get(f"/cameras/{deep}").status_code == 404
    assert client.get(f"/cameras/{deep}?format=json").status_code == 200
    for change in ("check", "draft"):
        for text in (DEEP, f'{{"corners": {DEEP}, "zones": {{}}}}', '{"corners": [[1e999, 0]], "zones": {"a": 1}}'):
            answer = client.post(f"/cameras/{good}/{change}", data={"adjusted": text})
            assert answer.status_code == 400 and "no calibration" in answer.text


# Every route with odd values wherever it takes one.

VALUES = [
    "第一局",
    "\x00",
    "a\r\nb: c",
    "x" * 900,
    "-1",
    "12345678",
    "../../etc/passwd",
    "9999-12-31",
    "\ud800",
    str(FIRST),
]
QUERY: tuple[str, ...] = (
    "day",
    "snapshot",
    "page",
    "sort",
    "q",
    "before",
    "seconds",
    "step",
    "story",
    "from",
    "to",
    "rows",
    "by",
)
QUERY += ("format", "measure", "kind", "table", "dealer", "state", "severity", "status", "finding", "next", "all")
FORM: tuple[str, ...] = (
    "name",
    "full_name",
    "password",
    "again",
    "old",
    "roles",
    "title",
    "text",
    "round_id",
    "account_id",
    "state",
)
FORM += (
    "finding_id",
    "day",
    "status",
    "note",
    "case",
    "batch",
    "published",
    "adjusted",
    "query",
    "back",
    "who",
    "said",
)
FORM += ("received", "complaint", "patron", "seat", "seen", "outcome", "outcome_on", "said_on", "number", "next")
STEP = 12  # each address tries every so manieth parameter alone; over all routes and values each of them has its turn
# What a page may not tell: where it is on the server's disk, and how it broke.
TELLS = re.compile(r"Traceback|File &#34;|site-packages|sqlalchemy|duckdb\.|/home/|/root/")


def encoded(value: str) -> str:
    return quote(value.encode(errors="surrogatepass"), safe="")


def addresses(route: Route, value: str, names: Sequence[str]) -> Iterator[str]:
    """A route with the value in its path, in all parameters, and in some of them one by one."""
    good = {"day": str(FIRST), "table": "P21-01", "round:rest": "1", "finding_id": "none", "sha256": "none"}
    if "{" in route.path:
        yield re.sub(r"\{[^}]+\}", lambda _: encoded(value), route.path)
    path = re.sub(r"\{([^}]+)\}", lambda found: good.get(found[1], "1"), route.path)
    for query in ([(name, value) for name in QUERY], [("day", str(FIRST)), *((name, value) for name in QUERY[1:])]):
        yield f"{path}?{'&'.join(f'{name}={encoded(value)}' for name, value in [*query, query[0]])}"
    for name in names:
        yield f"{path}?day={FIRST}&{name}={encoded(value)}" if name != "day" else f"{path}?day={encoded(value)}"


@pytest.mark.parametrize("name", [None, "ann", "bob", "reg", "root"])
def test_no_route_breaks(odd: Odd, client_of: ClientOf, name: str | None) -> None:
    client, broken = client_of(name, at=odd.server), []
    routes = [route for route in odd.server.app.routes if isinstance(route, Route)]
    for turn, (route, value) in enumerate(product(routes, VALUES)):
        guard = route.endpoint
        assert isinstance(guard, Guarded)
        if route.path == "/sign-out" or (guard.method == "GET" and guard.permission not in allowed(name)):
            continue
        fields = "&".join(f"{field}={encoded(value)}" for field in FORM) if guard.method == "POST" else ""
        for url in list(addresses(route, value, QUERY[turn % STEP :: STEP]))[: 1 if fields else None]:
            headers = {"Content-Type": "application/x-www-form-urlencoded"}
            answer = client.request(guard.method, url, content=fields, headers=headers)
            told = TELLS.search(answer.text) or str(odd.server.site.settings.lake) in answer.text
            if answer.status_code >= 500 or told:
                broken.append((answer.status_code, guard.method, url[:120], value[:20]))
    assert broken == []


def allowed(name: str | None) -> frozenset[Permission]:
    """Permissions of somebody; who lacks one is stopped before anything is read, which other tests show."""
    return of_roles(PEOPLE[name] if name else [])
