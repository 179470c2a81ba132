"""``audit21 verify``."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared import FAILED, AsJson, ThePin, Width, fail, write_json


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
    """Verify the integrity of the evidence: hashes, chain, signatures, and published tables.

    Says what differs, the first thing first, and ends with 1 where anything
    does. A checkpoint that was kept elsewhere also shows whether the newest
    days were removed.

    The keys of witnesses demand that so many of them have cosigned the newest
    checkpoint: a property that rewrites its history needs their keys as well.

    A dispute bundle, zipped or unpacked, is checked with nothing but itself
    and the public key.
    """
    from pipelines.commands import terminal
    from pipelines.commands import verify as command

    try:
        request = command.VerifyRequest(
            lake, tuple(kept or ()), landing, replay, as_json, key, pin, tuple(witness or ()), quorum
        )
        report = command.verify(request)
    except command.BadRequest as error:
        fail(str(error))
    if as_json:
        write_json(command.as_data(report))
    else:
        with terminal.page(width) as out:
            command.show(report, out)
    if report.differences:
        raise typer.Exit(FAILED)
