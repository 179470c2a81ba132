"""Access to pages: sign-in, permissions, and the headers of every answer."""

import re
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect
from starlette.routing import Mount, Route

from dashboards.web.pages import Guarded, Pages
from dashboards.web.permissions import NARROWED, OF_ROLE, Permission
from tests.dashboards.conftest import ClientOf, PageOf
from tests.dashboards.floor import FIRST, Floor
from tests.dashboards.server import PASSWORD, PEOPLE, Server, serving
from tests.some import some
from warehouse.cases import activity
from warehouse.cases.activity import ActivityFilter

# What a path's parameters are in requests that only ask whether one is let in.
EXAMPLES = {"account_id:number": "1", "filter_id:number": "1", "case_id:number": "999"}
EXAMPLES |= {"finding_id": "none", "token": "none", "table": "P21-01", "day": str(FIRST), "round:rest": "1"}


def guarded(server: Server) -> list[tuple[Route, Guarded]]:
    routes = [route for route in server.app.routes if isinstance(route, Route)]
    return [(route, route.endpoint) for route in routes if isinstance(route.endpoint, Guarded)]


def address(route: Route) -> str:
    return re.sub(r"\{([^}]+)\}", lambda found: EXAMPLES.get(found[1], "1"), route.path)


def test_every_route_is_guarded(server: Server) -> None:
    for route in server.app.routes:
        if isinstance(route, Mount):
            assert route.path == "/static"
        else:
            assert isinstance(route, Route) and isinstance(route.endpoint, Guarded), route
    for route, guard in guarded(server):
        assert guard.permission not in NARROWED or guard.about is not None, route.path
    with pytest.raises(TypeError, match="say what the page is about"):
        Pages().get("/all-rounds", Permission.SEE_ROUNDS)
    with pytest.raises(TypeError, match="permission"):
        Pages().get("/all-rounds")  # type: ignore[call-arg]


def test_strangers_get_nowhere(server: Server, client_of: ClientOf) -> None:
    client = client_of()
    for route, guard in some(guarded(server)):
        answer = client.request(guard.method, address(route))
        if guard.permission is Permission.PUBLIC:
            assert answer.status_code in (200, 303, 403, 404), route.path
        elif guard.method == "GET":
            assert answer.status_code == 303 and answer.headers["Location"].startswith("/sign-in"), route.path
        else:
            assert answer.status_code == 401, route.path


@pytest.mark.parametrize("name", PEOPLE)
def test_each_role_gets_where_it_may_and_nowhere_else(server: Server, client_of: ClientOf, name: str) -> None:
    client = client_of(name)
    allowed = frozenset().union(*(OF_ROLE[role] for role in PEOPLE[name])) | {Permission.PUBLIC}
    for route, guard in some(guarded(server)):
        if route.path == "/sign-out":
            continue
        # Without the token nothing is changed, and who may not is told so all the same.
        headers = {"X-CSRF-Token": "", "Accept": "application/json"}
        answer = client.request(guard.method, address(route), headers=headers)
        told = answer.json().get("error", "") if "json" in answer.headers.get("Content-Type", "") else ""
        assert ("does not have the role" in told) == (guard.permission not in allowed), (name, route.path, told)
        assert answer.status_code != 500, route.path


