"""``audit21 signoff``."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared import echo, fail


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
    from pipelines.commands import verify as command

    try:
        snapshot = command.sign_off(lake, day.date(), by, note)
    except (*command.BadRequest, *command.Failed) as error:
        fail(str(error))
    echo(f"{day.date()} is signed off by {by}, as published in snapshot {snapshot}")
