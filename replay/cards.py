"""Cards as small integers: 1 + 4 * rank + suit, 0 where a card is not known."""

from typing import Final

import numpy as np
import numpy.typing as npt

RANKS: Final = "A23456789TJQK"
SUITS: Final = "SHDC"
UNKNOWN: Final = 0
CARD_CODES: Final = 1 + len(RANKS) * len(SUITS)

ACE: Final = 0
SIX: Final = 5
SEVEN: Final = 6
EIGHT: Final = 7
TEN: Final = 9

NAMES: Final[tuple[str, ...]] = ("??", *(rank + suit for rank in RANKS for suit in SUITS))
BY_NAME: Final[dict[str, int]] = {name: code for code, name in enumerate(NAMES) if code}

# Lookups by card code. Rank 255 and value 0 stand for an unknown card.
RANK: Final[npt.NDArray[np.int64]] = np.array([255] + [rank for rank in range(13) for _ in SUITS], dtype=np.int64)
SUIT: Final[npt.NDArray[np.int64]] = np.array([255] + [suit for _ in RANKS for suit in range(4)], dtype=np.int64)
VALUE: Final[npt.NDArray[np.int64]] = np.array(
    [0] + [min(rank + 1, 10) for rank in range(13) for _ in SUITS], dtype=np.int64
)


def parse(name: str) -> int:
    """The code of a card written as rank and suit, such as ``7S`` or ``TD``."""
    try:
        return BY_NAME[name]
    except KeyError:
        raise ValueError(f"expected a card such as 7S (rank of {RANKS}, suit of {SUITS}), found {name!r}") from None


def total(codes: list[int]) -> tuple[int, bool]:
    """Point total of a hand and whether an ace counts eleven in it."""
    hard = sum(int(VALUE[code]) for code in codes)
    soft = hard <= 11 and any(RANK[code] == ACE for code in codes)
    return (hard + 10, True) if soft else (hard, False)
