"""Cards and chips as pieces of SVG. Suits are outlines, so that a picture looks alike wherever it is drawn."""

from typing import Final
from xml.sax.saxutils import escape

from replay.felt.palette import Palette
from replay.felt.scene import Card
from replay.felt.typeface import width_em

CARD_W: Final = 40
CARD_H: Final = 56
FONT: Final = "'Source Sans Pro', sans-serif"
_GAP_EM: Final = 0.4  # between two texts
# In a square from -10 to 10.
_SUITS: Final = {
    "S": "M0,-10C4,-4 9,-1 9,4C9,8.5 3.5,9 1,6C1.2,8 2,9.4 3,10H-3C-2,9.4 -1.2,8 -1,6C-3.5,9 -9,8.5 -9,4"
    "C-9,-1 -4,-4 0,-10Z",
    "H": "M0,9.5C-4,4 -9.5,0 -9.5,-4.5C-9.5,-9.5 -2.5,-10 0,-5C2.5,-10 9.5,-9.5 9.5,-4.5C9.5,0 4,4 0,9.5Z",
    "D": "M0,-10C2,-6 4.5,-3 7.5,0C4.5,3 2,6 0,10C-2,6 -4.5,3 -7.5,0C-4.5,-3 -2,-6 0,-10Z",
    "C": "M0,-10A4.6,4.6 0 0 1 3.6,-2.6A4.6,4.6 0 1 1 1,4.6C1.2,7 2,9 3,10H-3C-2,9 -1.2,7 -1,4.6"
    "A4.6,4.6 0 1 1 -3.6,-2.6A4.6,4.6 0 0 1 0,-10Z",
}


def number(value: float) -> str:
    """A coordinate, short."""
    return f"{value:.1f}".removesuffix(".0")


def words(x: float, y: float, text: str, size: float, colour: str, *, anchor: str = "start", bold: bool = False) -> str:
    """A line of text."""
    weight = ' font-weight="600"' if bold else ""
    place = f'x="{number(x)}" y="{number(y)}"'
    look = f'font-size="{number(size)}" fill="{colour}" text-anchor="{anchor}"{weight}'
    return f'<text {place} {look} font-family="{FONT}">{escape(text)}</text>'


def fitting(size: float, room: float, *texts: str, bold: str = "") -> float:
    """Return the size at which texts, the last one perhaps bold, fit beside each other into a room."""
    parts = [width_em(text) for text in texts if text] + ([width_em(bold, bold=True)] if bold else [])
    return min(size, room / (sum(parts) + _GAP_EM * (len(parts) - 1))) if parts else size


def card(x: float, y: float, shown: Card, colours: Palette) -> str:
    """A card with its upper left corner at a point; one that lies sideways keeps its lower edge."""
    turned = f" translate({CARD_H},{CARD_H - CARD_W}) rotate(90)" if shown.sideways else ""
    edge, width = (colours.mark, 2.4) if shown.is_marked else (colours.card_edge, 1.0)
    if shown.is_new:
        edge, width = colours.now, 3.0
    fill = colours.back if shown.hidden else colours.card
    dashes = ' stroke-dasharray="3 2"' if shown.name is None else ""
    line = f'stroke="{edge}" stroke-width="{number(width)}"{dashes}'
    box = f'<rect width="{CARD_W}" height="{CARD_H}" rx="4" fill="{fill}" {line}/>'
    return f'<g transform="translate({number(x)},{number(y)}){turned}">{box}{_face(shown, colours)}</g>'


def _face(shown: Card, colours: Palette) -> str:
    if shown.hidden:
        inner = f'width="{CARD_W - 10}" height="{CARD_H - 10}" x="5" y="5" rx="2"'
        return f'<rect {inner} fill="none" stroke="{colours.card}" stroke-width="1.5"/>'
    if shown.name is None:
        return words(CARD_W / 2, CARD_H / 2 + 7, "?", 20, colours.faint, anchor="middle", bold=True)
    rank, suit = shown.name[0].replace("T", "10"), shown.name[1]
    colour = colours.red if suit in "HD" else colours.black
    corner = words(4, 17, rank, 17, colour, bold=True) + pip(9, 26, 0.42, suit, colour)
    return corner + pip(CARD_W - 13, CARD_H - 15, 0.95, suit, colour)


def pip(x: float, y: float, scale: float, suit: str, colour: str) -> str:
    """A suit's sign around a point."""
    return f'<path transform="translate({number(x)},{number(y)}) scale({scale})" d="{_SUITS[suit]}" fill="{colour}"/>'


def chip(x: float, y: float, colour: str, edge: str) -> str:
    """A chip around a point, seen from above."""
    rim = f'<circle cx="{number(x)}" cy="{number(y)}" r="5.2" fill="{colour}" stroke="{edge}" stroke-width="1"/>'
    ring = 'fill="none" stroke="#ffffff" stroke-width="1.3" stroke-dasharray="1.6 1.8"'
    return f'{rim}<circle cx="{number(x)}" cy="{number(y)}" r="3.9" {ring}/>'
