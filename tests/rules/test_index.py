"""The list of worked rounds that ships with the rulebooks."""

from replay.library import OF_THE_PACKAGE, PACKAGE
from replay.worked_rounds import FILE, worked_rounds
from tests.rules.index import index


def test_the_list_is_up_to_date() -> None:
    assert (OF_THE_PACKAGE / FILE).read_text(encoding="utf-8") == index(), "run: python -m tests.rules.index"


def test_every_clause_in_it_is_a_clause() -> None:
    for book in PACKAGE.newest():
        numbers = {clause.number for clause in book.clauses}
        assert set(worked_rounds(book)) <= numbers and worked_rounds(book)
