"""``audit21 contract``."""

from typing import Annotated

import typer

from pipelines.cli.shared import Width, fail, write_json


def contract(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[TYPE]...", help="Types of event, such as wager; all without it.")
    ] = None,
    json_schema: Annotated[
        bool, typer.Option("--json-schema", help="Write the JSON Schema (2020-12) of a line of these types.")
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write the page replay/EVENTS.md.")] = False,
    width: Width = None,
) -> None:
    """List the events that landing files can hold: their fields, which are required, and what each may be."""
    from pipelines.commands import contract as show
    from pipelines.commands import terminal
    from replay.contract import json_schema as schema
    from replay.contract.events import EVENT_OF
    from replay.contract.page import page

    wanted = names or []
    for name in wanted:
        if name not in EVENT_OF:
            fail(f"found {name!r}, expected a type of event: {', '.join(EVENT_OF)}")
    if json_schema:
        write_json(schema.document(*wanted))
    elif markdown:
        typer.echo(page(), nl=False)
    else:
        with terminal.page(width) as out:
            show.show_events(out, [EVENT_OF[name] for name in wanted or EVENT_OF])
