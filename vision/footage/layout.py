"""The printed layout of a table: its colours, what is written on it, and where wagers lie."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from vision.calibration import table
from vision.calibration.table import Points
from vision.faces.design import Colour

CIRCLE_MM: Final = 48.0  # radius of a betting circle
SPOT_MM: Final = 24.0  # ... and of the place of a side wager
INSURANCE_MM: Final = (872.0, 918.0)  # the insurance line: a band on the arc, by its distance from the arc's middle


class Arc(NamedTuple):
    """Words along an arc around the point in which the boxes' bearings meet."""

    text: str
    distance_mm: float
    height_mm: float


class WagerSpot(NamedTuple):
    """A wager's place in a box: across from the box's middle line, and away from the arc's middle."""

    across_mm: float
    distance_mm: float


# By kind of wager. Splits and doubles lie beside the main wager, see ``Layout.spot``.
_SPOTS: Final[Mapping[str, WagerSpot]] = {
    "main": WagerSpot(0, table.WAGERS_MM),
    "insurance": WagerSpot(0, sum(INSURANCE_MM) / 2),
    "match": WagerSpot(-66, table.WAGERS_MM + 38),
    "pair": WagerSpot(-66, table.WAGERS_MM + 38),
    "bonus-spin": WagerSpot(66, table.WAGERS_MM + 38),
    "bsx16": WagerSpot(0, table.WAGERS_MM + 86),
}
_BESIDE_MM: Final = 46.0  # from one stack to the next


@dataclass(frozen=True)
class Layout:
    """A table as it is printed."""

    boxes: int
    felt: Colour
    ink: Colour
    name: str  # of the game, in the middle
    arcs: tuple[Arc, ...]
    sides: tuple[str, ...]  # kinds of side wagers that have a place

    @property
    def zones(self) -> dict[str, Points]:
        """The areas in which cards lie."""
        return table.zones(self.boxes)

    def bearing(self, seat: int) -> float:
        """The direction of a box from the arc's middle, in radians."""
        return table.bearing(seat, self.boxes)

    def spot(self, kind: str, bettor: int = 1, hand: int = 1) -> WagerSpot:
        """Return the spot of a wager; other bettors', split and double wagers lie beside the main wager."""
        if kind in ("split", "double"):
            beside = hand - 1 if kind == "split" else hand
            return WagerSpot(_BESIDE_MM * beside, table.WAGERS_MM + (kind == "double") * -26)
        spot = _SPOTS[kind]
        return (
            spot if bettor == 1 else WagerSpot(spot.across_mm - 18 * (bettor - 1), spot.distance_mm + 38 * (bettor - 1))
        )


class TableLook(NamedTuple):
    """Print and colours of a game's table."""

    felt: Colour
    ink: Colour
    name: str
    blackjack: str  # what an ace with a ten-value card is called
    draws_on_soft_17: bool
    sides: tuple[str, ...]  # kinds of side wagers that have a place


_STANDS: Final = "DEALER MUST DRAW TO 16 AND STAND ON ALL 17s"
_DRAWS: Final = "DEALER MUST DRAW TO SOFT 17 AND STAND ON HARD 17s"
# Tables that differ in colours, words and places, for training and scoring.
LOOKS: Final[Mapping[str, TableLook]] = {
    "green": TableLook((52, 108, 28), (120, 220, 240), "PONTOON 21", "PONTOON", False, ("match", "bonus-spin")),
    "red": TableLook((42, 34, 132), (210, 235, 245), "SPANISH 21", "BLACKJACK", False, ("match",)),
    "blue": TableLook((128, 74, 22), (225, 235, 240), "PONTOON 21", "PONTOON", False, ("match", "bsx16")),
    "teal": TableLook((104, 104, 18), (110, 215, 245), "PONTOON", "PONTOON", True, ("pair",)),
    "violet": TableLook((96, 44, 84), (215, 225, 235), "PONTOON", "PONTOON", True, ()),
}


def layout(boxes: int, look: TableLook) -> Layout:
    """The layout of a table with so many boxes."""
    table.zones(boxes)  # says what is wrong with a number of boxes
    arcs = (
        Arc(f"{look.blackjack} PAYS 3 TO 2", 764.0, 38.0),
        Arc(_DRAWS if look.draws_on_soft_17 else _STANDS, 828.0, 22.0),
        Arc("INSURANCE PAYS 2 TO 1      INSURANCE PAYS 2 TO 1", sum(INSURANCE_MM) / 2, 24.0),
    )
    return Layout(boxes, look.felt, look.ink, look.name, arcs, look.sides)
