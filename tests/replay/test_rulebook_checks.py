"""A rulebook with a key, a name or a value that the engine does not know is refused, with its place."""

import re
import tomllib
from copy import deepcopy
from importlib import resources
from typing import Any

import pytest

from replay import library, rulebook_file
from replay.rulebook_checks import problems
from replay.rulebook_file import RulebookError
from replay.rules import Rules
from replay.settings import OPTIONS, PARAMETERS, READINGS, parameter
from replay.toml_lines import line_of
from tests.books import IDS
from tests.mutation.misspelt import keys, unnoticed

MD = "md-pontoon21"


def text_of(book: str) -> str:
    return resources.files("replay.rulebooks").joinpath(f"{book}.toml").read_text(encoding="utf-8")


def data_of(book: str) -> dict[str, Any]:
    return tomllib.loads(text_of(book))


@pytest.mark.parametrize("book", IDS)
def test_every_misspelt_key_is_noticed(book: str) -> None:
    assert unnoticed(data_of(book)) == []


@pytest.mark.parametrize("book", IDS)
def test_every_rulebook_is_free_of_problems(book: str) -> None:
    assert list(problems(data_of(book))) == []


def changed(old: str, new: str, book: str = MD) -> str:
    """The text of a rulebook with one place changed, which is there once."""
    text = text_of(book)
    assert text.count(old) == 1, old
    return text.replace(old, new)


def line(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('jurisdiction = "', 'jurisdicton = "', "'jurisdicton' is no part of a rulebook; did you mean 'jurisdiction'?"),
        (
            "\ncard_reader = {",
            "\ncard_raeder = {",
            "option card_raeder: 'card_raeder' is no option; did you mean 'card_reader'",
        ),
        (
            "hole_card = { default = true, permitted = [true] }",
            "hole_card = { default = true, permited = [true] }",
            "option hole_card: 'permited' is no key of an option; did you mean 'permitted'?",
        ),
        (
            "hole_card = { default = true, permitted = [true] }",
            'hole_card = { default = "yes", permitted = [true] }',
            "option hole_card: default is 'yes', expected true or false",
        ),
        (
            "max_hands_per_box = { default = 4, permitted = { min = 2, max = 99 } }",
            "max_hands_per_box = { default = 4, permitted = { min = 2, mx = 99 } }",
            "option max_hands_per_box: 'mx' is no bound; did you mean 'max'?",
        ),
        ('late_wager = { default = "refused"', 'late_wager = { default = "refusd"', "did you mean 'refused'?"),
        (
            "late_wager = {",
            "late_wagers = {",
            "reading late_wagers: 'late_wagers' is no reading; did you mean 'late_wager'?",
        ),
        (
            'clause = "7.M"',
            'clause = "7.MM"',
            "reading dealer_stopped_short: clause is '7.MM', which is no clause here",
        ),
        ("boxes_max = 8", "boxes_mx = 8", "clause 2.A: 'boxes_mx' is no parameter; did you mean 'boxes_max'?"),
        ("boxes_max = 8", "boxes_max = 32", "clause 2.A: boxes_max is 32, expected a whole number from 1 to 31"),
        (
            'dealer_soft_17 = "stands"',
            'dealer_soft_17 = "stand"',
            "expected 'stands' or 'draws'; did you mean 'stands'?",
        ),
        ('"odds.regular" = "1:1"', '"odds.regular" = "1-1"', "odds.regular is '1-1', expected odds such as '3:2'"),
    ],
)
def test_what_is_not_known_is_named_with_its_place(old: str, new: str, message: str) -> None:
    text = changed(old, new)
    with pytest.raises(RulebookError, match=re.escape(message)) as error:
        rulebook_file.read_bytes(text.encode(), "mine.toml")
    assert str(error.value).startswith(f"mine.toml:{line(text, new.strip())}: ")


def test_a_parameter_that_no_clause_sets_and_that_has_no_default() -> None:
    data = data_of(MD)
    for row in data["clauses"].values():
        row.get("sets", {}).pop("dealer_soft_17", None)
    with pytest.raises(
        RulebookError, match="no clause sets dealer_soft_17, which has no default; expected 'stands' or"
    ):
        rulebook_file.parse(data)


