"""The command line, `audit21`: the one place that knows every room."""

import sys
from importlib.metadata import version
from typing import Annotated, NoReturn

import typer

BAD_COMMAND = 2

app = typer.Typer(name="audit21", add_completion=False, pretty_exceptions_enable=False)


def fail(message: str) -> NoReturn:
    """End a command that cannot be carried out: one line on stderr, exit code 2."""
    _complain(message)
    raise typer.Exit(BAD_COMMAND)


def _complain(message: str) -> None:
    typer.echo(f"audit21: {' '.join(message.split())}", err=True)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"audit21 {version('audit21')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def audit21(
    context: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Replay Pontoon and Spanish 21 rounds through the rulebook in force, and audit every settlement."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> NoReturn:
    """Run the command line.  What a command returns is the exit code: None or 0 when all is well."""
    try:
        exit_code = app(standalone_mode=False)
    except typer.TyperException as error:
        _complain(f"{error.format_message().rstrip('.')}; see audit21 --help")
        exit_code = BAD_COMMAND
    sys.exit(exit_code)
