"""The command line, `audit21`: the one place that knows every room."""

import gc
import sys
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from pipelines.cli_camera import commands as camera_commands
from pipelines.cli_demo import commands as demo_commands
from pipelines.cli_dispute import commands as dispute_commands
from pipelines.cli_keys import commands as keys_commands
from pipelines.cli_serve import commands as serve_commands
from pipelines.cli_simulate import commands as simulate_commands
from pipelines.cli_witness import commands as witness_commands

if TYPE_CHECKING:
    from replay.simulator.profiles import Profile

BAD_COMMAND = 2
FAILED = 1

app = typer.Typer(name="audit21", add_completion=False, pretty_exceptions_enable=False)
app.add_typer(demo_commands)
app.add_typer(camera_commands)
app.add_typer(serve_commands)
app.add_typer(dispute_commands)
app.add_typer(simulate_commands)
app.add_typer(keys_commands)
app.add_typer(witness_commands)


def fail(message: str) -> NoReturn:
    """End a command that cannot be carried out: one line on stderr, exit code 2."""
    complain(message)
    raise typer.Exit(BAD_COMMAND)


def fail_in_file(message: str) -> NoReturn:
    """The same for a bad file: the line begins with the file and the line in it, as compilers write it."""
    echo(" ".join(message.split()), err=True)
    raise typer.Exit(BAD_COMMAND)


def echo(message: str, err: bool = False) -> None:
    """One line, with signs for whatever a terminal would obey."""
    from pipelines import terminal

    terminal.echo(message, err)


def complain(message: str) -> None:
    """One line on stderr."""
    echo(f"audit21: {' '.join(message.split())}", err=True)


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
ThePin = Annotated[
    Path | None,
    typer.Option("--pin", metavar="FILE", help="The log's pinned keys, kept outside the lake.", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON for machines instead of text.")]


def _write_json(data: Any) -> None:
    from pipelines.terminal import as_json

    typer.echo(as_json(data, indent=2))


@app.command()
def explain(
    what: Annotated[
        str, typer.Argument(metavar="ROUND_ID|FILE", help="A round of a lake, or a file of rounds in the notation.")
    ],
    lake: Annotated[
        Path | None,
        typer.Option(metavar="LAKE", help="The lake that the round is in; without it, a file is explained."),
    ] = None,
    name: Annotated[str | None, typer.Option("--round", metavar="NAME", help="Only the round of that name.")] = None,
    as_json: AsJson = False,
    width: Width = None,
) -> None:
    """Tell rounds step by step and explain every settlement, clause by clause.

    A ROUND_ID is <table>/<gaming_day>/<round>, such as P21-04/2026-01-05/17;
    its cards come from the evidence in the lake.

    FILE begins with a header ("rulebook md-pontoon21", "decks 6"); then come
    rounds, with lines such as "bet 1 25", "deal AS 7H KD KC", "pay 1 37.50".

    Shown are the options and readings that are not the rulebook's default,
    every step with the clause behind it, what was due against what was paid
    and taken, why, what was irregular and how it was handled, and, for a round
    whose events had to be inferred, the explanations that were considered.
    """
    from pipelines import explain as show
    from pipelines import terminal
    from replay import narrative

    considered, odd = None, list[show.OddEvidence]()
    try:
        with show.waiting():
            if lake is None:
                judged = show.judge(Path(what))
            else:
                from pipelines import lookup

                judged, name, considered, odd = lookup.judge(lake, what)
    except show.BadFile as error:
        fail_in_file(str(error))
    names = judged.encoded.rounds
    if not names:
        fail_in_file(f"{what}: expected at least one round; write 'round NAME' and its events below the header")
    if name is not None and name not in names:
        fail_in_file(f"{what}: no round {name}; there are {', '.join(names)}")
    rounds = [narrative.account(judged, each) for each in names if name in (None, each)]
    if as_json:
        _write_json(show.as_data(judged, rounds, considered, odd))
    else:
        with terminal.page(width) as out:
            show.Printer(out).all(judged, rounds, considered, odd)


@app.command()
def run(
    landing: Annotated[Path, typer.Argument(metavar="LANDING", help="The landing zone: floor.toml and its days.")],
    lake: Annotated[Path, typer.Option(metavar="LAKE", help="Folder for the results; made when it is not there.")],
    day: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], metavar="DAY", help="Only this gaming day.")
    ] = None,
    table: Annotated[
        list[str] | None, typer.Option(metavar="TABLE", help="Only this table, again whether or not it changed.")
    ] = None,
    copy_footage: Annotated[
        bool, typer.Option("--copy-footage", help="Keep copies of footage in the lake, not only its hashes.")
    ] = False,
    pin: ThePin = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary.")] = False,
    as_json: AsJson = False,
    width: Width = None,
) -> None:
    """Audit a landing zone: from raw files to verdicts, findings and evidence in the lake.

    Only what is new is done: days with new or late files, and days that
    such a day has an effect on. Killed at any moment, the same command run
    again completes the work; a repeated run changes nothing.

    The steps are materialised as Dagster assets in this process; audit21 dev
    shows their history.
    """
    gc.disable()  # a sixth of the time it takes to load all this would go into looking for garbage
    from pipelines import run as command
    from pipelines import terminal

    gc.enable()
    wanted = None if day is None else day.date()
    request = command.Request(landing, lake, wanted, tuple(table or ()), copy_footage, quiet or as_json, pin)
    try:
        result = command.run(request)
    except command.BadRequest as error:
        fail(str(error))
    except command.Failed as error:
        complain(str(error))
        raise typer.Exit(FAILED) from None
    if as_json:
        _write_json(command.as_data(result))
    elif not quiet:
        with terminal.page(width) as out:
            command.show(result, lake, out)
    for problem in result.problems:
        complain(problem)
    if result.problems:
        raise typer.Exit(FAILED)


