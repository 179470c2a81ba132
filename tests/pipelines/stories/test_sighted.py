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
from tests.bench.campaign_truth import read
from tests.bench.campaign_zones import audit, jobs

_ROUNDS: Final = 60
_CARDS: Final = [rank + suit for rank in "A23456789JQK" for suit in "SHDC"]
Sighting = dict[str, Any]


def audited(
    folder: Path, change: Callable[[list[Sighting]], list[Sighting]], *options: str, seed: int = 31
) -> dict[str, pl.DataFrame]:
    """Audit a table with a camera whose sightings were changed."""
    zone = folder / "zone"
    usual = ["--tables=1", f"--rounds={_ROUNDS}", f"--seed={seed}", "--clocks=mild", "--camera"]
    write_adversary_zone(parse([str(zone), *usual, *options]))
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


def with_the_dealers_cards(seen: list[Sighting]) -> list[Sighting]:
    """Move cards seen in the discards right after they were drawn behind the dealer's cards."""
    dealt = 0
    for line in seen:
        if line["zone"] == "dealer":
            dealt = line["order"]
        elif line["zone"] == "discard":
            line["zone"], line["order"] = "dealer", dealt + 1
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


@pytest.mark.parametrize(("change", "discarded"), [(unchanged, True), (with_the_dealers_cards, False)])
def test_a_card_that_nobody_asked_for_went_where_the_camera_saw_it(
    tmp_path: Path, change: Callable[[list[Sighting]], list[Sighting]], discarded: bool
) -> None:
    """In two rounds of this day the last card was drawn after the dealer's hand was complete, and discarded.

    That is what the log says, and what a card drawn in error looks like: both are told. With the dealer's cards it is
    the dealer's.
    """
    rows = audited(tmp_path, change, "--misdeals=0.3", seed=61)
    truth = read("adversary", tmp_path / "zone")
    last = truth.cards.drop_nulls("round_id").sort("n").group_by("round_id").last()
    drawn_in_vain = [
        round_id
        for round_id, n in last.select("round_id", "n").iter_rows()
        if truth.round(round_id).kind == "extra-discarded"
        and (found := truth.round(round_id).misdeal)
        and n in found.cards
    ]
    assert len(drawn_in_vain) == 2
    own = rows["findings"].filter(pl.col("round_id").is_in(drawn_in_vain))
    assert [found.startswith("dealer.drew-") for found in own["code"]] == [True, True], own
    assert ["drawn in error" in told for told in own["message"]] == [discarded, discarded], own


def test_what_the_likeliest_story_leaves_is_found_where_a_card_was_left_to_no_round(tmp_path: Path) -> None:
    """In two rounds of this day a card drawn in vain looks as if it came between rounds; by the clocks it did not."""
    zone = tmp_path / "zone"
    write_adversary_zone(
        parse([str(zone), "--tables=1", "--rounds=60", "--seed=122", "--clocks=mild", "--misdeals=0.3"])
    )
    (job,) = jobs(zone, tmp_path / "lake" / "raw")
    rows = audit(job).rows
    likeliest = rows["stories"].filter(pl.col("rank") == 1)
    assert len(likeliest) > 10
    for round_id, leaves in likeliest.select("round_id", "leaves").iter_rows():
        left = {text.partition(":")[0] for text in leaves}
        said = set(rows["findings"].filter(pl.col("round_id") == round_id)["code"])
        assert left <= said or "evidence.ambiguous" in said, (round_id, left, said)
