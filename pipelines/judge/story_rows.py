"""Rows of ``stories``, and the findings about rounds of which no story is certain."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import polars as pl

from pipelines.judge.arrow import read_list
from pipelines.judge.day import JudgedDay
from pipelines.stories import prices, sentences
from pipelines.stories.apply import fields
from pipelines.stories.stories import Told
from pipelines.stories.trial import Court
from pipelines.stories.weigh import Story
from replay import codes
from replay.audit import Reporter
from replay.columns import I64
from replay.contract import forms
from replay.contract.stored import COLUMNS
from replay.finding import Finding
from warehouse.schemas import DATASETS

AMBIGUOUS: Final = "evidence.ambiguous"


def ambiguous_findings(day: JudgedDay, told: Told) -> Iterator[Finding]:
    """Report every round of which no story is certain."""
    reporter = Reporter(day.judged.table, day.encoded)
    for number, weighed in told.rounds.items():
        if weighed.open:
            stories = weighed.stories[: prices.MOST]
            yield Finding(
                code=AMBIGUOUS,
                form=_form(stories[0]),
                round=day.encoded.rounds[number],
                said={"count": len(stories), "stories": sentences.listed(stories, reporter)},
            )


def _form(likeliest: Story) -> str:
    """Name the sentence for a round whose likeliest story is this one."""
    if likeliest.unexplained:
        return f"{AMBIGUOUS}/camera"
    return f"{AMBIGUOUS}/incomplete" if likeliest.incomplete else AMBIGUOUS


def story_rows(day: JudgedDay, told: Told) -> pl.DataFrame:
    """List the candidates of every round that had to be inferred."""
    reporter = Reporter(day.judged.table, day.encoded)
    supposed = _supposed_places(day)
    rows = []
    for number, weighed in told.rounds.items():
        first = weighed.stories[0]
        plain = not (first.also or first.candidate.cost or first.candidate.supposed)
        if told.court is None or (len(weighed.stories) == 1 and plain and not weighed.open):
            continue
        for rank, story in enumerate(weighed.stories[: prices.MOST], 1):
            row = _row(day, told.court, reporter, story, rank)
            if rank == 1 and story.candidate.supposed:
                row["place"] = supposed[number]
            rows.append({"gaming_day": day.day, "table": day.table_id, "round_id": day.round_ids[number], **row})
    return pl.DataFrame(rows, schema=DATASETS["stories"].types, orient="row")


def _row(day: JudgedDay, court: Court, reporter: Reporter, story: Story, rank: int) -> dict[str, Any]:
    lines = court.source[story.candidate.rows]
    first = np.append(True, lines[1:] != lines[:-1])
    row: dict[str, Any] = {
        "rank": rank,
        "weight": story.weight,
        "summary": sentences.supposes(story),
        "leaves": sentences.leaves(story, reporter),
        "leaves_codes": [reporter.described(line).code for line in story.findings],
        "variance_cents": sentences.variance(story),
        "deviations": [codes.CODES[line.code].name for line in story.candidate.supposed],
        "alternatives": [_alternative(each) for each in story.alternatives],
        "also": sentences.or_else(story),
        "against": sentences.against(story),
        "order": day.place[lines[first]].tolist(),
    }
    for line in story.candidate.supposed:
        row["at"] = int(first[: line.at].sum())
        row |= {name: _value(name, value) for name, value in fields(line).items()}
    return row


def _value(name: str, value: int | str) -> Any:
    """Return a field's value as its column has it, a list as a list."""
    return read_list(str(value)) if COLUMNS[name].form.kind in forms.LISTS else value


def _alternative(story: Story) -> str:
    """Name the misdeal of a story as code, cards and boxes, or the code of the finding that it leaves."""
    line = story.line
    if line is None:
        return next((codes.CODES[code].name for code in prices.code_of(story.findings) if prices.ASTRAY[code]), "")
    boxes = ",".join(str(box) for box in ((line.seat,) if line.seat else line.others))
    cards = ",".join(map(str, line.cards))
    return " ".join(
        [codes.CODES[line.code].name, *([f"card={cards}"] if cards else []), *([f"box={boxes}"] if boxes else [])]
    )


def _supposed_places(day: JudgedDay) -> dict[int, int]:
    """Find the place in the order of events of each round's supposed line."""
    inferred = np.flatnonzero(day.lines.columns.number("inferred") == 1)
    numbers: I64 = day.round_of[inferred]
    return dict(zip(numbers.tolist(), day.place[inferred].tolist(), strict=True))
