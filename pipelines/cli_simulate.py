"""``audit21 simulate``: a floor played forward."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

commands = typer.Typer()
FIRST_DAY = datetime(2026, 1, 5)  # noqa: DTZ001 - a gaming day has no time zone
Rulebooks = Annotated[
    str,
    typer.Option(help="Rulebooks in force: one, several with commas between, or all. Tables take them in turn."),
]
FirstDay = Annotated[
    datetime,
    typer.Option(
        "--from", formats=["%Y-%m-%d"], metavar="DAY", show_default="2026-01-05", help="The first gaming day."
    ),
]
Plants = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CODE:N",
        help="Plant a finding so many times (floor.*: at so many tables); CODE/HANDLING:N in one handling.",
    ),
]
Footage = Annotated[
    bool,
    typer.Option(
        "--footage",
        help="Draw the overhead camera's video of some rounds, in place of the camera's own lines; takes minutes.",
    ),
]
Disorder = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KIND:N", help="Damage so many files: late, repeated, overlapping, truncated, garbage, foreign."
    ),
]


@commands.command()
def simulate(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder for the landing zone: a new or an empty one.")],
    rulebook: Rulebooks = "all",
    tables: Annotated[int, typer.Option(min=1, max=500, help="Tables on the floor.")] = 5,
    rounds: Annotated[int, typer.Option(min=1, max=50_000, help="Rounds at each table on each gaming day.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same files, byte for byte.")] = 1,
    floor: Annotated[
        Path | None, typer.Option(metavar="TOML", help="A floor.toml to play by, instead of --rulebook and --tables.")
    ] = None,
    days: Annotated[int, typer.Option(min=1, max=1000, help="Gaming days.")] = 1,
    first: FirstDay = FIRST_DAY,
    irregularities: Annotated[
        float, typer.Option(min=0, max=1, metavar="RATE", help="Share of rounds in which something goes wrong.")
    ] = 0,
    plant: Plants = None,
    footage: Footage = False,
    footage_tables: Annotated[
        int, typer.Option(min=1, max=500, help="Tables that are filmed on each day: those where most goes wrong.")
    ] = 1,
    footage_rounds: Annotated[
        int, typer.Option(min=1, max=1000, help="Rounds in a row that are filmed: those in which most goes wrong.")
    ] = 12,
    camera: Annotated[bool, typer.Option("--camera", help="Write camera sightings as well.")] = False,
    parts: Annotated[int, typer.Option(min=1, max=99, help="Files that each source's lines come in.")] = 1,
    compress: Annotated[str, typer.Option(help="Form of the files: none, gz, zst or parquet.")] = "none",
    disorder: Disorder = None,
    force: Annotated[bool, typer.Option("--force", help="Replace another simulation in OUT.")] = False,
) -> None:
    """Play a floor forward by the rulebooks and write what it leaves: a landing zone, and the truth about it.

    OUT gets floor.toml, <day>/<table>/terminal.ndjson and shoe.ndjson, and
    beside them truth.parquet: every finding that an audit has to make, with
    clause, cost and handling. clocks.parquet says how far each clock is off.
    With --footage, filmed tables get footage-1.mp4 with its sidecar
    footage-1.json, and placements-<day>-<table>.parquet tells what it shows.

    Stopped in the middle, the same command begins anew and ends with the
    same files.
    """
    from pipelines import simulate as command
    from pipelines.cli import fail
    from replay.simulator.filming import Filming

    filming = Filming(footage_tables, footage_rounds) if footage else None
    form = command.FormOptions(parts, compress, tuple(disorder or ()), camera, filming)
    when = command.DayOptions(first.date(), days, rounds)
    request = command.Request(out, rulebook, tables, floor, seed, when, irregularities, tuple(plant or ()), form, force)
    try:
        summary = command.run(request)
    except command.BadRequest as error:
        fail(str(error))
    command.show(request, summary)
    if summary.unplanted:
        missing = ", ".join(f"{count} x {order}" for order, count in summary.unplanted.items())
        fail(f"no round of this floor suits {missing}; more rounds, tables or days, or other options may")
