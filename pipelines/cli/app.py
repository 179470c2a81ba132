"""The command line, `audit21`: the one place that knows every room."""

import sys
from importlib.metadata import version
from typing import Annotated, Final, NoReturn

import typer

from pipelines.cli.calibrate import calibrate
from pipelines.cli.codes import codes
from pipelines.cli.contract import contract
from pipelines.cli.demo import demo
from pipelines.cli.dev import dev
from pipelines.cli.dispute import dispute
from pipelines.cli.explain import explain
from pipelines.cli.hold import hold, holds
from pipelines.cli.inspect import inspect
from pipelines.cli.keys import commands as keys
from pipelines.cli.repair import repair
from pipelines.cli.retain import retain
from pipelines.cli.rulebook import rulebook
from pipelines.cli.run import run
from pipelines.cli.serve import serve
from pipelines.cli.shared import BAD_COMMAND, complain
from pipelines.cli.signoff import signoff
from pipelines.cli.simulate import simulate
from pipelines.cli.verify import verify
from pipelines.cli.watch import watch
from pipelines.cli.witness import commands as witness

# In the order of the help text.
_COMMANDS: Final = (
    *(explain, run, verify, repair, signoff, dev, codes, contract, rulebook, demo, calibrate, watch, inspect, serve),
    *(dispute, hold, holds, retain, simulate),
)

app = typer.Typer(name="audit21", add_completion=False, pretty_exceptions_enable=False)
for _command in _COMMANDS:
    app.command()(_command)
app.add_typer(keys)
app.add_typer(witness)


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
        complain(f"{error.format_message().rstrip('.')}; see audit21 --help")
        exit_code = BAD_COMMAND
    sys.exit(exit_code)
