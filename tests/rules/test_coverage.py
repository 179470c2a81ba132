"""The worked rounds leave out no code, handling or reading."""

import pytest

from replay import library
from replay.handlings import matrix
from tests.books import IDS
from tests.rules import worked

ROUNDS = worked.every_round()
# What the pipeline finds in files and clocks, and what only the camera can show.
ELSEWHERE = "evidence."


def test_every_code_in_every_handling_of_the_matrix() -> None:
    shown = {(e.code, "none" if e.handling == "-" else e.handling) for each in ROUNDS for e in each.findings}
    listed = {
        (code, handling)
        for code, _, handlings in matrix(library.load(name) for name in IDS)
        if not code.startswith(ELSEWHERE)
        for handling in handlings.split(", ")
    }
    assert listed - shown == set()
    assert {pair for pair in shown if not pair[0].startswith(ELSEWHERE)} - listed == set()


@pytest.mark.parametrize("book_id", IDS)
def test_every_reading_in_every_value(book_id: str) -> None:
    texts = [each.text for each in ROUNDS if each.file.startswith(book_id)]
    missing = [
        f"{reading.name} = {value}"
        for reading in library.load(book_id).readings.values()
        for value in reading.permitted
        if value != reading.default and not any(f"reading {reading.name} = {value}" in text for text in texts)
    ]
    assert missing == []