@app.command()
def verify(
    lake: Annotated[Path, typer.Argument(metavar="LAKE|BUNDLE", help="The lake, or the dispute bundle, to check.")],
    kept: Annotated[
        list[Path] | None,
        typer.Option("--checkpoint", metavar="FILE", help="A checkpoint that was kept elsewhere; may be repeated."),
    ] = None,
    landing: Annotated[
        Path | None, typer.Option(metavar="LANDING", help="Where footage lies that the lake keeps no copy of.")
    ] = None,
    replay: Annotated[
        bool, typer.Option("--replay", help="Also audit everything again from the raw files, and compare every row.")
    ] = False,
    key: Annotated[
        Path | None, typer.Option(metavar="PEM", help="Of a bundle: the property's public key, from elsewhere.")
    ] = None,
    pin: ThePin = None,
    witness: Annotated[
        list[Path] | None,
        typer.Option("--witness", metavar="FILE", help="A witness's public key, from elsewhere; may be repeated."),
    ] = None,
    quorum: Annotated[
        int | None,
        typer.Option(min=1, metavar="K", help="How many of the witnesses must have cosigned.", show_default="all"),
    ] = None,
    as_json: AsJson = False,
    width: Width = None,
) -> None:
    """Check that nobody touched the evidence: hashes, chain, signatures, and what was published.

    Says what differs, the first thing first, and ends with 1 where anything
    does. A checkpoint that was kept elsewhere also shows whether the newest
    days were removed.

    The keys of witnesses demand that so many of them have cosigned the newest
    checkpoint: a property that rewrites its history needs their keys as well.

    A dispute bundle, zipped or unpacked, is checked with nothing but itself
    and the public key.
    """
    from pipelines import terminal
    from pipelines import verify as command

    try:
        request = command.Request(
            lake, tuple(kept or ()), landing, replay, as_json, key, pin, tuple(witness or ()), quorum
        )
        report = command.verify(request)
    except command.BadRequest as error:
        fail(str(error))
    if as_json:
        _write_json(command.as_data(report))
    else:
        with terminal.page(width) as out:
            command.show(report, out)
    if report.differences:
        raise typer.Exit(FAILED)


