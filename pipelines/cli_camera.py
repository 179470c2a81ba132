"""The commands about cameras."""

from pathlib import Path
from typing import Annotated

import typer

commands = typer.Typer()


@commands.command()
def calibrate(
    still: Annotated[
        Path, typer.Argument(metavar="STILL", help="A picture of the table; of a video, its first frame.")
    ],
    boxes: Annotated[
        int | None, typer.Option(min=1, max=8, metavar="N", help="Boxes on the layout; 7 without it.")
    ] = None,
    rulebook: Annotated[
        str | None, typer.Option(metavar="R", help="The rulebook, which limits the number of boxes.")
    ] = None,
    layout: Annotated[
        Path | None, typer.Option(metavar="JSON", help="Another layout: zones and marks in millimetres, card_mm.")
    ] = None,
    corner: Annotated[
        list[str] | None,
        typer.Option(metavar="X,Y", help="A corner mark's pixel, four times, clockwise from the upper left."),
    ] = None,
    card: Annotated[
        str | None, typer.Option(metavar="WxH", help="A card's size in mm, such as 57x89; measured if some lie there.")
    ] = None,
    known: Annotated[
        Path | None, typer.Option("--check", metavar="JSON", help="Check this calibration instead of making one.")
    ] = None,
    reference: Annotated[
        Path | None,
        typer.Option(metavar="STILL", help="For --check: the still that it was made from, where the marks are hidden."),
    ] = None,
    draw: Annotated[Path | None, typer.Option(metavar="PNG", help="Draw zones, cards and grid over the still.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="JSON", help="Write it there; a footage sidecar keeps its other fields.")
    ] = None,
) -> None:
    """Make or check a camera's calibration: where in its picture the felt and the zones of the table are.

    The four marks at the corners of the layout are searched for: dark rings
    with a white centre. Where there are none, give the corners by hand.

    Without --out, the calibration is written to standard output. --check
    says how far the table is off and ends with 1 if that is too far.
    """
    import json

    from pipelines import calibrate as command
    from pipelines.cli import FAILED, fail
    from pipelines.terminal import console

    request = command.Request(still, boxes, rulebook, layout, tuple(corner or ()), card, draw, out)
    told = console(soft_wrap=True)
    try:
        if known is not None:
            found = command.check(known, request, reference)
            command.show_check(request, found, told)
            if found.problems:
                raise typer.Exit(FAILED)
            return
        made = command.make(request)
    except command.BadRequest as error:
        fail(str(error))
    if out is None:
        typer.echo(json.dumps(made.to_json()))
    else:
        command.show(request, made, told)


@commands.command()
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
    from pipelines import sight as command
    from pipelines.cli import BAD_COMMAND, FAILED, complain, fail

    request = command.Request(tuple(files), calibration, annotate, frames, quiet)
    try:
        watched, failed = command.run(request, typer.echo, complain)
    except command.BadRequest as error:
        fail(str(error))
    if failed:
        raise typer.Exit(FAILED if watched else BAD_COMMAND)


@commands.command()
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
    from pipelines import inspection as command
    from pipelines.cli import FAILED, fail
    from pipelines.terminal import console

    request = command.Request(tuple(spreads), decks, look, draw)
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
