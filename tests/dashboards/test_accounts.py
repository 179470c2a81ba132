"""Accounts: the first one, invitations, roles, and one's own password."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.dashboards.conftest import PageOf
from tests.dashboards.floor import Floor
from tests.dashboards.server import PASSWORD, Server, serving
from warehouse.cases import accounts


@pytest.fixture
def fresh(floor: Floor, tmp_path: Path) -> Iterator[Server]:
    """A server of this test's own."""
    with serving(floor.lake, tmp_path / "cases.db") as running:
        yield running


@pytest.fixture
def unused(floor: Floor, tmp_path: Path) -> Iterator[Server]:
    """A server on which nobody has an account yet."""
    with serving(floor.lake, tmp_path / "cases.db", people={}) as running:
        yield running


def test_the_first_account_comes_from_a_link_that_works_once(unused: Server, page_of: PageOf) -> None:
    with unused.site.database.write() as session:
        token = accounts.invite(session, None, unused.clock())
    page = page_of(None, "/sign-in", at=unused, refusals=True)
    expect(page.get_by_text("No accounts yet")).to_be_visible()
    page.goto(f"{unused.url}/welcome/{token}")
    page.get_by_label("Account name").fill("Zoe")
    page.get_by_label("Your name").fill("Zoe Jones")
    page.get_by_label("Password", exact=True).fill("abcabcabcabc")
    page.get_by_label("Password again").fill("abcabcabcabc")
    page.get_by_role("button", name="Create account").click()
    with unused.site.database.read() as session:
        assert accounts.none_yet(session)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password again").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page).to_have_url(re.compile("/open"))
    expect(page.get_by_role("link", name="Accounts")).to_be_visible()
    with unused.client() as client:
        assert client.get(f"/welcome/{token}").status_code == 404


def test_an_invitation_from_form_to_first_page(fresh: Server, page_of: PageOf) -> None:
    page = page_of("root", "/accounts", at=fresh)
    page.get_by_label("Account name").fill("dana")
    page.get_by_label("Full name").fill("Dana Quinn")
    page.get_by_role("group", name="Roles").get_by_label("regulator").check()
    page.get_by_role("button", name="Invite").click()
    link = page.locator("#invitation").inner_text()
    invited = page_of(None, link.removeprefix(fresh.url), at=fresh)
    expect(invited.get_by_role("heading", name="Welcome, Dana Quinn")).to_be_visible()
    invited.get_by_label("Password", exact=True).fill(PASSWORD)
    invited.get_by_label("Password again").fill(PASSWORD)
    invited.get_by_role("button", name="Set password").click()
    expect(invited.get_by_text("No shared cases yet")).to_be_visible()
    page.goto(f"{fresh.url}/accounts")
    page.get_by_role("button", name="Disable dana").click()
    expect(page.get_by_role("button", name="Enable dana")).to_be_visible()
    invited.reload()
    expect(invited.get_by_role("heading", name="Sign in")).to_be_visible()


def test_roles_are_in_force_at_once(fresh: Server, page_of: PageOf) -> None:
    ann = page_of("ann", "/triage", at=fresh)
    page = page_of("root", "/accounts", at=fresh)
    page.get_by_label("Roles of ann").click()
    menu = page.locator("details[open]")
    menu.get_by_label("surveillance").uncheck()
    menu.get_by_label("admin").check()
    page.get_by_role("button", name="Set roles").locator("visible=true").click()
    ann.goto(f"{fresh.url}/")
    expect(ann).to_have_url(re.compile("/activity"))


def test_ones_own_password(fresh: Server, page_of: PageOf) -> None:
    page = page_of("bob", "/profile", at=fresh)
    other = page_of("bob", "/cases", at=fresh)

    def change(old: str, new: str) -> None:
        page.get_by_label("Old password").fill(old)
        page.get_by_label("New password", exact=True).fill(new)
        page.get_by_label("Confirm new password").fill(new)
        page.get_by_role("button", name="Change password").click()

    change(PASSWORD, "another one, just as long")
    expect(page.get_by_role("status").filter(has_text="Password changed")).to_be_visible()
    other.reload()
    expect(other.get_by_role("heading", name="Sign in")).to_be_visible()
    with fresh.client("root") as client:
        assert client.post("/accounts/1/disable").status_code == 303
