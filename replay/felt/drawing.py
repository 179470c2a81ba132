"""The whole picture: the dealer above, the boxes on an arc below, box 1 at the right as an overhead camera sees it."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from replay.felt.palette import LIGHT, Palette
from replay.felt.scene import Bet, Box, Card, FeltScene, Hand
from replay.felt.shapes import CARD_H, CARD_W, card, chip, fitting, number, words
from replay.wording import KIND_NAMES, money

_BOX_W: Final = 112
_LEAST_BOXES: Final = 5
_EDGE: Final = 22
_TOP: Final = 152  # where boxes begin at the ends of the arc
_BEND: Final = 54  # how much lower the arc's middle lies
_HAND_H: Final = CARD_H + 21
_BET_H: Final = 16
_BET_SIZE: Final = 13.0
_BET_LEAST: Final = 10.5  # where a wager and its result would be smaller side by side, the result stands below
_BET_X: Final = 18  # beside the chip
_BET_ROOM: Final = _BOX_W - _BET_X - 4
_SHORT: Final = {
    "main": "main",
    "split": "split",
    "double": "double",
    "insurance": "insurance",
    "pair": "pair",
    "match": "match",
    "bonus-spin": "spin",
    "bsx16": "Xtreme",
    "super-bonus": "Super",
    "super-bonus-share": "share",
}
_COLOUR: Final = {"main": 0, "split": 1, "double": 2, "insurance": 3, "super-bonus": 5, "super-bonus-share": 5}
_SIDE_COLOUR: Final = 4


class _Room(NamedTuple):
    width: float
    side: float  # how far down the table's sides reach


def draw(scene: FeltScene, colours: Palette = LIGHT) -> str:
    """The scene as SVG text; the same scene gives the same text."""
    return _drawn(scene, colours, _room([scene]))


def draw_all(scenes: Sequence[FeltScene], colours: Palette = LIGHT) -> list[str]:
    """Scenes of one round as SVG texts of the same size, so that nothing jumps from one to the next."""
    room = _room(scenes)
    return [_drawn(scene, colours, room) for scene in scenes]


def _drawn(scene: FeltScene, colours: Palette, room: _Room) -> str:
    width, side = room
    places = list(_places(scene.boxes, width))
    height = side + _BEND + 22
    title = escape(scene.words or "The table at the end of the round")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {number(height)}" role="img"'
        f" aria-label={quoteattr(scene.words or 'The table at the end of the round')}><title>{title}</title>",
        _table(width, side, colours),
        *_dealer(scene, width, colours),
        *_aside(scene.aside, colours),
        *(_box(box, x, y, colours) for box, x, y, _ in places),
        "</svg>",
    ]
    return "".join(parts)


def _room(scenes: Sequence[FeltScene]) -> _Room:
    width = 2 * _EDGE + _BOX_W * max(_LEAST_BOXES, *(len(scene.boxes) for scene in scenes))
    return _Room(width, max(_side(scene, width) for scene in scenes))


def _side(scene: FeltScene, width: float) -> float:
    """Return the lower end of the table's sides in the drawing, so that all boxes lie on the table."""
    bottoms = (_bottom(box, y) - _BEND * (1 - across**2) for box, _, y, across in _places(scene.boxes, width))
    return max([_TOP + 150.0, *bottoms]) + 16


def _places(boxes: Sequence[Box], width: float) -> Iterator[tuple[Box, float, float, float]]:
    """Yield each box with its left edge, its upper edge, and its distance from the middle (-1 to 1)."""
    free = (width - 2 * _EDGE - _BOX_W * len(boxes)) / 2
    for n, box in enumerate(boxes):
        x = width - _EDGE - free - _BOX_W * (n + 1)
        across = (x + _BOX_W / 2 - width / 2) / (width / 2)
        yield box, x, _TOP + _BEND * (1 - across**2), across


def _bottom(box: Box, y: float) -> float:
    lines = sum(bet.lines for bet in _labels(box))
    return y + 24 + _HAND_H * max(len(box.hands), 1) + _BET_H * lines


def _table(width: float, side: float, colours: Palette) -> str:
    """The felt with its rail: straight where the dealer stands, round where the players sit."""
    low = side + 2 * (_BEND + 12)
    shape = f"M8,8H{number(width - 8)}V{number(side)}Q{number(width / 2)},{number(low)} 8,{number(side)}Z"
    felt = f'fill="{colours.felt}" stroke="{colours.rail}" stroke-width="7" stroke-linejoin="round"'
    y = _TOP - 12
    line = f"M{_EDGE},{y}Q{number(width / 2)},{number(y + 2 * _BEND)} {number(width - _EDGE)},{y}"
    return f'<path d="{shape}" {felt}/><path d="{line}" fill="none" stroke="{colours.line}" stroke-dasharray="2 4"/>'


def _dealer(scene: FeltScene, width: float, colours: Palette) -> Iterator[str]:
    middle = width / 2
    yield words(middle, 32, "Dealer", 14, colours.faint, anchor="middle", bold=True)
    x = middle - _fan_width(scene.dealer.cards, 26) / 2
    yield from _fan(scene.dealer.cards, x, 40, 26, colours)
    yield words(middle, 40 + CARD_H + 17, scene.dealer.worth, 14, colours.ink, anchor="middle", bold=True)
    if scene.is_void:
        x = width - 150
        frame = f'fill="none" stroke="{colours.mark}" stroke-width="2"'
        yield f'<rect x="{number(x)}" y="24" width="122" height="34" rx="4" {frame}/>'
        yield words(x + 61, 47, "VOID ROUND", 17, colours.mark, anchor="middle", bold=True)


