"""Deck designs by chance, for training."""

import re
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

from vision.faces.design import FOUR_COLOURS, TWO_COLOURS, Colour, Design, IndexStyle
from vision.faces.pips import PipShape

# Typefaces in which no deck is printed: slanted, hair-thin, of symbols, or of another script.
_UNFIT: Final = re.compile(
    r"ital|obli|thin|hairline|extralight|-light|symbol|math|tamil|D0500|StandardS|_[A-Z]*[IZ][A-Z]*\.|-I\.|-R\.|Mono|Code",
    re.IGNORECASE,
)


def typefaces(folder: Path) -> list[Path]:
    """The fit ones below a folder."""
    found = [path for path in folder.rglob("*") if path.suffix in (".ttf", ".otf") and not _UNFIT.search(path.name)]
    return sorted(found)


def any_design(rng: Random, fonts: Sequence[Path]) -> Design:
    """A look that a deck could have."""
    four = rng.random() < 0.25
    colours = {suit: _ink(rng, colour) for suit, colour in (FOUR_COLOURS if four else TWO_COLOURS).items()}
    if not four:  # one ink for both suits of a colour
        colours |= {"C": colours["S"], "D": colours["H"]}
    rank_mm = rng.choice([rng.uniform(7, 11), rng.uniform(10, 19)])
    suit_mm = rank_mm * rng.choice([rng.uniform(0.45, 0.7), rng.uniform(0.55, 0.95)])
    index = IndexStyle(
        font=rng.choice(fonts),
        rank_mm=rank_mm,
        suit_mm=suit_mm,
        gap_mm=rng.uniform(0.3, 2.2),
        inset_mm=(rng.uniform(1.2, 4.5), rng.uniform(1.5, 6.0)),
        squeeze=rng.uniform(0.6, 1.1),
        stroke_mm=rng.choice([0.0, 0.0, rng.uniform(0, 0.5)]),
        corners=rng.choice([2, 2, 2, 4]),
    )
    return Design(
        name=f"any-{rng.randrange(1 << 30)}",
        index=index,
        card_mm=rng.choice([(63.0, 88.0), (63.0, 88.0), (57.0, 89.0)]),
        corner_mm=rng.uniform(2, 5),
        paper=(rng.randint(225, 255), rng.randint(232, 255), rng.randint(235, 255)),
        colours=colours,
        pips=PipShape(*(rng.random() for _ in PipShape._fields)),
        pip_mm=rng.choice([0.0, rng.uniform(7, 13), rng.uniform(9, 13)]),
        border=rng.choice([None, None, (rng.randint(0, 180), rng.randint(0, 180), rng.randint(0, 180))]),
        court=rng.choice([-1, *(rng.randrange(1000) for _ in range(5))]),
        back=(rng.randint(0, 180), rng.randint(0, 120), rng.randint(0, 180)),
        back_pattern=rng.randrange(4),
    )


def _ink(rng: Random, colour: Colour) -> Colour:
    """A colour as it is printed here and there: from washed out to nearly black."""
    dark = rng.uniform(0.5, 1.0) if rng.random() < 0.4 else 1.0
    blue, green, red = (max(0, min(255, round(part * dark + rng.gauss(0, 14)))) for part in colour)
    return blue, green, red
