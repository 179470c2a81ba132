"""Colours of the picture."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Palette:
    """Colours by what they are for."""

    felt: str
    rail: str
    line: str
    ink: str
    faint: str
    card: str
    card_edge: str
    back: str
    red: str
    black: str
    mark: str
    now: str  # what a step has just changed
    good: str
    chips: tuple[str, ...]  # main, split, double, insurance, side wagers, bonuses


LIGHT: Final = Palette(
    felt="#eef5ef",
    rail="#b9cdbd",
    line="#9fb8a5",
    ink="#1f2a24",
    faint="#5c6b62",
    card="#ffffff",
    card_edge="#8a948d",
    back="#c9d6e6",
    red="#b3261e",
    black="#1b1b1f",
    mark="#b3261e",
    now="#c77700",
    good="#1f6b3a",
    chips=("#2f5d9b", "#4f7fc0", "#7a5aa6", "#b0812a", "#3f7f6f", "#9c4a4a"),
)

# For a page that has the colours as variables of its style sheet, once for light and dark.
PAGE: Final = Palette(
    **{name: f"var(--felt-{name.replace('_', '-')})" for name in Palette.__annotations__ if name != "chips"},
    chips=tuple(f"var(--felt-chip-{number})" for number in range(1, 7)),
)
