"""Fit of the parameters that turn network outputs into probabilities, on scenes neither network was trained on."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from vision.reading.finder import IndexCandidate, at_scale
from vision.reading.reader import AT_SUITS, AT_THERE, Figures, Said, log_odds, log_softmax, looked_at, session
from vision.train.crops import Rows
from vision.train.patches import FAR, NEAR, NONE, nearest
from vision.train.pool import load


class LabelledReading(NamedTuple):
    """Network outputs for a place, with the card that lies there."""

    said: Said
    heat: float  # log odds
    card: int  # or NONE


def write_figures(shards: Sequence[Path], folder: Path) -> Figures:
    """The figures for the networks in a folder, and their file beside them."""
    told = list(_told(shards, folder))
    heat, bias = opinion(told)
    figures = Figures(sharpness([each for each in told if each.card != NONE]), heat, bias)
    (folder / "figures.json").write_text(json.dumps(figures._asdict()) + "\n", encoding="utf-8")
    return figures


def _told(shards: Sequence[Path], folder: Path) -> Iterator[LabelledReading]:
    """Everything that the finder finds in scenes, with what the reading network says of it and what it is."""
    finder, reading = (session((folder / f"{name}.onnx").read_bytes(), threads=2) for name in ("finder", "reading"))
    for path in shards:
        shard = load(path)
        for number, picture in enumerate(shard.scenes):
            labels = shard.labels[shard.labels[:, 0] == number]
            for place, said in looked_at(reading, picture, at_scale(finder, picture, 1.0)):
                card = _card(place, labels)
                if card is not None:
                    yield LabelledReading(said, log_odds(place.heat), card)


def _card(place: IndexCandidate, labels: Rows) -> int | None:
    """Return the card at a place, or NONE; None where the labels leave it open."""
    away, label = nearest(labels, place.x, place.y)
    if label is None or away > FAR:
        return NONE
    return int(label[6]) if away < NEAR and label[6] >= 0 else None


def sharpness(told: Sequence[LabelledReading]) -> float:
    """By what to multiply ranks and suits, so that their chances are as often right as they say."""
    said, cards = np.stack([each.said for each in told]), np.array([each.card for each in told])
    rows = np.arange(len(told))

    def surprise(factor: float) -> float:
        ranks, suits = log_softmax(factor * said[:, :AT_SUITS]), log_softmax(factor * said[:, AT_SUITS:AT_THERE])
        return -float(np.mean(ranks[rows, cards % 13] + suits[rows, cards // 13]))

    return float(min(np.arange(0.4, 3.0, 0.05).round(2), key=surprise))


def opinion(told: Sequence[LabelledReading]) -> tuple[float, float]:
    """Return the weight of the finder's opinion on whether there is an index, and the bias to be added."""
    said, heat, cards = (
        np.array(column) for column in zip(*((t.said[AT_THERE], t.heat, t.card) for t in told), strict=True)
    )
    sign = np.where(cards == NONE, -1.0, 1.0)

    def surprise(figures: tuple[float, float]) -> float:
        return float(np.mean(np.logaddexp(0.0, -sign * (said + figures[0] * heat + figures[1]))))

    heats, biases = np.arange(0.0, 4.1, 0.25).tolist(), np.arange(-3.0, 3.1, 0.25).tolist()
    return min(((heat, bias) for heat in heats for bias in biases), key=surprise)
