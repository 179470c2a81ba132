"""Rulebooks: clauses paraphrased with the software's treatment of each, and the meaning of finding codes."""

from typing import Final

from starlette.exceptions import HTTPException
from starlette.responses import Response

from dashboards.rulebooks.shelf import Shelf, codes_of
from dashboards.web.pages import Pages
from dashboards.web.permissions import Permission
from dashboards.web.visit import Visit
from dashboards.web.words import HANDLING
from replay.code_help import code_help
from replay.handlings import matrix
from replay.rulebook_file import RulebookError
from replay.wording import capital

pages = Pages()
EFFECTS: Final = {
    "settles": "Decides amounts",
    "checks": "Reports a breach",
    "rules": "Judges the floor's ruling",
    "defines": "Defines a term",
    "configures": "Sets an option",
    "unobservable": "Cannot be seen",
}


@pages.get("/rulebooks", Permission.SIGNED_IN)
def show_all(visit: Visit) -> Response:
    """The rulebooks of the floor, and those of the package."""
    shelf = Shelf(visit.lake)
    return visit.render(
        "rulebooks.html", books=shelf.books, played=shelf.played if visit.may(Permission.SEE_FLOOR) else None
    )


@pages.get("/rulebooks/{book}", Permission.SIGNED_IN)
def show(visit: Visit) -> Response:
    """One rulebook, chapter by chapter; each clause has its number as anchor."""
    shelf = Shelf(visit.lake)
    try:
        book = shelf.find(visit.path["book"], visit.query.get("version"))
    except RulebookError as error:
        raise HTTPException(404, str(error)) from None
    sees_floor = visit.may(Permission.SEE_FLOOR)
    return visit.render(
        "rulebook.html",
        book=book,
        versions=[each for each in shelf.books if each.id == book.id],
        chapters=shelf.chapters(book, sees_floor),
        effects=EFFECTS,
        codes_of=codes_of,
        sees_floor=sees_floor,
    )


@pages.get("/codes", Permission.SIGNED_IN)
def show_codes(visit: Visit) -> Response:
    """Every finding code: its meaning, its evidence and the recommended action."""
    shelf = Shelf(visit.lake)
    citing: dict[str, list[tuple[str, str]]] = {}
    for book in shelf.books:
        for clause in book.clauses:
            for code in codes_of(clause):
                citing.setdefault(code, []).append((book.id, clause.number))
    handlings = {code: _in_words(handling) for code, _, handling in matrix(shelf.books)}
    citing = {code: list(dict.fromkeys(found)) for code, found in citing.items()}
    return visit.render("codes.html", codes=code_help(), citing=citing, handlings=handlings)


def _in_words(handlings: str) -> str:
    """Name the ways in which findings of a code can have been handled."""
    return capital(", or ".join(HANDLING["" if each == "none" else each].lower() for each in handlings.split(", ")))
