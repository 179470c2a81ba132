"""packet.html in a browser without a network, opened from a file, and bundles that are given to it."""

import io
import stat
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

OpenPage = Callable[..., Page]
VERIFIED = "Verified: the holder of the key issued this packet, and nothing in it was changed."
WITH_OWN_KEY = "All checks passed, with the key that came with the bundle."
FAILED = "Verification failed"


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser without a network, in which nothing but files can be opened."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, offline=True)
    yield context
    context.close()


@pytest.fixture
def open_page(context: BrowserContext, honest: Path) -> Iterator[OpenPage]:
    """``open_page()``: the page of the honest bundle. What the browser complains of fails the test.

    With ``refusals``, it may be that the page's policy refuses something.
    """
    complaints: list[str] = []
    asked: list[str] = []
    pages = []

    def on_console(message: ConsoleMessage, refusals: bool) -> None:
        is_refusal = refusals and message.text.endswith("The action has been blocked.")
        if message.type in ("error", "warning") and not is_refusal:
            complaints.append(message.text)

    def open_(path: Path = honest / "packet.html", script: str = "", refusals: bool = False) -> Page:
        page = context.new_page()
        pages.append(page)
        if script:
            page.add_init_script(script)
        page.on("console", lambda message: on_console(message, refusals))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        expect(page.locator("body")).to_have_attribute("data-ready", "1")
        return page

    yield open_
    for page in pages:
        page.close()
    assert not complaints, complaints
    assert all(url.startswith(("file:", "blob:")) for url in asked)


def zipped(folder: Path) -> bytes:
    """The folder as a zip, links as links."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as bundle:
        for path in sorted(each for each in folder.rglob("*") if not each.is_dir()):
            info = zipfile.ZipInfo(path.relative_to(folder).as_posix())
            if path.is_symlink():
                info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
            bundle.writestr(info, str(path.readlink()) if path.is_symlink() else path.read_bytes())
    return out.getvalue()


def give_key(page: Page, key: Path) -> None:
    page.locator("#choose-key").set_input_files(key)
    expect(page.locator("#key-from")).to_contain_text("the key that you gave")


def give(page: Page, content: bytes, name: str = "bundle.zip") -> str:
    """Give a zip to the page; what it says of it at last."""
    page.evaluate("delete document.body.dataset.checked")
    file: Any = {"name": name, "mimeType": "application/zip", "buffer": content}
    page.locator("#choose-zip").set_input_files(file)
    page.locator("body[data-checked]").wait_for()
    return page.locator("#status").inner_text()


def page_row(check: str) -> str:
    return f'[data-check="{check}"]'


def states(page: Page) -> dict[str, str]:
    rows = page.locator("#checks > li").all()
    return {row.get_attribute("data-check") or "": row.get_attribute("class") or "" for row in rows}
