"""Contents of a shoe whose decks were logged with a wrong number."""

from pathlib import Path

import pytest

from tests.pipelines.handmade import Line, at, closing, dealt, numbered, opening, played, written
from tests.pipelines.lakes import audited
from warehouse.lake import Lake

ROUNDS = range(1, 4)


def zone(root: Path, decks: int, left: int) -> Path:
    """One shoe of six decks: inspected and cut as such, loaded as some, with some cards left at its end."""
    inspection: Line = {"type": "inspection", "decks_id": "D1", "cards": 288, "tens_removed": 24, "by": ["d1", "f1"]}
    cut: Line = {"type": "cut", "shoe": "S1", "by": "dealer", "from_top": 88, "from_bottom": 200}
    ready = [{**inspection, "ts": at(0.2)}, {"type": "reader_check", "result": "ok", "by": "f1", "ts": at(0.3)}]
    terminal = [*opening(), *ready, {**cut, "ts": at(2)}, *(line for n in ROUNDS for line in played(n))]
    shoe = [{**line, "decks": decks} if line["type"] == "shoe_loaded" else line for line in dealt(ROUNDS)]
    shoe.append({"type": "shoe_ended", "shoe": "S1", "remaining": left, "ts": at(120 * 4 - 5)})
    files = {"terminal.ndjson": numbered([*terminal, closing(3)]), "shoe.ndjson": numbered(shoe)}
    return written(root / "zone", {"T1": files})


@pytest.mark.parametrize(
    ("decks", "left", "codes", "row"),
    [
        (6, 275, [], (6, 0)),  # 13 cards drawn and 275 left are six decks of 48
        (7, 275, ["shoe.deck-count"], (6, 0)),  # a wrong number was logged, and no card is missing (md 3.A)
        (6, 271, ["shoe.composition"], (6, 4)),  # cards are missing
    ],
)
def test_a_wrong_deck_count_is_one_finding_and_no_missing_card(
    tmp_path: Path, decks: int, left: int, codes: list[str], row: tuple[int, int]
) -> None:
    audited(zone(tmp_path, decks, left), tmp_path / "lake")
    lake = Lake.open(tmp_path / "lake")
    found = lake.read("findings")["code"].to_list()
    assert [code for code in found if code.startswith("shoe.") and code != "shoe.not-inspected"] == codes
    assert lake.read("shoes").select("decks", "missing").row(0) == row
