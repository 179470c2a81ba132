"""``audit21 explain``."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared import AsJson, RulebookFolders, Width, fail_in_file, write_json


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
    from replay import narrative

    considered, odd = None, list[show.OddEvidence]()
    try:
        with show.waiting():
            if lake is None:
                judged = show.judge(Path(what), rulebooks or ())
            else:
                from pipelines.commands import lookup

                judged, name, considered, odd = lookup.judge(lake, what)
    except show.BadFile as error:
        fail_in_file(str(error))
    names = judged.encoded.rounds
    if not names:
        fail_in_file(f"{what}: expected at least one round; write 'round NAME' and its events below the header")
    if name is not None and name not in names:
        fail_in_file(f"{what}: no round {name}; there are {', '.join(names)}")
    rounds = [narrative.account(judged, each) for each in names if name in (None, each)]
    if as_json:
        write_json(show.as_data(judged, rounds, considered, odd))
    else:
        with terminal.page(width) as out:
            show.Printer(out).all(judged, rounds, considered, odd)