def _aside(aside: Sequence[Card], colours: Palette) -> Iterator[str]:
    """Cards that count for nobody, in the upper left corner with the reason below each."""
    if aside:
        yield words(_EDGE, 32, "Set aside", 14, colours.faint, bold=True)
    gap = min(64.0, 190 / max(len(aside), 1))
    for n, each in enumerate(aside):
        yield card(_EDGE + gap * n, 40, each, colours)
    named = [n for n, each in enumerate(aside) if not n or aside[n - 1].aside != each.aside]
    for n, end in pairwise([*named, len(aside)]):
        size = fitting(11.5, max(gap * (end - n), CARD_W) - 3, aside[n].aside)
        yield words(_EDGE + gap * n, 40 + CARD_H + 15, aside[n].aside, size, colours.faint)


# From one step to the next most boxes stay as they are.
@lru_cache(256)
def _box(box: Box, x: float, y: float, colours: Palette) -> str:
    return "".join(_pieces(box, x, y, colours))


def _pieces(box: Box, x: float, y: float, colours: Palette) -> Iterator[str]:
    middle = x + _BOX_W / 2
    colour = colours.now if box.has_turn else colours.ink if box.bets or box.hands else colours.line
    yield words(middle, y + 14, f"Box {box.seat}", 14, colour, anchor="middle", bold=bool(box.bets or box.hands))
    y += 22
    if not box.hands:
        look = f'fill="none" stroke="{colours.line}" stroke-dasharray="3 3"'
        yield f'<circle cx="{number(middle)}" cy="{number(y + 28)}" r="22" {look}/>'
    for hand in box.hands:
        yield from _hand(hand, x, y, len(box.hands) > 1, colours)
        y += _HAND_H
    y += 0 if box.hands else _HAND_H
    for bet, label in zip(box.bets, _labels(box), strict=True):
        yield from _bet(bet, label, x, y, colours)
        y += _BET_H * label.lines


def _hand(hand: Hand, x: float, y: float, is_one_of_several: bool, colours: Palette) -> Iterator[str]:
    step = _step(hand.cards)
    yield from _fan(hand.cards, x + (_BOX_W - _fan_width(hand.cards, step)) / 2, y, step, colours)
    label = f"hand {hand.number}: {hand.worth}" if is_one_of_several else hand.worth
    size = fitting(13.5, _BOX_W - 6, label)
    yield words(x + _BOX_W / 2, y + CARD_H + 13, label, size, colours.ink, anchor="middle")


def _step(cards: Sequence[Card]) -> float:
    """Return the distance from each card to the next in the drawing, so that all stay in the box."""
    extra = CARD_H - CARD_W if cards and cards[-1].sideways else 0
    return min(22.0, (_BOX_W - 12 - CARD_W - extra) / max(len(cards) - 1, 1))


def _fan_width(cards: Sequence[Card], step: float) -> float:
    last = CARD_H if cards and cards[-1].sideways else CARD_W
    return step * max(len(cards) - 1, 0) + last


def _fan(cards: Sequence[Card], x: float, y: float, step: float, colours: Palette) -> Iterator[str]:
    for n, each in enumerate(cards):
        yield card(x + step * n, y, each, colours)


class _Label(NamedTuple):
    """A wager's words, and what came of it once it is settled; all of a box have the same size."""

    staked: str
    result: str
    size: float
    lines: int


def _labels(box: Box) -> list[_Label]:
    """Lay out the wagers of a box: in one line each, or the results below where there is no room beside."""
    bettors = len({bet.bettor for bet in box.bets})
    told = [_told(bet, bettors > 1, len(box.hands) > 1) for bet in box.bets]
    size = min((fitting(_BET_SIZE, _BET_ROOM, staked, bold=won) for staked, won in told), default=_BET_SIZE)
    if size >= _BET_LEAST:
        return [_Label(staked, won, size, 1) for staked, won in told]
    alone = [fitting(_BET_SIZE, _BET_ROOM, staked) for staked, _ in told]
    size = min(alone + [fitting(_BET_SIZE, _BET_ROOM, bold=won) for _, won in told])
    return [_Label(staked, won, size, 2 if won else 1) for staked, won in told]


def _told(bet: Bet, name_bettor: bool, name_hand: bool) -> tuple[str, str]:
    """A wager's words, and what came of it once it is settled."""
    kind = _SHORT.get(bet.kind, KIND_NAMES[bet.kind])
    hand = f" {bet.hand}" if name_hand and bet.kind in ("split", "double") else ""
    who = f"{bet.bettor}: " if name_bettor else ""
    amount = f"{_amount(bet.cents)} " if bet.cents else ""
    won = bet.paid_cents - bet.taken_cents
    sign = "+" if won > 0 else ("\N{MINUS SIGN}" if won < 0 else "")
    return f"{who}{amount}{kind}{hand}", f"{sign}{_amount(abs(won))}" if bet.is_settled else ""


def _bet(bet: Bet, label: _Label, x: float, y: float, colours: Palette) -> Iterator[str]:
    """A wager as a chip with its words."""
    yield chip(x + 10, y + 8, colours.chips[_COLOUR.get(bet.kind, _SIDE_COLOUR)], colours.faint)
    yield words(x + _BET_X, y + 12, label.staked, label.size, colours.ink)
    if label.result:
        won = bet.paid_cents - bet.taken_cents
        colour = colours.good if won > 0 else (colours.mark if won < 0 else colours.faint)
        below = y + 12 + _BET_H * (label.lines - 1)
        yield words(x + _BOX_W - 4, below, label.result, label.size, colour, anchor="end", bold=True)


def _amount(cents: int) -> str:
    """An amount without cents where it has none."""
    return money(cents).removesuffix(".00")
