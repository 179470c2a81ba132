"""``audit21 explain``."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli.shared import AsJson, RulebookFolders, Width, fail_in_file, write_json

if TYPE_CHECKING:
    from replay.narrative.told import Narration


def explain(
    what: Annotated[
        str, typer.Argument(metavar="ROUND_ID|FILE", help="A round of a lake, or a file of rounds in the notation.")
    ],
    lake: Annotated[
        Path | None,
        typer.Option(metavar="LAKE", help="The lake that the round is in; without it, a file is explained."),
    ] = None,
    name: Annotated[str | None, typer.Option("--round", metavar="NAME", help="Only the round of that name.")] = None,
    rulebooks: RulebookFolders = None,
    as_json: AsJson = False,
    width: Width = None,
) -> None:
    """Tell rounds step by step and explain every settlement, clause by clause.

    A ROUND_ID is <table>/<gaming_day>/<round>, such as P21-04/2026-01-05/17;
    its cards come from the evidence in the lake.

    FILE begins with a header ("rulebook md-pontoon21", "decks 6"); then come
    rounds, with lines such as "bet 1 25", "deal AS 7H KD KC", "pay 1 37.50".

    Shown are the options and readings that are not the rulebook's default,
    every step with the clause behind it, what was due against what was paid
    and taken, why, what was irregular and how it was handled, and, for a round
    whose events had to be inferred, the explanations that were considered.
    """
    from pipelines.commands import explain as show
    from pipelines.commands import terminal

    with show.waiting():
        told = _of_file(Path(what), name, rulebooks or ()) if lake is None else _of_lake(lake, what)
    if as_json:
        write_json(show.as_data(told))
    else:
        with terminal.page(width) as out:
            told.print(out)


def _of_file(path: Path, name: str | None, rulebooks: Sequence[Path]) -> "Narration":
    import replay

    try:
        verdict = replay.settle(path, rulebooks)
        if not verdict.rounds:
            fail_in_file(f"{path}: expected at least one round; write 'round NAME' and its events below the header")
        return verdict.explain(name)
    except replay.UnknownRound as error:
        fail_in_file(f"{path}: {error}")
    except replay.RoundsError as error:
        fail_in_file(str(error))


def _of_lake(lake: Path, round_id: str) -> "Narration":
    import warehouse
    from replay.floor import FloorError
    from warehouse.lake import LakeError
    from warehouse.rounds import RoundError

    try:
        return warehouse.open(lake).round(round_id).explain()
    except (LakeError, RoundError, FloorError, OSError) as error:
        fail_in_file(str(error))
