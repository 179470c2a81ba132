"""Pages of rulebooks and finding codes."""

import re
from urllib.parse import unquote

import pytest

from replay import codes
from replay.library import PACKAGE
from tests.dashboards.barriers import serious, sticks_out
from tests.dashboards.conftest import ClientOf, PageOf
from tests.dashboards.floor import Floor
from warehouse.lake import Lake

PAGES = ("/rulebooks", "/rulebooks/md-pontoon21", "/codes")


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("name", ["ann", "reg", "root"])
def test_everybody_with_an_account_may_read_the_rules(client_of: ClientOf, path: str, name: str) -> None:
    assert client_of(name).get(path).status_code == 200


@pytest.mark.parametrize("path", PAGES)
def test_a_stranger_may_not(client_of: ClientOf, path: str) -> None:
    assert client_of().get(path).status_code == 303


@pytest.mark.parametrize("book", PACKAGE.ids())
def test_every_clause_has_a_place(client_of: ClientOf, book: str) -> None:
    text = client_of("ann").get(f"/rulebooks/{book}").text
    there = set(re.findall(r' id="([^"]+)"', text))
    for clause in PACKAGE.find(book).clauses:
        assert {clause.id.replace(" ", "-"), clause.number.replace(" ", "-")} <= there
    links = {unquote(each) for each in re.findall(r'href="#([^"]+)"', text)}
    assert links <= there


def test_an_unknown_rulebook_or_version_names_those_there_are(client_of: ClientOf) -> None:
    for path in ("/rulebooks/md-blackjack", "/rulebooks/mbs-pontoon?version=7"):
        answer = client_of("ann").get(path)
        assert answer.status_code == 404 and "div15-pontoon" in answer.text


def test_a_finding_leads_to_its_clause_and_the_clause_counts_it(client_of: ClientOf, floor: Floor) -> None:
    row = Lake.open(floor.lake).read("findings").filter(code="settlement.overpaid").row(0, named=True)
    text = client_of("ann").get(f"/findings/{row['finding_id']}?day={row['gaming_day']}").text
    book, _, number = row["clause"].partition(" ")
    assert f'href="/rulebooks/{book}#{number}"' in text
    times = Lake.open(floor.lake).read("findings").filter(rulebook=book, clause_id=row["clause_id"]).height
    page = client_of("ann").get(f"/rulebooks/{book}").text
    clause = page.partition(f'id="{row["clause_id"]}"')[2].partition("</article>")[0]
    assert f"{times} finding" in clause
    assert "on this floor" not in client_of("reg").get(f"/rulebooks/{book}").text


def test_every_code_is_explained_and_leads_to_clauses(client_of: ClientOf) -> None:
    text = client_of("ann").get("/codes").text
    for code in codes.CODES:
        assert f'id="{code.name}"' in text
    assert 'href="/rulebooks/mbs-pontoon#' in text


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_pages_without_barriers(page_of: PageOf, path: str, scheme: str, width: int) -> None:
    page = page_of("ann", path, viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert serious(page) == []
    assert not sticks_out(page)
