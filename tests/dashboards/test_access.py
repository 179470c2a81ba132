"""Everybody can use it: no serious barrier on any page, light or dark, wide or not."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.dashboards.conftest import PageOf
from tests.dashboards.floor import FIRST

PAGES = [
    (None, "/sign-in"),
    ("ann", f"/triage?day={FIRST}"),
    ("ann", f"/triage?day={FIRST}&group=1&severity=high"),
    ("ann", f"/triage?day={FIRST}&q=no+such+words"),
    ("ann", "/cases"),
    ("ann", "/profile"),
    ("bob", "/activity?check=1"),
    ("root", "/accounts"),
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("name", "path"), PAGES)
def test_no_serious_barrier(page_of: PageOf, name: str | None, path: str, scheme: str) -> None:
    width = {"light": 1440, "dark": 1024}[scheme]
    page = page_of(name, path, color_scheme=scheme, viewport={"width": width, "height": 900})
    found = Axe().run(page).response["violations"]
    serious = [rule for rule in found if rule["impact"] in ("serious", "critical")]
    assert [(rule["id"], [node["html"][:200] for node in rule["nodes"]]) for rule in serious] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out to the side"


def test_the_chosen_theme_is_kept(page_of: PageOf) -> None:
    page = page_of("ann", "/cases", color_scheme="light")
    page.get_by_role("button", name="Switch between light and dark").click()
    page.reload()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
