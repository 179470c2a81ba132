"""``audit21 hold``."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared import echo, fail

Round = Annotated[str, typer.Argument(metavar="ROUND_ID", help="<table>/<gaming_day>/<round>.")]
TheLake = Annotated[Path, typer.Option(metavar="LAKE", help="The lake that the round is in.")]


def hold(
    round_id: Round,
    lake: TheLake,
    by: Annotated[str, typer.Option(metavar="NAME", help="Who orders it.")],
    why: Annotated[str, typer.Option(metavar="TEXT", help="The reason, such as a case's number.")],
    release: Annotated[bool, typer.Option("--release", help="End the hold.")] = False,
) -> None:
    """Protect a round's evidence from any clean-up, or end that.

    All files of the round's table and day are held: logs, footage, stills.
    Holds and releases are entries of the evidence log.
    """
    from warehouse.retention import holds
    from warehouse.retention.remove import Failed
    from warehouse.rounds import find

    try:
        if release:
            holds.release(lake, round_id, by, why, datetime.now(UTC))
            echo(f"{round_id} is no longer held")
            return
        is_new = holds.place(lake, find(lake, round_id).round_id, by, why, datetime.now(UTC))
    except Failed as error:
        fail(str(error))
    echo(f"{round_id} is {'held' if is_new else 'held already'}")


def holds(
    lake: TheLake,
    everything: Annotated[bool, typer.Option("--all", help="Also those that were released.")] = False,
) -> None:
    """List the rounds whose evidence is held, with who ordered it and why."""
    from warehouse.evidence.entries import EvidenceError
    from warehouse.retention import holds as listed

    if not lake.is_dir():
        fail(f"{lake}: no lake; expected a folder that audit21 run has written")
    try:
        found = listed.history(lake) if everything else list(listed.in_force(lake).values())
    except EvidenceError as error:
        fail(str(error))
    for each in found:
        echo(f"{each.at}  {each.action:7}  {each.round_id}  by {each.by}: {each.why}")
