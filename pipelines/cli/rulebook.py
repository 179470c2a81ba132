"""``audit21 rulebook``."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from replay.rulebook_file import Rulebook
    from replay.simulator.profiles import Profile

from pipelines.cli.shared import AsJson, RulebookFolders, Width, fail, write_json


def rulebook(
    book_id: Annotated[
        str | None,
        typer.Argument(
            metavar="ID",
            help="The rulebook, such as md-pontoon21 or mbs-pontoon@6; a benchmark profile; or 'profiles' for all of "
            "these. Without it, all rulebooks are listed.",
        ),
    ] = None,
    clause: Annotated[
        str | None,
        typer.Argument(
            metavar="CLAUSE", help="A clause in the document's numbering, with all below it; shown in full."
        ),
    ] = None,
    does: Annotated[
        str | None,
        typer.Option(help="Only clauses of that effect: settles, checks, rules, defines, configures, unobservable."),
    ] = None,
    rulebooks: RulebookFolders = None,
    as_json: AsJson = False,
    width: Width = None,
) -> None:
    """List the rulebooks, or one's clauses in our words with what the software does about each.

    A benchmark profile is a rulebook with parameters replaced, to be held
    against published figures; of these are listed what each changes and why.
    """
    from pipelines.commands import explain as show
    from pipelines.commands import terminal
    from replay.library import library
    from replay.rulebook_checks import EFFECTS
    from replay.rulebook_file import RulebookError
    from replay.simulator.profiles import profiles

    if does is not None and does not in EFFECTS:
        fail(f"--does: found {does!r}, expected one of {', '.join(EFFECTS)}")
    if book_id == "profiles" or book_id in profiles():
        if clause or does:
            fail(f"{book_id} has no clauses; see audit21 rulebook {book_id}")
        _show_profiles([each for name, each in profiles().items() if book_id in ("profiles", name)], as_json, width)
        return
    try:
        books = library(rulebooks or ())
        if book_id is None:
            _show_books([book for each in books.ids() for book in books.versions(each)], as_json, width)
            return
        book = books.find(book_id)
    except RulebookError as error:
        fail(f"{error}; profiles are {', '.join(profiles())}" if book_id else str(error))
    found = show.pick_clauses(book, clause, does)
    if not found:
        what = f"clause {clause}" if clause else "clause"
        fail(f"{book.id} has no {what}{f' that {does}' if does else ''}; see audit21 rulebook {book.id}")
    if as_json:
        write_json([{**asdict(each), "number": each.number} for each in found])
    else:
        with terminal.page(width) as out:
            show.show_clauses(out, book, found, details=clause is not None)


def _show_books(found: "list[Rulebook]", as_json: bool, width: int | None) -> None:
    from pipelines.commands import explain as show
    from pipelines.commands import terminal

    if as_json:
        names = ("id", "version", "title", "jurisdiction", "currency", "file", "sha256")
        write_json([{name: getattr(book, name) for name in names} | {"clauses": len(book.clauses)} for book in found])
        return
    with terminal.page(width) as out:
        show.show_books(out, found)


def _show_profiles(found: "list[Profile]", as_json: bool, width: int | None) -> None:
    from pipelines.commands import terminal
    from replay.narrative.printed import Printer

    if as_json:
        write_json([asdict(each) for each in found])
        return
    with terminal.page(width) as out:
        for each in found:
            out.print(each.name, style="bold")
            Printer(out).facts(each.facts())
