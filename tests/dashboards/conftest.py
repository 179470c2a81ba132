"""One floor, one server, one browser for all tests; a page of its own for each."""

from collections.abc import Callable, Iterator

import httpx
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tests.dashboards import floor as floors
from tests.dashboards.floor import Floor
from tests.dashboards.server import Server, serving
from tests.warehouse.cases.conftest import postgres as postgres

PageOf = Callable[..., Page]
ClientOf = Callable[..., httpx.Client]
_CHROMIUM = "/usr/bin/chromium"
_PATIENCE_MS = 20_000  # of what is expected of a page, on a machine that is busy
_OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]


@pytest.fixture(scope="session")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    """The simulated floor and its lake; a test that changes them takes a copy."""
    folder = tmp_path_factory.mktemp("floor")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUDIT21_KEY", str(folder / "key" / "signing-key.pem"))
        yield floors.build(folder)


@pytest.fixture(scope="session")
def server(floor: Floor, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on SQLite, which all tests share: a test leaves no status or case behind that another would count."""
    with serving(floor.lake, tmp_path_factory.mktemp("cases") / "cases.db") as running:
        yield running


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Ended with the tests of this folder: as long as Playwright runs, nothing else can begin an event loop."""
    expect.set_options(timeout=_PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=_OPTIONS)
        yield browser
        browser.close()


@pytest.fixture
def page_of(browser: Browser, server: Server) -> Iterator[PageOf]:
    """``page_of("ann", "/triage")``: a page as somebody sees it. What the browser complains of fails the test.

    With ``refusals``, it may be that the server refuses something.
    """
    complaints: list[str] = []
    contexts = []

    def on_console(message: ConsoleMessage, refusals: bool) -> None:
        if message.type in ("error", "warning") and not (refusals and "responded with a status of 4" in message.text):
            complaints.append(f"{message.type}: {message.text}")

    def open_page(
        name: str | None, path: str = "/", *, at: Server = server, refusals: bool = False, **options: object
    ) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **options})  # type: ignore[arg-type]
        contexts.append(context)
        if name is not None:
            cookie = at.sign_in(name).cookie
            context.add_cookies([{"name": "audit21_session", "value": cookie, "url": at.url, "httpOnly": True}])
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: on_console(message, refusals))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(at.url + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def client_of(server: Server) -> Iterator[ClientOf]:
    """``client_of("reg")``: HTTP requests as somebody, with session and token; without a name, as a stranger."""
    clients: list[httpx.Client] = []

    def make(name: str | None = None, *, at: Server = server) -> httpx.Client:
        clients.append(at.client(name))
        return clients[-1]

    yield make
    for client in clients:
        client.close()
