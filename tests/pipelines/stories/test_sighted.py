"""Stories and the camera: where cards were seen decides, and a camera that reads wrong accuses nobody."""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Final

import polars as pl
import pytest

from tests.adversary.__main__ import parse
from tests.adversary.__main__ import run as write_adversary_zone
from tests.bench.campaign_zones import audit, jobs

_ROUNDS: Final = 60
_CARDS: Final = [rank + suit for rank in "A23456789JQK" for suit in "SHDC"]
Sighting = dict[str, Any]


def audited(folder: Path, change: Callable[[list[Sighting]], list[Sighting]]) -> dict[str, pl.DataFrame]:
    """Audit a table with a camera whose sightings were changed."""
    zone = folder / "zone"
    options = ["--tables=1", f"--rounds={_ROUNDS}", "--seed=31", "--clocks=mild", "--camera"]
    write_adversary_zone(parse([str(zone), *options]))
    (path,) = zone.glob("*/*/camera*.ndjson")
    seen = change([json.loads(line) for line in path.read_text().splitlines()])
    path.write_text("".join(json.dumps({**line, "seq": n}) + "\n" for n, line in enumerate(seen, 1)))
    (job,) = jobs(zone, folder / "lake" / "raw")
    return audit(job).rows


def accusations(rows: dict[str, pl.DataFrame]) -> list[tuple[str, int | None, str | None]]:
    found = rows["findings"].filter(~pl.col("code").str.starts_with("evidence.clock"))
    return found.select("code", "seat", "round_id").rows()


def first_cards(seen: list[Sighting]) -> tuple[Sighting, Sighting]:
    """The sightings of two boxes' first cards in the middle of a day: different pictures, so that totals are equal."""
    found = [
        (one, other)
        for one, other in pairwise(seen)
        if one["zone"] < other["zone"]
        and all(each["zone"].endswith("hand1") and each["order"] == 1 and each["card"] for each in (one, other))
        and one["card"][0] != other["card"][0]
        and {one["card"][0], other["card"][0]} <= {"J", "Q", "K"}
    ]
    return found[len(found) // 2]


def unchanged(seen: list[Sighting]) -> list[Sighting]:
    return seen


def exchanged(seen: list[Sighting]) -> list[Sighting]:
    one, other = first_cards(seen)
    one["card"], other["card"] = other["card"], one["card"]
    return seen


def misread(seen: list[Sighting]) -> list[Sighting]:
    one, other = first_cards(seen)
    one["card"] = other["card"]
    return seen


def unreliable(seed: int) -> Callable[[list[Sighting]], list[Sighting]]:
    """Cards covered, read wrong, and read as another of the same moment."""

    def change(seen: list[Sighting]) -> list[Sighting]:
        rng = Random(seed)
        cards = [line["card"] for line in seen]
        for n, line in enumerate(seen):
            chance = rng.random()
            if line["card"] and chance < 0.03:
                line["card"] = rng.choice(_CARDS)
            elif line["card"] and chance < 0.05:
                line["card"] = cards[max(0, n - rng.randint(1, 8))]
        return [line for line in seen if rng.random() > 0.1]

    return change


def test_a_camera_that_agrees_changes_nothing(tmp_path: Path) -> None:
    assert accusations(audited(tmp_path, unchanged)) == []


def test_exchanged_cards_are_one_finding_where_the_money_shows_nothing(tmp_path: Path) -> None:
    rows = audited(tmp_path, exchanged)
    ((code, _, round_id),) = accusations(rows)
    assert code == "deal.wrong-box"
    story = rows["stories"].filter(pl.col("rank") == 1, pl.col("round_id") == round_id)
    assert story["deviations"].to_list() == [["deal.wrong-box"]]


def test_one_misreading_is_no_misdeal(tmp_path: Path) -> None:
    codes = {code for code, _, _ in accusations(audited(tmp_path, misread))}
    assert codes <= {"evidence.card-disagreement", "evidence.zone-disagreement"}


@pytest.mark.parametrize("seed", range(3))
def test_an_unreliable_camera_accuses_nobody(tmp_path: Path, seed: int) -> None:
    found = [each for each in accusations(audited(tmp_path, unreliable(seed))) if not each[0].startswith("evidence.")]
    assert found == []
