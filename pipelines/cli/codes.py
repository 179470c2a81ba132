"""``audit21 codes``."""

from typing import Annotated

import typer

from pipelines.cli.shared import AsJson, Width, write_json


def codes(
    as_json: AsJson = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write the page replay/FINDINGS.md.")] = False,
    width: Width = None,
) -> None:
    """List the finding codes with meaning, severity, the logs that show each, recommended action and handling."""
    from pipelines.commands import explain as show
    from pipelines.commands import terminal
    from replay.code_help import code_help
    from replay.handlings import matrix
    from replay.library import PACKAGE

    if markdown:
        typer.echo(show.codes_page(), nl=False)
    elif as_json:
        help_of = {each.code: each for each in code_help()}
        write_json(
            [
                {"code": code, "evidence": evidence, "handlings": handlings, **help_of[code]._asdict()}
                for code, evidence, handlings in matrix(PACKAGE.newest())
            ]
        )
    else:
        with terminal.page(width) as out:
            show.show_codes(out)
