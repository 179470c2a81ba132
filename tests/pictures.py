"""``python -m tests.pictures``: the pictures of README.md, taken from the demo."""

import argparse
import io
import tempfile
import zipfile
from pathlib import Path
from typing import Final

import pypdfium2
from playwright.sync_api import Page, sync_playwright

from tests.dashboards.server import Server, serving
from warehouse.cases import accounts
from warehouse.lake import Lake

OUT: Final = Path(__file__).parents[1] / "dashboards" / "pictures"
_CHROMIUM: Final = "/usr/bin/chromium"
_SIZE: Final = {"width": 1280, "height": 800}
_PEOPLE: Final = {"ann": "Ann Lee", "bob": "Bob Ortiz"}
_PATIENCE_MS: Final = 300_000  # the first round that is replayed may have to wait for the engine to be compiled


def take(lake: Path, out: Path) -> None:
    """Serve a lake and take all pictures of it."""
    out.mkdir(parents=True, exist_ok=True)
    store = Lake.open(lake)
    day = max(store.snapshot().days)
    found = store.read("findings", days=[day]).drop_nulls("round_id")
    dearest = found.sort(found["variance_cents"].abs(), descending=True).row(0, named=True)
    paths = {
        "queue": ("ann", "/open"),
        "round": ("ann", f"/rounds/{dearest['round_id']}?finding={dearest['finding_id']}"),
        "audit": ("bob", f"/audit?day={day}"),
        "floor": ("ann", f"/tables?day={day}"),
    }
    with tempfile.TemporaryDirectory() as folder, serving(lake, Path(folder) / "cases.db") as server:
        with server.site.database.write() as session:
            for name, full_name in _PEOPLE.items():
                if account := accounts.by_name(session, name):
                    account.full_name = full_name
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
            for name, (who, path) in paths.items():
                page = browser.new_context(viewport=_SIZE).new_page()  # type: ignore[arg-type]
                _open(page, server, who, path)
                page.screenshot(path=out / f"{name}.png")
            browser.close()
        _packet(server, dearest["round_id"], out / "packet.png")


def _open(page: Page, server: Server, who: str, path: str) -> None:
    cookie = server.sign_in(who).cookie
    page.context.add_cookies([{"name": "audit21_session", "value": cookie, "url": server.url}])
    page.goto(server.url + path)
    if path.startswith("/rounds/"):
        page.wait_for_selector("#round[data-ready]", timeout=_PATIENCE_MS)
    if path == "/open":
        page.wait_for_selector("#moment svg", timeout=_PATIENCE_MS)
    page.evaluate("document.fonts.ready")


def _packet(server: Server, round_id: str, place: Path) -> None:
    """Draw the first page of the round's packet."""
    with server.client("ann") as client:
        answer = client.post(f"/packets/{round_id}", data={}, timeout=_PATIENCE_MS / 1000)
    answer.raise_for_status()
    with zipfile.ZipFile(io.BytesIO(answer.content)) as bundle:
        paper = next(name for name in bundle.namelist() if name.endswith(".pdf"))
        document = pypdfium2.PdfDocument(bundle.read(paper))
    document[0].render(scale=1.4).to_pil().save(place)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.pictures", description=__doc__)
    parser.add_argument("--lake", type=Path, default=Path(".demo/lake"), help="the lake to take them of")
    parser.add_argument("--out", type=Path, default=OUT, help="where to put them")
    given = parser.parse_args()
    take(given.lake, given.out)