@app.command()
def repair(
    lake: Annotated[Path, typer.Argument(metavar="LAKE", help="The lake to repair.")],
    by: Annotated[str, typer.Option(metavar="NAME", help="Who orders it; recorded in the evidence log.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be restored.")] = False,
    as_json: AsJson = False,
) -> None:
    """Restore damaged Delta tables, the list of snapshots and the catalog from the evidence log.

    All of these follow from the log and from the published parts. What was
    found in their place is kept in LAKE/damaged. Evidence is never made
    anew: where the log, a raw file or a published part is damaged, it is
    named, nothing is done, and the command ends with 1.
    """
    from dataclasses import asdict

    from pipelines import repair as command

    request = command.Request(lake, by or "audit21 repair", dry_run)
    try:
        result = command.repair(request)
    except command.BadRequest as error:
        fail(str(error))
    except command.Failed as error:
        complain(str(error))
        raise typer.Exit(FAILED) from None
    if as_json:
        _write_json(asdict(result))
    else:
        for line in command.lines(request, result):
            typer.echo(line)
    if result.damaged:
        complain(f"{lake}: the evidence itself is damaged; nothing was changed. Restore it from a backup")
        raise typer.Exit(FAILED)


@app.command()
def signoff(
    day: Annotated[datetime, typer.Argument(formats=["%Y-%m-%d"], metavar="DAY", help="The gaming day.")],
    lake: Annotated[Path, typer.Option(metavar="LAKE", help="The lake that audit21 run writes.")],
    by: Annotated[str, typer.Option(metavar="NAME", help="Who signs.")],
    note: Annotated[str, typer.Option(metavar="TEXT", help="What to record with it.")] = "",
) -> None:
    """Record in the evidence log that audit stands by a day as it is published.

    When a late file changes such a day afterwards, it is restated openly:
    the snapshot says so, and the dataset restatements tells what changed.
    """
    from pipelines import verify as command

    try:
        snapshot = command.sign_off(lake, day.date(), by, note)
    except (*command.BadRequest, *command.Failed) as error:
        fail(str(error))
    echo(f"{day.date()} is signed off by {by}, as published in snapshot {snapshot}")


@app.command()
def dev(
    landing: Annotated[Path, typer.Argument(metavar="LANDING", help="The landing zone to watch.")],
    lake: Annotated[Path, typer.Option(metavar="LAKE", help="The lake to write.")],
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the web page.")] = 3000,
) -> None:
    """Open Dagster on a landing zone and its lake: the graph, the checks, schedule, sensor and history of runs."""
    import os
    import shutil

    if not (landing / "floor.toml").is_file():
        fail(f"{landing / 'floor.toml'}: no such file; a landing zone needs it to know its tables")
    from pipelines.defs.runs import open_instance

    open_instance(lake.absolute()).dispose()
    home = os.environ.get("DAGSTER_HOME") or str(lake.absolute() / ".dagster")
    places = {"AUDIT21_LANDING": str(landing.absolute()), "AUDIT21_LAKE": str(lake.absolute()), "DAGSTER_HOME": home}
    binary = shutil.which("dg", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if binary is None:
        fail("dg is not installed beside this Python; run make setup")
    os.chdir(Path(__file__).parent.parent)
    os.execve(binary, [binary, "dev", "--port", str(port)], os.environ | places)


@app.command()
def codes(
    as_json: AsJson = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write the page replay/FINDINGS.md.")] = False,
    width: Width = None,
) -> None:
    """List the finding codes: the evidence that each needs, and how the floor can have handled it."""
    from pipelines import explain as show
    from pipelines import terminal
    from replay.rulebook import matrix

    if markdown:
        typer.echo(show.codes_page(), nl=False)
    elif as_json:
        _write_json([dict(zip(("code", "evidence", "handlings"), row, strict=True)) for row in matrix()])
    else:
        with terminal.page(width) as out:
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
    from pipelines import terminal
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
        with terminal.page(width) as out:
            show.show_clauses(out, book, found, details=clause is not None)


def _show_profiles(found: "list[Profile]", as_json: bool, width: int | None) -> None:
    from dataclasses import asdict

    from pipelines import explain as show
    from pipelines import terminal

    if as_json:
        _write_json([asdict(each) for each in found])
        return
    with terminal.page(width) as out:
        for each in found:
            out.print(each.name, style="bold")
            show.Printer(out).facts(each.facts())


def main() -> NoReturn:
    """Run the command line.  What a command returns is the exit code: None or 0 when all is well."""
    try:
        exit_code = app(standalone_mode=False)
    except typer.TyperException as error:
        complain(f"{error.format_message().rstrip('.')}; see audit21 --help")
        exit_code = BAD_COMMAND
    sys.exit(exit_code)