def test_a_change_needs_the_token_of_our_own_form(client_of: ClientOf) -> None:
    client = client_of("ann")
    form = {"title": "Forged"}
    for headers in (
        {"X-CSRF-Token": ""},
        {"X-CSRF-Token": "guess"},
        {"Origin": "http://elsewhere.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ):
        answer = client.post("/cases", data=form, headers=headers)
        assert answer.status_code == 403 and "too old or not from this page" in answer.text
    assert "Forged" not in client.get("/cases").text
    stranger = client_of()
    assert stranger.post("/sign-in", data={"name": "ann", "password": PASSWORD, "csrf": ""}).status_code == 403


def test_every_answer_has_the_headers(client_of: ClientOf) -> None:
    for path in ("/sign-in", "/triage", "/no-such-page", "/static/app.css"):
        headers = client_of("ann").get(path).headers
        assert "script-src 'self'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["X-Frame-Options"] == "DENY"
        assert headers["Cache-Control"] == ("no-cache" if path.startswith("/static") else "no-store")


def test_scripts_and_styles_are_kept_under_the_address_that_names_their_content(client_of: ClientOf) -> None:
    client = client_of("ann")
    page = client.get("/cases").text
    named = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    assert any(url.endswith("/app.css") for url in named) and any(url.endswith("/js/app.js") for url in named)
    for url in named:
        answer = client.get(url)
        plain = client.get(re.sub(r"^/static/[0-9a-f]{12}/", "/static/", url))
        assert answer.status_code == 200 and answer.content == plain.content
        assert "immutable" in answer.headers["Cache-Control"] and plain.headers["Cache-Control"] == "no-cache"
    assert client.get("/static/000000000000/app.css").status_code == 404


def test_other_names_of_the_host_are_refused(server: Server, client_of: ClientOf) -> None:
    assert client_of().get("/sign-in", headers={"Host": "rebound.example"}).status_code == 400


def test_too_large_forms_are_refused(client_of: ClientOf) -> None:
    assert client_of("ann").post("/cases", data={"title": "x" * 2_000_000}).status_code == 413


# Signing in.


def form_of(client: httpx.Client, path: str = "/sign-in") -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', client.get(path).text)
    assert found is not None
    return found[1]


def sign_in(client: httpx.Client, name: str, password: str, **fields: str) -> httpx.Response:
    return client.post("/sign-in", data={"csrf": form_of(client), "name": name, "password": password, **fields})


def test_signing_in_leads_back_and_begins_a_new_session(client_of: ClientOf) -> None:
    client = client_of()
    client.cookies.set("audit21_session", "chosen by somebody else")
    wanted = f"/triage?day={FIRST}"
    assert client.get(wanted).headers["Location"] == f"/sign-in?next=/triage%3Fday%3D{FIRST}"
    answer = sign_in(client, "ann", PASSWORD, next=wanted)
    assert answer.status_code == 303 and answer.headers["Location"] == wanted
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie and "chosen by" not in cookie
    client.cookies.clear()
    client.cookies.set("audit21_session", cookie.split("=", 1)[1].split(";")[0])
    assert client.get(wanted).status_code == 200


@pytest.mark.parametrize("url", ["//elsewhere.example", "https://elsewhere.example/", "/\\elsewhere.example", "triage"])
def test_signing_in_leads_to_no_other_host(client_of: ClientOf, url: str) -> None:
    assert sign_in(client_of(), "ann", PASSWORD, next=url).headers["Location"] == "/"


def test_a_wrong_password_says_no_more_than_a_wrong_name(client_of: ClientOf) -> None:
    answers = [sign_in(client_of(), name, "a wrong password") for name in ("cyd", "nobody-at-all")]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert all("Incorrect name or password" in answer.text for answer in answers)


def test_guessing_is_stopped(floor: Floor, tmp_path: Path) -> None:
    with serving(floor.lake, tmp_path / "cases.db") as server, server.client() as client:
        token = form_of(client)
        form = {"csrf": token, "name": "bob", "password": "a wrong password"}
        codes = [client.post("/sign-in", data=form).status_code for _ in range(7)]
        assert codes == [401] * 6 + [429]
        right = client.post("/sign-in", data=form | {"password": PASSWORD})
        assert right.status_code == 429 and int(right.headers["Retry-After"]) > 0
        server.clock.ahead += timedelta(minutes=16)
        assert client.post("/sign-in", data=form | {"password": PASSWORD}).status_code == 303


def test_a_session_ends_when_nobody_is_there(floor: Floor, tmp_path: Path) -> None:
    with serving(floor.lake, tmp_path / "cases.db") as server, server.client("ann") as client:
        for _ in range(3):
            server.clock.ahead += timedelta(minutes=25)
            assert client.get("/cases").status_code == 200
        server.clock.ahead += timedelta(minutes=20)
        news = {"day": str(FIRST)}
        assert client.get("/triage/news", params=news).status_code == 200
        server.clock.ahead += timedelta(minutes=15)
        answer = client.get("/triage/news", params=news, headers={"Accept": "application/json"})
        assert answer.status_code == 401, "what a page asks by itself keeps no session alive"


def test_signing_out_ends_the_session(server: Server, page_of: PageOf) -> None:
    page = page_of("ann", "/cases")
    page.locator("summary", has_text="ann").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.goto(f"{server.url}/cases")
    expect(page).to_have_url(re.compile("/sign-in"))


def test_it_is_in_the_log(server: Server, client_of: ClientOf) -> None:
    sign_in(client_of(), "bob", PASSWORD)
    client_of("bob").get("/triage", params={"day": str(FIRST), "format": "csv"})
    with server.site.database.read() as session:
        export, entry = activity.newest(session, ActivityFilter(account="bob"), 2)
        assert (entry.action, entry.subject) == ("sign in", "account bob")
        assert (export.action, export.subject) == ("export", "/triage") and "format=csv" in export.details
        assert activity.first_break(session) is None


@pytest.mark.parametrize(
    ("name", "place"),
    [("bob", "/cases/{}"), ("reg", "/cases/{}"), ("root", "/activity?before={}"), ("bob", "/audit?snapshot={}")],
)
def test_a_number_beyond_any_database_is_not_found(client_of: ClientOf, name: str, place: str) -> None:
    assert client_of(name).get(place.format("9" * 20)).status_code == 404
