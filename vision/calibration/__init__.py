"""Where a camera looks: from pixels to millimetres on the felt, and whether that still holds."""

from vision.calibration.calibration import Calibration, Colour, Felt, load
from vision.calibration.checking import Check, check, outside
from vision.calibration.drawing import draw
from vision.calibration.fields import CalibrationError
from vision.calibration.making import TableLayout, card_size_seen, find, from_corners
from vision.calibration.watchdog import Event, Watchdog

__all__ = [
    "Calibration",
    "CalibrationError",
    "Check",
    "Colour",
    "Event",
    "Felt",
    "TableLayout",
    "Watchdog",
    "card_size_seen",
    "check",
    "draw",
    "find",
    "from_corners",
    "load",
    "outside",
]
