"""Design of a deck: the properties that determine how its cards look."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

from vision.faces.pips import PipShape

Colour = tuple[int, int, int]  # blue, green, red

BLACK: Final[Colour] = (30, 24, 24)
RED: Final[Colour] = (40, 28, 200)
TWO_COLOURS: Final[Mapping[str, Colour]] = {"S": BLACK, "C": BLACK, "H": RED, "D": RED}
FOUR_COLOURS: Final[Mapping[str, Colour]] = {"S": BLACK, "C": (60, 120, 10), "H": RED, "D": (190, 90, 20)}


@dataclass(frozen=True)
class IndexStyle:
    """The sign in a card's corners: the rank above the suit."""

    font: Path
    rank_mm: float = 9.0  # height of a capital
    suit_mm: float = 6.5
    gap_mm: float = 1.2
    inset_mm: tuple[float, float] = (2.0, 2.5)  # from the card's left and upper edge
    squeeze: float = 1.0  # breadth of the letters
    stroke_mm: float = 0.0  # by how much letters are thickened
    corners: int = 2  # or 4


@dataclass(frozen=True)
class Design:
    """A deck's look. ``court`` is a number from which figures are drawn; below zero the rank stands in their place."""

    name: str
    index: IndexStyle
    card_mm: tuple[float, float] = (63.0, 88.0)
    corner_mm: float = 3.2
    paper: Colour = (248, 250, 250)
    colours: Mapping[str, Colour] = field(default_factory=lambda: TWO_COLOURS)
    pips: PipShape = field(default_factory=PipShape)
    pip_mm: float = 11.0  # 0: one large sign in place of as many as the rank says
    border: Colour | None = None
    court: int = 1
    back: Colour = (120, 40, 30)
    back_pattern: int = 0


def house_font(package: str, name: str) -> Path:
    """A typeface that the product brings along."""
    with as_file(files(package) / "files" / f"{name}.ttf") as path:
        return path


def _jumbo(font: Path, squeeze: float) -> IndexStyle:
    return IndexStyle(font, rank_mm=15.0, suit_mm=11.0, gap_mm=1.5, squeeze=squeeze)


def house_designs() -> dict[str, Design]:
    """The designs of rendered footage."""
    serif = house_font("font_source_serif_pro", "SourceSerifPro-Bold")
    sans = house_font("font_manrope", "Manrope-Bold")
    old = house_font("font_caladea", "Caladea-Bold")
    plain = house_font("font_source_sans_pro", "SourceSansPro-Semibold")
    designs = (
        Design("harbour", IndexStyle(serif, rank_mm=11.0, suit_mm=8.5, squeeze=0.85), court=3),
        Design(
            "pier",
            _jumbo(sans, 0.9),
            pips=PipShape(0.3, 0.6, 0.2, 0.7, 0.6, 0.3, 0.4, 0.6),
            court=4,
            back=(40, 40, 150),
            back_pattern=1,
        ),
        Design(
            "lantern",
            IndexStyle(old, rank_mm=12.5, suit_mm=9.5, squeeze=0.9),
            card_mm=(57.0, 89.0),
            pips=PipShape(0.7, 0.4, 0.6, 0.3, 0.4, 0.6, 0.7, 0.4),
            border=(150, 150, 150),
            court=5,
            back=(40, 110, 40),
            back_pattern=2,
        ),
        Design(
            "signal",
            _jumbo(plain, 0.95),
            colours=FOUR_COLOURS,
            pips=PipShape(0.5, 0.8, 0.4, 0.5, 0.7, 0.5, 0.2, 0.5),
            pip_mm=0,
            court=-1,
            back=(100, 30, 110),
            back_pattern=3,
        ),
    )
    return {design.name: design for design in designs}
