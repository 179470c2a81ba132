"""The scorer of photographs."""

import math
from pathlib import Path

import pytest

from vision.reading.index import Index
from vision.scoring.photos import Labelled, labels, map50, matched, score


def index(card: str, x: float, confidence: float = 0.99, suit: float = 1.0) -> Index:
    """``suit`` is the chance of the suit alone."""
    return Index(x, 50.0, 10, 20, 0.0, card, confidence, (0.0,) * 13, (math.log(suit),) * 4)


def test_labels_without_jokers(tmp_path: Path) -> None:
    text = "file,card,x0,y0,x1,y1\na.jpg,7S,0.1,0.2,0.3,0.4\na.jpg,joker,0,0,1,1\nb.jpg,TD,0,0,0.5,0.5\n"
    (tmp_path / "labels.csv").write_text(text)
    assert labels(tmp_path) == {
        "a.jpg": [Labelled("7S", (0.1, 0.2, 0.3, 0.4))],
        "b.jpg": [Labelled("TD", (0.0, 0.0, 0.5, 0.5))],
    }


@pytest.mark.parametrize(
    ("what", "sure", "counts"),
    [
        ("both", 0.0, (3, 4, 1, 3)),
        ("rank", 0.0, (3, 4, 2, 3)),
        ("suit", 0.0, (3, 4, 2, 3)),
        ("both", 0.9, (3, 2, 1, 2)),
        ("rank", 0.9, (3, 3, 2, 3)),
        ("suit", 0.9, (3, 2, 1, 2)),
    ],
)
def test_precision_and_recall(what: str, sure: float, counts: tuple[int, ...]) -> None:
    """One read right, one wrong in suit, one wrong in rank and unsure of its suit, one where nothing is."""
    there = [Labelled(card, (x, 30.0, x + 40, 70.0)) for card, x in (("7S", 0.0), ("KH", 100.0), ("3D", 200.0))]
    read = [index("7S", 20), index("KD", 120), index("9D", 220, 0.5, suit=0.5), index("AC", 900, 0.4)]
    found = score(matched(there, read), what, sure)
    assert found == counts
    assert found.precision == found.right / found.read and found.recall == found.right / 3


def test_of_two_readings_the_surer_gets_the_label() -> None:
    pairs = matched([Labelled("7S", (0, 30, 40, 70))], [index("AC", 21, 0.6), index("7S", 25, 0.9)])
    assert [(pair.label is not None, pair.read.card if pair.read else None) for pair in pairs] == [
        (True, "7S"),
        (False, "AC"),
    ]


def test_mean_average_precision() -> None:
    """Of two sevens the first is read best, then one is read where none is, then the other; the king is not read."""
    there = [Labelled("7S", (15.0, 40.0, 25.0, 60.0)), Labelled("7S", (113.0, 40.0, 123.0, 60.0))]
    there += [Labelled("KH", (200.0, 40.0, 210.0, 60.0))]
    read = [index("7S", 20, 0.9), index("7S", 60, 0.8), index("7S", 120, 0.7)]
    assert map50([matched(there, read)]) == pytest.approx(((1 + 2 / 3) / 2 + 0) / 2)
    askew = [index("7S", 20, 0.9), index("7S", 124, 0.7)]  # the second overlaps by a quarter only
    assert map50([matched(there, askew)]) == pytest.approx((1 / 2 + 0) / 2)
