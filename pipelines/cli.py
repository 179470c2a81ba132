"""The command line, `audit21`: the one place that knows every room."""

import json
import sys
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from replay.simulator.profiles import Profile

BAD_COMMAND = 2
FIRST_DAY = datetime(2026, 1, 5)  # noqa: DTZ001 - a gaming day has no time zone

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
    book_id: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="The rulebook, such as md-pontoon21; a benchmark profile; or 'profiles' for all of these.",
        ),
    ],
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
    """List a rulebook's clauses in our words, with what the software does about each.

    A benchmark profile is a rulebook with parameters replaced, to be held
    against published figures; of these are listed what each changes and why.
    """
    from dataclasses import asdict

    from pipelines import explain as show
    from replay.rulebook import EFFECTS, RulebookError, load
    from replay.simulator.profiles import profiles

    if does is not None and does not in EFFECTS:
        fail(f"--does: found {does!r}, expected one of {', '.join(EFFECTS)}")
    if book_id == "profiles" or book_id in profiles():
        if clause or does:
            fail(f"{book_id} has no clauses; see audit21 rulebook {book_id}")
        _show_profiles([each for name, each in profiles().items() if book_id in ("profiles", name)], as_json, width)
        return
    try:
        book = load(book_id)
    except RulebookError as error:
        fail(f"{error}, or a profile: {', '.join(profiles())}")
    found = show.pick_clauses(book, clause, does)
    if not found:
        what = f"clause {clause}" if clause else "clause"
        fail(f"{book.id} has no {what}{f' that {does}' if does else ''}; see audit21 rulebook {book.id}")
    if as_json:
        _write_json([{**asdict(each), "number": each.number} for each in found])
    else:
        with show.page(width) as out:
            show.show_clauses(out, book, found, details=clause is not None)


def _show_profiles(found: "list[Profile]", as_json: bool, width: int | None) -> None:
    from dataclasses import asdict

    from pipelines import explain as show

    if as_json:
        _write_json([asdict(each) for each in found])
        return
    with show.page(width) as out:
        for each in found:
            out.print(each.name, style="bold")
            show.Printer(out).facts(each.facts())


@app.command()
def simulate(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder for the landing zone: a new or an empty one.")],
    rulebook: Annotated[
        str,
        typer.Option(help="Rulebooks in force: one, several with commas between, or all. Tables take them in turn."),
    ] = "all",
    tables: Annotated[int, typer.Option(min=1, max=500, help="Tables on the floor.")] = 5,
    rounds: Annotated[int, typer.Option(min=1, max=50_000, help="Rounds at each table on each gaming day.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same files, byte for byte.")] = 1,
    floor: Annotated[
        Path | None, typer.Option(metavar="TOML", help="A floor.toml to play by, instead of --rulebook and --tables.")
    ] = None,
    days: Annotated[int, typer.Option(min=1, max=1000, help="Gaming days.")] = 1,
    first: Annotated[
        datetime,
        typer.Option(
            "--from", formats=["%Y-%m-%d"], metavar="DAY", show_default="2026-01-05", help="The first gaming day."
        ),
    ] = FIRST_DAY,
    irregularities: Annotated[
        float, typer.Option(min=0, max=1, metavar="RATE", help="Share of rounds in which something goes wrong.")
    ] = 0,
    plant: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE:N",
            help="Plant a finding so many times (floor.*: at so many tables); CODE/HANDLING:N in one handling.",
        ),
    ] = None,
    footage: Annotated[
        bool,
        typer.Option("--footage", help="Keep what rendered footage needs: which card lay where, from when to when."),
    ] = False,
    camera: Annotated[bool, typer.Option("--camera", help="Write camera sightings as well.")] = False,
    parts: Annotated[int, typer.Option(min=1, max=99, help="Files that each source's lines come in.")] = 1,
    compress: Annotated[str, typer.Option(help="Form of the files: none, gz, zst or parquet.")] = "none",
    disorder: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND:N", help="Damage so many files: late, repeated, overlapping, truncated, garbage, foreign."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace another simulation in OUT.")] = False,
) -> None:
    """Play a floor forward by the rulebooks and write what it leaves: a landing zone, and the truth about it.

    OUT gets floor.toml, <day>/<table>/terminal.ndjson and shoe.ndjson, and
    beside them truth.parquet: every finding that an audit has to make, with
    clause, cost and handling. clocks.parquet says how far each clock is off.

    Stopped in the middle, the same command begins anew and ends with the
    same files.
    """
    from pipelines import simulate as command

    form = command.FormOptions(parts, compress, tuple(disorder or ()), camera, footage)
    when = command.DayOptions(first.date(), days, rounds)
    request = command.Request(out, rulebook, tables, floor, seed, when, irregularities, tuple(plant or ()), form, force)
    try:
        summary = command.run(request)
    except command.BadRequest as error:
        fail(str(error))
    command.show(request, summary)
    if summary.unplanted:
        missing = ", ".join(f"{count} x {order}" for order, count in summary.unplanted.items())
        fail(f"no round of this floor suits {missing}; more rounds, tables or days, or other options may")


def main() -> NoReturn:
    """Run the command line.  What a command returns is the exit code: None or 0 when all is well."""
    try:
        exit_code = app(standalone_mode=False)
    except typer.TyperException as error:
        _complain(f"{error.format_message().rstrip('.')}; see audit21 --help")
        exit_code = BAD_COMMAND
    sys.exit(exit_code)
