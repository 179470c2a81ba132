"""Camera calibration: mapping pixels to millimetres on the felt, and checking that the camera has not moved."""

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
