"""The contract of the landing zone as tables for people."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from replay.contract.events import HEAD, EventType, Field
from replay.contract.page import value


def show_events(out: Console, events: Sequence[EventType]) -> None:
    """Print each type of event with its fields; those of every line come first and once."""
    out.print(Text("every line", "bold"))
    out.print(_table(HEAD))
    for event in events:
        out.print()
        out.print(Text.assemble((event.name, "bold"), f"  {event.source}: {event.doc}"))
        own = [field for field in event.fields if field not in HEAD and field.is_logged]
        out.print(_table(own) if own else "  no fields of its own")


def _table(fields: Sequence[Field]) -> Table:
    table = Table(box=None, padding=(0, 1), show_header=False)
    table.add_column(no_wrap=True, min_width=12)
    table.add_column(no_wrap=True, min_width=8)
    table.add_column(ratio=3)
    table.add_column(ratio=2)
    for field in fields:
        table.add_row(field.name, "required" if field.is_required else "optional", field.doc, value(field))
    return table
