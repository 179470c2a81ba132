"""The table as a picture: from a round's account to SVG text, at its end or after any of its steps."""

from replay.felt.drawing import draw, draw_all
from replay.felt.palette import LIGHT, PAGE, Palette
from replay.felt.scene import Bet, Box, Card, FeltScene, Hand, scene

__all__ = ["LIGHT", "PAGE", "Bet", "Box", "Card", "FeltScene", "Hand", "Palette", "draw", "draw_all", "scene"]
