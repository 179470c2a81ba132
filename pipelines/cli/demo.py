"""The command that shows all of it on a simulated floor."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared import FAILED, complain, fail


def demo(
    folder: Annotated[
        Path, typer.Option("--dir", metavar="DIR", help="Folder for the landing zone and the lake.")
    ] = Path(".demo"),
    serves: Annotated[bool, typer.Option("--serve/--no-serve", help="Open the dashboards on it.")] = True,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the dashboards; 0 for any that is free.")] = 8021,
) -> None:
    """Simulate a floor with footage and something to find, audit it, and open the dashboards on it.

    Run again, it goes on where it was: what was simulated and audited is
    not done anew.
    """
    from dashboards import serve
    from pipelines.commands import demo as command
    from pipelines.commands.terminal import console
    from pipelines.custody import lines

    out = console(None)
    try:
        made = command.make(folder, out)
    except command.BadRequest as error:
        fail(str(error))
    except command.Failed as error:
        complain(str(error))
        raise typer.Exit(FAILED) from None
    command.show(made, port, out)
    if serves:
        try:
            serve.run(
                serve.ServeRequest(made.lake, port=port, landing=made.landing, text_of=lines.of_parquet, is_demo=True)
            )
        except serve.ServeRefused as error:
            fail(str(error))
