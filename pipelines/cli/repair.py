"""``audit21 repair``."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared import FAILED, AsJson, complain, echo, fail, write_json


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
    from pipelines.commands import repair as command

    request = command.RepairRequest(lake, by or "audit21 repair", dry_run)
    try:
        result = command.repair(request)
    except command.BadRequest as error:
        fail(str(error))
    except command.Failed as error:
        complain(str(error))
        raise typer.Exit(FAILED) from None
    if as_json:
        write_json(asdict(result))
    else:
        for line in command.lines(request, result):
            echo(line)
    if result.damaged:
        complain(f"{lake}: the evidence itself is damaged; nothing was changed. Restore it from a backup")
        raise typer.Exit(FAILED)