def clause_with(**keys: Any) -> dict[str, Any]:
    data = deepcopy(data_of(MD))
    data["clauses"]["1.A"] |= keys
    return data


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"permitz": ["dead-hand"]}, "'permitz' is no key of a clause; did you mean 'permits'?"),
        ({"does": "setles"}, "does is 'setles', expected 'settles' or .*; did you mean 'settles'?"),
        ({"cites": ["wager.lat"]}, "cites 'wager.lat', which is no situation and no code; did you mean 'wager.late'?"),
        ({"cites": ["outcome.void"], "prescribes": [["dead-hands"]]}, r"prescribes is \[\['dead-hands'\]\], expected"),
        ({"permits": ["dead-hand"]}, "permits without cites: nothing that it is about"),
        ({"via": ["1.Z"]}, "via '1.Z', which is no clause"),
        ({"does": "checks"}, "checks nothing; give it sets, cites or via"),
        ({"does": "unobservable"}, "needs a why"),
        ({"sets": {"super_bonus.share_cent": 5000}}, "is no parameter; did you mean 'super_bonus.share_cents'"),
        ({"sets": {"odds.match.7.suited": "9:1"}}, "'odds.match.7.suited' is no parameter"),
        ({"sets": {"bonus_spin.E.10": 1000}}, "'bonus_spin.E.10' is no parameter"),
        ({"sets": 7}, "sets is 7, expected values by name"),
        ({"topic": ""}, "topic is '', expected text"),
    ],
)
def test_clause_that_cannot_be(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(RulebookError, match=f"clause 1.A: .*{message}"):
        rulebook_file.parse(clause_with(**keys))


def test_a_wager_that_may_be_offered_needs_its_odds() -> None:
    data = data_of("mbs-pontoon")
    for row in data["clauses"].values():
        row.get("sets", {}).pop("odds.pair", None)
    data["clauses"] = {
        key: row
        | (
            {"does": "defines"}
            if row["does"] == "settles" and not (row.get("sets") or row.get("cites") or row.get("via"))
            else {}
        )
        for key, row in data["clauses"].items()
    }
    with pytest.raises(RulebookError, match=r"option pair: pair may be offered, and no clause sets odds\.pair"):
        rulebook_file.parse(data)


def test_amounts_that_payments_cite_stand_in_a_clause() -> None:
    data = data_of("mbs-pontoon")
    data["parameters"]["odds.doubled"] = "1:1"
    with pytest.raises(RulebookError, match=r"odds\.doubled has to be set by a clause"):
        rulebook_file.parse(data)


def test_the_keys_that_are_misspelt_are_all() -> None:
    data = {"a": 1, "options": {"x": {"default": 2}}, "clauses": {"1.A": {"sets": {"b": {"c": 1}}}}}
    assert [path for path, _ in keys(data)] == [
        ("a",),
        ("options",),
        ("options", "x"),
        ("options", "x", "default"),
        ("clauses",),
        ("clauses", "1.A", "sets"),
        ("clauses", "1.A", "sets", "b"),
        ("clauses", "1.A", "sets", "b", "c"),
    ]


def test_text_that_is_no_toml_names_file_and_line() -> None:
    with pytest.raises(RulebookError, match=r"mine\.toml: .*line 2"):
        rulebook_file.read_bytes(b'id = "x"\ntitle =\n', "mine.toml")


def test_each_field_of_the_engine_takes_one_setting() -> None:
    fields = [each.field for each in (*PARAMETERS.values(), *OPTIONS.values(), *READINGS.values()) if each.field]
    assert len(fields) == len(set(fields))
    assert set(fields) <= set(Rules._fields)


def test_defaults_are_of_their_kind() -> None:
    for each in (*PARAMETERS.values(), *OPTIONS.values(), *READINGS.values()):
        assert each.is_required or each.default is None or each.kind.allows(each.default), each.name


def test_every_parameter_matters_to_some_rulebook() -> None:
    used = {name for book in IDS for clause in library.load(book).clauses for name in clause.sets}
    used |= {name for book in IDS for name in data_of(book).get("parameters", {})}
    assert {name for name in used if parameter(name) is None} == set()
    assert set(PARAMETERS) - used == set()


def test_lines_of_headers_keys_and_what_is_not_there() -> None:
    text = 'a = 1\n[b]\n"c.d" = 2\n[clauses."1.A"]  # one\nsays = """\n[b]\nx = 1"""\ne = { f = 1 }\n'
    assert [line_of(text, path) for path in (("a",), ("b", "c.d"), ("clauses", "1.A", "e", "f"))] == [1, 3, 8]
    assert line_of(text, ("clauses", "1.A", "missing")) == 4
    assert line_of(text, ("nothing",)) == 1
