"""Options that commands share, and their way to end when something is wrong."""

from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

BAD_COMMAND = 2
FAILED = 1

Width = Annotated[
    int | None, typer.Option(min=80, max=400, help="Columns to write; the terminal's width or 100 without it.")
]
ThePin = Annotated[
    Path | None,
    typer.Option("--pin", metavar="FILE", help="The log's pinned keys, kept outside the lake.", show_default=False),
]
RulebookFolders = Annotated[
    list[Path] | None,
    typer.Option(
        "--rulebooks",
        metavar="DIR",
        help="A folder with further rulebooks, beside those of AUDIT21_RULEBOOKS; may be given several times.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON for machines instead of text.")]


def fail(message: str) -> NoReturn:
    """End a command that cannot be carried out: one line on stderr, exit code 2."""
    complain(message)
    raise typer.Exit(BAD_COMMAND)


def fail_in_file(message: str) -> NoReturn:
    """The same for a bad file: the line begins with the file and the line in it, as compilers write it."""
    echo(" ".join(message.split()), err=True)
    raise typer.Exit(BAD_COMMAND)


def echo(message: str, err: bool = False) -> None:
    """One line, with signs for whatever a terminal would obey."""
    from pipelines.commands import terminal

    terminal.echo(message, err)


def echo_lines(text: str) -> None:
    """A text of several lines, likewise."""
    for line in text.removesuffix("\n").split("\n"):
        echo(line)


def complain(message: str) -> None:
    """One line on stderr."""
    echo(f"audit21: {' '.join(message.split())}", err=True)


def write_json(data: Any) -> None:
    """Write data for machines."""
    from pipelines.commands.terminal import as_json

    typer.echo(as_json(data, indent=2))
