"""Keys as a person presses them: not before the page is there."""

from playwright.sync_api import Page


def press(page: Page, key: str) -> None:
    """Press a key, once the page's scripts listen."""
    page.wait_for_load_state()
    page.keyboard.press(key)
