"""Accessibility barriers of a page, found by axe."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page


def serious(page: Page) -> list[tuple[str, list[str]]]:
    """Return the serious and critical barriers, with their elements."""
    found = Axe().run(page).response["violations"]
    rules = [rule for rule in found if rule["impact"] in ("serious", "critical")]
    return [(rule["id"], [node["html"][:200] for node in rule["nodes"]]) for rule in rules]


def sticks_out(page: Page) -> bool:
    """Return whether the page is wider than the window."""
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))
