"""``audit21 calibrate``."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared import FAILED, fail


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

    from pipelines.commands import calibrate as command
    from pipelines.commands.terminal import console

    request = command.CalibrateRequest(still, boxes, rulebook, layout, tuple(corner or ()), card, draw, out)
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
