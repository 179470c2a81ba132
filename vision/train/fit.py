"""Fits the networks to scenes."""

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional as F

from vision.train.crops import CROP, Rows, askew
from vision.train.networks import OUTPUTS, STRIDE, Finder, ReadingNetwork
from vision.train.patches import NONE, Cut, cut
from vision.train.pool import Shard, load

_SUITS_COUNT: Final = 2.0  # against ranks: they are mistaken more often
_Told = Callable[[str], None]


def fit_finder(shards: Sequence[Path], epochs: int, seed: int, tell: _Told, batch: int = 16) -> Finder:
    """Train the finder."""
    torch.manual_seed(seed)
    network, rng = Finder(), np.random.default_rng(seed)
    network.to(memory_format=torch.channels_last)
    steps = epochs * sum(len(load(path).scenes) // batch for path in shards[:1]) * len(shards)
    optimiser, schedule = _optimiser(network, steps, 2e-3)
    average, step = 0.0, 0
    for epoch in range(epochs):
        for number in rng.permutation(len(shards)):
            for pictures, maps, weights in _crops(load(shards[number]), rng, batch):
                with torch.autocast("cpu", torch.bfloat16):
                    said = network(pictures)
                loss = _finder_loss(said.float(), maps, weights)
                optimiser.zero_grad(set_to_none=True)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
                optimiser.step()
                schedule.step()
                step += 1
                average = 0.98 * average + 0.02 * loss.item() if step > 1 else loss.item()
                if step % 50 == 0:
                    tell(f"finder: epoch {epoch + 1}, step {step} of {steps}, loss {average:.4f}")
    return network.eval()


def fit_reading(
    shards: Sequence[Path], found: Sequence[Rows], epochs: int, seed: int, tell: _Told, batch: int = 128
) -> ReadingNetwork:
    """Train the reading network on the indices of shards and on what the finder ``found`` in each of them."""
    torch.manual_seed(seed)
    network, rng = ReadingNetwork(), np.random.default_rng(seed)
    network.to(memory_format=torch.channels_last)
    turns = [number for _ in range(epochs) for number in rng.permutation(len(shards)).tolist()]
    steps = len(turns) * (len(cut(load(shards[0]), found[0], rng)) // batch)
    optimiser, schedule = _optimiser(network, steps, 2e-3)
    average, step = 0.0, 0
    for turn, cuts in enumerate(_cut_ahead(shards, found, turns, seed)):
        for first in range(0, len(cuts) - batch + 1, batch):
            loss = _reading_loss(network, cuts[first : first + batch])
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            schedule.step()
            step += 1
            average = 0.98 * average + 0.02 * loss.item() if step > 1 else loss.item()
        tell(f"reading: shard {turn + 1} of {len(turns)}, loss {average:.4f}")
    return network.eval()


def _cut_ahead(
    shards: Sequence[Path], found: Sequence[Rows], turns: Sequence[int], seed: int
) -> Iterator[Sequence[Cut]]:
    """The patches of one shard after the other; the next one is cut while this one is learnt."""

    def shuffled(turn: int) -> Sequence[Cut]:
        rng = np.random.default_rng([seed, turn])
        cuts = cut(load(shards[turns[turn]]), found[turns[turn]], rng)
        return [cuts[row] for row in rng.permutation(len(cuts))]

    with ThreadPoolExecutor(1) as cutter:
        ahead = cutter.submit(shuffled, 0)
        for turn in range(len(turns)):
            cuts = ahead.result()
            if turn + 1 < len(turns):
                ahead = cutter.submit(shuffled, turn + 1)
            yield cuts


def _optimiser(
    network: torch.nn.Module, steps: int, rate: float
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    """A rate that rises for a twentieth of the steps and then falls to nothing."""

    def factor(step: int) -> float:
        rise = max(1, steps // 20)
        return (
            (step + 1) / rise
            if step < rise
            else 0.5 * (1 + math.cos(math.pi * min(1, (step - rise) / max(1, steps - rise)))) + 0.01
        )

    optimiser = torch.optim.AdamW(network.parameters(), rate, weight_decay=1e-3)
    return optimiser, torch.optim.lr_scheduler.LambdaLR(optimiser, factor)


def _tensor(pictures: npt.NDArray[np.uint8]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(pictures.transpose(0, 3, 1, 2))).float()


def _crops(shard: Shard, rng: np.random.Generator, batch: int) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Random parts of a shard's scenes, with what the finder should say of them."""
    order = rng.permutation(len(shard.scenes))
    for first in range(0, len(order) - batch + 1, batch):
        pictures, maps, weights = [], [], []
        for number in order[first : first + batch].tolist():
            picture, labels = askew(shard.scenes[number], shard.labels[shard.labels[:, 0] == number][:, 1:], rng)
            pictures.append(picture)
            told, weight = targets(labels, CROP // STRIDE)
            maps.append(told)
            weights.append(weight)
        yield (
            _tensor(np.stack(pictures)).contiguous(memory_format=torch.channels_last),
            torch.from_numpy(np.stack(maps)),
            torch.from_numpy(np.stack(weights)),
        )


def targets(labels: Rows, size: int) -> tuple[Rows, Rows]:
    """Return the finder's target outputs for a picture, and the weights of heat and of the other outputs."""
    told = np.zeros((OUTPUTS, size, size), np.float32)
    weight = np.zeros((2, size, size), np.float32)
    weight[0] = 1
    ys, xs = np.mgrid[:size, :size].astype(np.float32)
    for x, y, width, height, angle, card in labels:
        at_x, at_y = x / STRIDE - 0.5, y / STRIDE - 0.5
        away = (xs - at_x) ** 2 + (ys - at_y) ** 2
        spread = max(0.7, height / STRIDE / 9)
        if card < 0:
            weight[0][away < (2.2 * spread) ** 2] = 0
            continue
        np.maximum(told[0], np.exp(-away / (2 * spread**2)), out=told[0])
        near = away <= max(1.6, (0.8 * spread) ** 2)
        told[1][near], told[2][near] = (at_x - xs)[near], (at_y - ys)[near]
        told[3][near], told[4][near] = math.log(height / 32), math.log(max(width, 2) / 20)
        told[5][near], told[6][near] = math.sin(angle), -math.cos(angle)
        weight[1][near] = 1
        row, column = round(float(at_y)), round(float(at_x))
        if 0 <= row < size and 0 <= column < size:
            told[0, row, column] = 1
    return told, weight


def _finder_loss(found: Tensor, told: Tensor, weight: Tensor) -> Tensor:
    heat, wanted = found[:, 0].clamp(-12, 12), told[:, 0]
    chance = torch.sigmoid(heat)
    is_peak = (wanted >= 0.999).float()
    hit = -F.logsigmoid(heat) * (1 - chance) ** 2 * is_peak
    miss = -F.logsigmoid(-heat) * chance**2 * (1 - wanted) ** 4 * (1 - is_peak) * weight[:, 0]
    peaks = is_peak.sum().clamp(min=1)
    cells = weight[:, 1].sum().clamp(min=1)
    off = (F.smooth_l1_loss(found[:, 1:], told[:, 1:], reduction="none", beta=0.1) * weight[:, 1:2]).sum() / cells
    return (hit.sum() + miss.sum()) / peaks + off


def _reading_loss(network: ReadingNetwork, cuts: Sequence[Cut]) -> Tensor:
    """``cards`` count suits by suit: all spades first, as ALL_CARDS does."""
    given = _tensor(np.stack([each.patch for each in cuts])).contiguous(memory_format=torch.channels_last)
    with torch.autocast("cpu", torch.bfloat16):
        found = network(given).float()
    cards, off = torch.tensor([each.card for each in cuts]), torch.tensor([each.off for each in cuts])
    there = cards != NONE
    loss = F.binary_cross_entropy_with_logits(found[:, 17], there.float())
    loss = loss + F.cross_entropy(found[there, :13], cards[there] % 13)
    loss = loss + _SUITS_COUNT * F.cross_entropy(found[there, 13:17], cards[there] // 13)
    return loss + 4 * F.smooth_l1_loss(found[there, 18:], off[there].float(), beta=0.05)
