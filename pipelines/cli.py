"""The command line, `audit21`: the one place that knows every room."""

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

BAD_COMMAND = 2

app = typer.Typer(name="audit21", add_completion=False, pretty_exceptions_enable=False)


def fail(message: str) -> NoReturn:
    """End a command that cannot be carried out: one line on stderr, exit code 2."""
    _complain(message)
    raise typer.Exit(BAD_COMMAND)


def fail_in_file(message: str) -> NoReturn:
    """The same for a bad file: the line begins with the file and the line in it, as compilers write it."""
    typer.echo(" ".join(message.split()), err=True)
    raise typer.Exit(BAD_COMMAND)


def _complain(message: str) -> None:
    typer.echo(f"audit21: {' '.join(message.split())}", err=True)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"audit21 {version('audit21')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def audit21(
    context: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Replay Pontoon and Spanish 21 rounds through the rulebook in force, and audit every settlement."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


Width = Annotated[
    int | None, typer.Option(min=80, max=400, help="Columns to write; the terminal's width or 100 without it.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON for machines instead of text.")]


def _write_json(data: Any) -> None:
    typer.echo(json.dumps(data, ensure_ascii=False, indent=2, default=str))


@app.command()
def explain(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Rounds in the plain-text notation.")],
    name: Annotated[str | None, typer.Option("--round", metavar="NAME", help="Only the round of that name.")] = None,
    as_json: AsJson = False,
    width: Width = None,
) -> None:
    """Tell rounds step by step and explain every settlement, clause by clause.

    FILE begins with a header ("rulebook md-pontoon21", "decks 6"); then come
    rounds, with lines such as "bet 1 25", "deal AS 7H KD KC", "pay 1 37.50".

    Shown are the options and readings that are not the rulebook's default,
    every step with the clause behind it, what was due against what was paid
    and taken, why, and what was irregular and how it was handled.
    """
    from pipelines import explain as show
    from replay import narrative

    try:
        with show.waiting():
            judged = show.judge(file)
    except show.BadFile as error:
        fail_in_file(str(error))
    names = judged.encoded.rounds
    if not names:
        fail_in_file(f"{file}: expected at least one round; write 'round NAME' and its events below the header")
    if name is not None and name not in names:
        fail_in_file(f"{file}: no round {name}; there are {', '.join(names)}")
    rounds = [narrative.account(judged, each) for each in names if name in (None, each)]
    if as_json:
        _write_json(show.as_data(judged, rounds))
    else:
        with show.page(width) as out:
            show.Printer(out).all(judged, rounds)


@app.command()
def codes(
    as_json: AsJson = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write the page replay/FINDINGS.md.")] = False,
    width: Width = None,
) -> None:
    """List the finding codes: the evidence that each needs, and how the floor can have handled it."""
    from pipelines import explain as show
    from replay.rulebook import matrix

    if markdown:
        typer.echo(show.codes_page(), nl=False)
    elif as_json:
        _write_json([dict(zip(("code", "evidence", "handlings"), row, strict=True)) for row in matrix()])
    else:
        with show.page(width) as out:
            show.show_codes(out)


@app.command()
def rulebook(
    book_id: Annotated[str, typer.Argument(metavar="ID", help="The rulebook, such as md-pontoon21.")],
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
    as_json: AsJson = False,
    width: Width = None,
) -> None:
    """List a rulebook's clauses in our words, with what the software does about each."""
    from dataclasses import asdict

    from pipelines import explain as show
    from replay.rulebook import EFFECTS, RulebookError, load

    if does is not None and does not in EFFECTS:
        fail(f"--does: found {does!r}, expected one of {', '.join(EFFECTS)}")
    try:
        book = load(book_id)
    except RulebookError as error:
        fail(str(error))
    found = show.pick_clauses(book, clause, does)
    if not found:
        what = f"clause {clause}" if clause else "clause"
        fail(f"{book.id} has no {what}{f' that {does}' if does else ''}; see audit21 rulebook {book.id}")
    if as_json:
        _write_json([{**asdict(each), "number": each.number} for each in found])
    else:
        with show.page(width) as out:
            show.show_clauses(out, book, found, details=clause is not None)


def main() -> NoReturn:
    """Run the command line.  What a command returns is the exit code: None or 0 when all is well."""
    try:
        exit_code = app(standalone_mode=False)
    except typer.TyperException as error:
        _complain(f"{error.format_message().rstrip('.')}; see audit21 --help")
        exit_code = BAD_COMMAND
    sys.exit(exit_code)
