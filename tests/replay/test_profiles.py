"""Benchmark profiles: what they change, that they change nothing else, and that floor.toml cannot reach them."""

import json
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from pipelines.cli.rulebook import rulebook as rulebook_command
from replay import floor, library, rules
from replay.compile_rules import compile_rules
from replay.rulebook_file import RulebookError
from replay.simulator import profiles

NAMES = ("spanish21-6-s17", "spanish21-6-h17", "spanish21-8-s17", "spanish21-8-h17")
DATA: dict[str, Any] = {
    "changes": {"soft": {"parameters": {"dealer_soft_17": "draws"}, "why": "to see"}},
    "profiles": {
        "mine": {
            "title": "Mine",
            "rulebook": "md-spanish21",
            "decks": 6,
            "changes": ["soft"],
            "house_edge_percent": 1.0,
            "standard_deviation": 1.0,
            "source": "nobody",
        }
    },
}


def test_names_and_published_figures() -> None:
    figures = {name: profile.house_edge_percent for name, profile in profiles.profiles().items()}
    assert figures == dict(zip(NAMES, (0.37, 0.78, 0.38, 0.80), strict=True))
    assert {profile.standard_deviation for profile in profiles.profiles().values()} == {1.16}
    assert all(profile.source and change.why for profile in profiles.profiles().values() for change in profile.changes)


@pytest.mark.parametrize("name", NAMES)
def test_only_what_is_named_differs_from_the_rulebook(name: str) -> None:
    profile = profiles.load(name)
    row = {"id": name, "rulebook": "md-spanish21", "decks": profile.decks, "boxes": 7}
    plain = compile_rules(floor.parse({"table": [{**row, "min_cents": 500, "max_cents": 100_000}]}).tables[0])
    differ = {
        field
        for field in rules.Rules._fields
        if not np.array_equal(getattr(plain, field), getattr(profile.rules, field))
    }
    soft_17 = {"soft_17_draws"} if name.endswith("h17") else set()
    prizes = {"super_low_prize", "super_high_prize", "share_cents"}
    assert differ == {"bonus_on_split", "split_21", *prizes, *soft_17}
    assert (profile.rules.super_low_prize, profile.rules.super_high_prize, profile.rules.share_cents) == (0, 0, 0)
    assert (profile.rules.max_hands, profile.rules.resplit_aces, profile.rules.aces_once) == (4, 1, 0)


def test_the_rulebook_itself_stays_as_it_is() -> None:
    before = dict(library.load("md-spanish21").parameters)
    assert profiles.load("spanish21-6-h17").table.book.parameters["dealer_soft_17"] == "draws"
    assert dict(library.load("md-spanish21").parameters) == before
    assert before["dealer_soft_17"] == "stands"


def test_floor_toml_knows_no_profile() -> None:
    row = {"id": "T1", "rulebook": NAMES[0], "decks": 6, "boxes": 7, "min_cents": 500, "max_cents": 100_000}
    with pytest.raises(floor.FloorError, match="rulebook is 'spanish21-6-s17', expected one of md-pontoon21"):
        floor.parse({"table": [row]})
    row = {**row, "rulebook": "md-spanish21", "parameters": {"bonus_on_split": True}}
    with pytest.raises(floor.FloorError, match="table T1: 'parameters' is no setting"):
        floor.parse({"table": [row]})


def test_parsed() -> None:
    assert profiles.parse(DATA)["mine"].rules.soft_17_draws == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parameters": {"dealer_soft_71": "draws"}}, "profile mine: md-spanish21 has no parameter dealer_soft_71"),
        ({"options": {"pair": True}}, "profile mine: options.pair is True, expected no such option in md-spanish21"),
        ({"readings": {"split_two_card_21": "lose"}}, "profile mine: readings.split_two_card_21 is 'lose'"),
        ({"parameters": {"dealer_soft_17": "dances"}}, "dealer_soft_17 is 'dances', expected 'stands' or 'draws'"),
    ],
)
def test_impossible_change(change: dict[str, Any], message: str) -> None:
    data = deepcopy(DATA)
    data["changes"]["soft"] = {**change, "why": "to see"}
    with pytest.raises(ValueError, match=message):
        profiles.parse(data)


def test_unknown_names() -> None:
    with pytest.raises(RulebookError, match="profile: found 'nonsense', expected one of spanish21-6-s17, "):
        profiles.load("nonsense")
    data = deepcopy(DATA)
    data["profiles"]["mine"]["changes"] = ["hard"]
    with pytest.raises(RulebookError, match="profile mine: there is no change hard"):
        profiles.parse(data)


def test_listed_with_what_each_changes(capsys: pytest.CaptureFixture[str]) -> None:
    rulebook_command("profiles", width=200)
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if not line.startswith(" ")] == list(NAMES)
    assert out.count("parameter   bonus_on_split = true instead of false\n") == 4
    rulebook_command("spanish21-6-h17", width=200)
    out = capsys.readouterr().out
    assert "parameter   dealer_soft_17 = draws instead of stands\n" in out
    assert "published   house edge 0.78 %, standard deviation 1.16\n" in out


def test_listed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    rulebook_command("spanish21-8-s17", as_json=True)
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == ["spanish21-8-s17"]
    assert rows[0]["changes"][0]["parameters"] == {"bonus_on_split": True}
