"""``audit21 watch``."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared import BAD_COMMAND, FAILED, complain, fail


def watch(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Videos, pictures, or folders of pictures.")],
    calibration: Annotated[
        Path | None,
        typer.Option(metavar="JSON", help="The camera's calibration; without it, that of the sidecar FILE.json."),
    ] = None,
    annotate: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT", help="Draw what was seen: an .mp4 of a video, a .png of a picture; a folder for several."
        ),
    ] = None,
    frames: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write the frames in which a card was first read, drawn upon, as PNG."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Read the cards in videos and pictures: sightings as lines of JSON on standard output.

    A line is a card from first to last sight: zone, order, face, card,
    confidence, sideways, until, and frame and box (x0, y0, x1, y1 in pixels)
    of what was read. What is not sure has null for card.

    Without a calibration every corner index found is a line of its own, and
    its zone is null. What is wrong with a camera or file is told on standard
    error.
    """
    from pipelines.commands import watch as command

    request = command.WatchRequest(tuple(files), calibration, annotate, frames, quiet)
    try:
        watched, failed = command.run(request, typer.echo, complain)
    except command.BadRequest as error:
        fail(str(error))
    if failed:
        raise typer.Exit(FAILED if watched else BAD_COMMAND)
