"""Settings that are not permitted: each gives one finding under its clause and changes no rule."""

from datetime import date
from random import Random

import pytest

from replay.audit import audit
from replay.compile_rules import compile_rules
from replay.floor import parse
from replay.library import PACKAGE
from replay.rules import record
from replay.simulator import house
from replay.simulator.plant.floor import ask_in_vain
from tests.books import IDS
from tests.generator import DAY, plain_setup


@pytest.mark.parametrize("book", IDS)
def test_settings_give_one_finding_and_change_nothing(book: str) -> None:
    plain = plain_setup(book)
    asked: set[str] = set()
    for seed in range(40):
        data = plain_setup(book).data
        truth = ask_in_vain(data, "T1", Random(seed), PACKAGE)
        assert truth is not None
        floor = parse(data)
        problem = floor.tables[0].not_permitted[0]
        found = audit(floor, "T1", DAY, []).findings
        assert [(each.code, each.clause.number if each.clause else "", each.handling) for each in found] == [
            (truth.code, truth.clause, None)
        ]
        assert record(compile_rules(floor.tables[0])) == record(plain.rules), problem
        asked.add(problem.setting)
    assert len(asked) > 5


@pytest.mark.parametrize(
    ("book", "setting", "clause"),
    [
        ("md-pontoon21", "options.burn_first_card", "7.B(3)"),  # the first card of a shoe is burned
        ("ma-pontoon21", "options.bettors_per_box", "13(a)"),  # three at most
        ("mbs-pontoon", "options.resplit_aces", "3.22.1"),  # aces are split once
        ("div15-pontoon", "options.max_hands_per_box", "13.4(a)"),  # three hands
        ("div15-pontoon", "readings.surrender_binds", "9.6"),  # the box as one
    ],
)
def test_the_clause_is_what_the_setting_goes_against(book: str, setting: str, clause: str) -> None:
    for seed in range(60):
        data = plain_setup(book).data
        truth = ask_in_vain(data, "T1", Random(seed), PACKAGE)
        if parse(data).tables[0].not_permitted[0].setting == setting:
            assert truth is not None
            assert truth.clause == clause
            return
    pytest.fail(f"{setting} was never asked for")


def test_every_entry_of_the_table_has_it_and_no_other_table() -> None:
    first = date(2026, 1, 5)
    data = house.default_floor("ma-pontoon21", 3, first, days=4)
    chosen = data["table"][1]["id"]
    assert ask_in_vain(data, chosen, Random(1), PACKAGE) is not None
    for table in parse(data).tables:
        assert len(table.not_permitted) == (table.id == chosen)


def test_what_the_table_sets_is_left_alone() -> None:
    data = plain_setup("mbs-pontoon").data
    options = {"hole_card": False, "resplit_aces": False, "max_hands_per_box": 4, "burn_first_card": True}
    readings = {"split_two_card_21": "win", "surrender_binds": "bettor"}
    data["table"][0].update(options={**options, "match": False}, readings=readings)
    assert ask_in_vain(data, "T1", Random(1), PACKAGE) is None
    assert parse(data).tables[0].not_permitted == ()
