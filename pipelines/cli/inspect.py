"""``audit21 inspect``."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared import FAILED, fail


def inspect(
    spreads: Annotated[
        list[Path], typer.Argument(metavar="SPREAD...", help="Pictures or videos of decks that lie spread face up.")
    ],
    decks: Annotated[
        int | None, typer.Option(min=1, max=12, metavar="N", help="How many decks there should be.")
    ] = None,
    look: Annotated[
        Path | None, typer.Option(metavar="NPZ", help="Keep how this deck's indices look, beside the calibration.")
    ] = None,
    draw: Annotated[Path | None, typer.Option(metavar="PNG", help="Draw what was read over the picture.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="A line of JSON for each deck, and one for all.")] = False,
) -> None:
    """Count decks at the opening inspection: cards missing or too many, and tens that were not taken out.

    The decks lie face up by suit and in sequence, each card free to its
    index. What cannot be read for sure is told with its place, to be looked
    at. Ends with 1 unless every deck is complete beyond doubt.
    """
    from pipelines.commands import inspect as command
    from pipelines.commands.terminal import console

    request = command.InspectRequest(tuple(spreads), decks, look, draw)
    try:
        found = command.run(request)
    except command.BadRequest as error:
        fail(str(error))
    if as_json:
        for line in command.lines(found):
            typer.echo(line)
    else:
        command.show(request, found, console(soft_wrap=True))
    if command.problems(request, found):
        raise typer.Exit(FAILED)
