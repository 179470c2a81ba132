"""``audit21 simulate``: a floor played forward."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared import RulebookFolders, fail

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
FootageTables = Annotated[
    int, typer.Option(min=1, max=500, help="Tables that are filmed on each day: those where most goes wrong.")
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
Clocks = Annotated[
    str | None,
    typer.Option(
        metavar="MODE",
        help="Clocks worse than usual: mild (offset up to 30 s, drift up to 20 ppm, stamps up to 100 ms late); or, "
        "each mode adding to the one before: offset (up to 30 s), drift (up to 100 ppm), jitter (stamps up to 300 ms "
        "late), step (up to three steps of up to 10 s), restart (as jitter; a device restarts with another offset), "
        "hostile (all of it; the terminal steps too).",
    ),
]
Pace = Annotated[
    str | None,
    typer.Option(
        metavar="PACE",
        help="Time between events: dense (0.1 to 0.9 s), sparse (1.5 to 2.5 s), mixed (changes during the day).",
    ),
]
Habits = Annotated[
    bool,
    typer.Option(
        "--habits",
        help="Give dealers habits: some draw a card before they key its decision, some key settlements in a row. "
        "--clocks and --pace imply it.",
    ),
]
LateKeying = Annotated[
    bool,
    typer.Option("--late-keying", help="Let some dealers key final settlements just after the end of the round."),
]
Misdeals = Annotated[
    str | None,
    typer.Option(metavar="unlogged:RATE", help="Share of rounds with a misdeal that nobody logs."),
]
Outages = Annotated[
    list[str] | None,
    typer.Option(
        "--outage",
        metavar="DEVICE:MINUTES:N",
        help="Lose the lines of a device (shoe, terminal, camera) for so many minutes, N times a day.",
    ),
]
TruthCards = Annotated[
    bool,
    typer.Option(
        "--truth-cards",
        help="Write truth-cards, truth-clocks and truth-rounds.parquet; the options above imply it.",
    ),
]


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
    footage_tables: FootageTables = 1,
    footage_rounds: Annotated[
        int, typer.Option(min=1, max=1000, help="Rounds in a row that are filmed: those in which most goes wrong.")
    ] = 12,
    camera: Annotated[bool, typer.Option("--camera", help="Write camera sightings as well.")] = False,
    parts: Annotated[int, typer.Option(min=1, max=99, help="Files that each source's lines come in.")] = 1,
    compress: Annotated[str, typer.Option(help="Form of the files: none, gz, zst or parquet.")] = "none",
    disorder: Disorder = None,
    clocks: Clocks = None,
    pace: Pace = None,
    habits: Habits = False,
    late_keying: LateKeying = False,
    misdeals: Misdeals = None,
    outage: Outages = None,
    truth_cards: TruthCards = False,
    rulebooks: RulebookFolders = None,
    force: Annotated[bool, typer.Option("--force", help="Replace another simulation in OUT.")] = False,
) -> None:
    """Play a floor forward by the rulebooks and write what it leaves: a landing zone, and the truth about it.

    OUT gets floor.toml, <day>/<table>/terminal.ndjson and shoe.ndjson, and
    beside them truth.parquet: every finding that an audit has to make, with
    clause, cost and handling. clocks.parquet says how far each clock is off.
    With --footage, filmed tables get footage-1.mp4 with its sidecar
    footage-1.json, and placements-<day>-<table>.parquet tells what it shows.
    truth-cards, truth-clocks and truth-rounds.parquet tell where every card
    went, how every clock ran, and which rounds were misdealt or lost lines.

    Stopped in the middle, the same command begins anew and ends with the
    same files.
    """
    from pipelines.commands import simulate as command
    from replay.simulator.filming import Filming

    filming = Filming(footage_tables, footage_rounds) if footage else None
    form = command.FormOptions(parts, compress, tuple(disorder or ()), camera, filming)
    when = command.DayOptions(first.date(), days, rounds)
    nature = command.NatureOptions(clocks, pace, habits, late_keying, misdeals, tuple(outage or ()), truth_cards)
    plants, folders = tuple(plant or ()), tuple(rulebooks or ())
    request = command.SimulateRequest(
        out, rulebook, tables, floor, seed, when, irregularities, plants, form, force, nature, folders
    )
    try:
        summary = command.run(request)
    except command.BadRequest as error:
        fail(str(error))
    command.show(request, summary)
    if summary.unplanted:
        missing = ", ".join(f"{count} x {order}" for order, count in summary.unplanted.items())
        fail(f"no round of this floor suits {missing}; more rounds, tables or days, or other options may")
