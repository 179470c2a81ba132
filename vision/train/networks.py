"""The two networks: one finds corner indices, one reads them."""

from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional as F

STRIDE: Final = 4
PATCH: Final = (64, 52)  # height and width of what the reader sees
OUTPUTS: Final = 7  # heat, offset x and y, log height, log width, and where the top points: x, y


def _conv(inside: int, outside: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, stride, 1, bias=False), nn.BatchNorm2d(outside), nn.ReLU(inplace=True)
    )


class _Block(nn.Module):
    """Two convolutions around which the picture may pass."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _conv(channels, channels), nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels)
        )

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.body(x))


class Finder(nn.Module):
    """Network that finds indices: a map of place, size and direction at a quarter of the picture's size."""

    def __init__(self, fine: int = 24, middle: int = 48, coarse: int = 96) -> None:
        super().__init__()
        self.stem = nn.Sequential(_conv(3, 16, 2), _conv(16, fine, 2), _Block(fine))
        self.down = nn.Sequential(_conv(fine, middle, 2), _Block(middle), _Block(middle))
        self.deep = nn.Sequential(_conv(middle, coarse, 2), _Block(coarse), _Block(coarse), _Block(coarse))
        self.up_middle = nn.Conv2d(coarse, middle, 1)
        self.up_fine = nn.Conv2d(middle, fine, 1)
        self.mix = _conv(middle, middle)
        self.head = nn.Sequential(_conv(fine, 48), nn.Conv2d(48, OUTPUTS, 1))
        last = self.head[-1]
        nn.init.constant_(last.bias, 0)
        nn.init.constant_(last.bias[:1], -4)  # indices are rare

    def forward(self, picture: Tensor) -> Tensor:
        fine = self.stem((picture - 127.5) / 64)
        middle = self.down(fine)
        deep = self.deep(middle)
        middle = self.mix(middle + F.interpolate(self.up_middle(deep), scale_factor=2.0, mode="nearest"))
        found: Tensor = self.head(fine + F.interpolate(self.up_fine(middle), scale_factor=2.0, mode="nearest"))
        return found


class ReadingNetwork(nn.Module):
    """Rank, suit and whether there is an index at all, of an upright patch: the glyph's shape apart from its colour.

    Also by how much the patch was cut wrong, so that it can be cut again: right, down, log of the size, angle.
    """

    def __init__(self, width: int = 24) -> None:
        super().__init__()
        self.glyph = nn.Sequential(
            *(nn.Conv2d(1, width, 5, 2, 2, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True)),
            *(_conv(width, width), _conv(width, 2 * width, 2), _conv(2 * width, 2 * width)),
            *(_conv(2 * width, 4 * width, 2), nn.Flatten(), nn.Dropout(0.1)),
            *(nn.Linear(4 * width * 8 * 7, 128), nn.ReLU(inplace=True)),
        )
        self.colour = nn.Sequential(
            *(nn.AvgPool2d(2), _conv(3, 12), _conv(12, 24, 2), nn.AdaptiveMaxPool2d(1), nn.Flatten()),
            *(nn.Linear(24, 32), nn.ReLU(inplace=True)),
        )
        self.rank = nn.Linear(128, 13)
        self.suit = nn.Linear(160, 4)
        self.there = nn.Linear(160, 1)
        self.off = nn.Linear(128, 4)

    def forward(self, patch: Tensor) -> Tensor:
        grey = patch.mean(dim=1, keepdim=True)
        centred = grey - grey.mean(dim=(2, 3), keepdim=True)
        spread = centred.square().mean(dim=(2, 3), keepdim=True).sqrt() + 4
        shape = self.glyph(centred / spread)
        paper = F.avg_pool2d(patch, 4).amax(dim=(2, 3), keepdim=True)  # of each colour: paper is white in any light
        both = torch.cat([shape, self.colour(patch / (paper + 1) - 0.5)], dim=1)
        return torch.cat([self.rank(shape), self.suit(both), self.there(both), self.off(shape)], dim=1)
