"""``audit21 run``."""

import gc
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared import FAILED, AsJson, RulebookFolders, ThePin, Width, complain, fail, write_json


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
    rulebooks: RulebookFolders = None,
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
    from pipelines.commands import run as command
    from pipelines.commands import terminal

    gc.enable()
    wanted = None if day is None else day.date()
    tables, folders = tuple(table or ()), tuple(rulebooks or ())
    request = command.RunRequest(landing, lake, wanted, tables, copy_footage, quiet or as_json, pin, folders)
    try:
        result = command.run(request)
    except command.BadRequest as error:
        fail(str(error))
    except command.Failed as error:
        complain(str(error))
        raise typer.Exit(FAILED) from None
    if as_json:
        write_json(command.as_data(result))
    elif not quiet:
        with terminal.page(width) as out:
            command.show(result, lake, out)
    for problem in result.problems:
        complain(problem)
    if result.problems:
        raise typer.Exit(FAILED)
