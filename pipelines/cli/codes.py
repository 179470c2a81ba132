"""``audit21 codes``."""

from typing import Annotated

import typer

from pipelines.cli.shared import AsJson, Width, write_json


def codes(
    as_json: AsJson = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write the page replay/FINDINGS.md.")] = False,
    width: Width = None,
) -> None:
    """List the finding codes: the evidence that each needs, and how the floor can have handled it."""
    from pipelines.commands import explain as show
    from pipelines.commands import terminal
    from replay.handlings import matrix
    from replay.library import PACKAGE

    if markdown:
        typer.echo(show.codes_page(), nl=False)
    elif as_json:
        write_json([dict(zip(("code", "evidence", "handlings"), row, strict=True)) for row in matrix(PACKAGE.newest())])
    else:
        with terminal.page(width) as out:
            show.show_codes(out)
