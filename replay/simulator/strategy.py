"""Basic strategy, solved for one table's rules: what to do with a hand against an up card.

Hands are told apart by total, softness and number of cards; the first two cards also by what they are, for the sake of
pairs, 6-7-8 and 7-7-7. Every value is an expectation in stakes of the hand. The shoe is full but for the up card and,
where two cards are decided on, those two; the dealer draws from it without replacement, the player with. The Super
Bonus and wagers on the side are left out.
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from replay import cards
from replay import rules as R
from replay.rules import Rules

U8 = npt.NDArray[np.uint8]
F64 = npt.NDArray[np.float64]

# A preference from the top down: the highest action that is set and open is the one to take; none of them: stand.
HIT, DOUBLE, SURRENDER, SPLIT = 1, 2, 4, 8
# Suits of two cards.
MIXED, SUITED, SPADES = 0, 1, 2
INITIAL, AFTER_SPLIT = 0, 1


class Strategy(NamedTuple):
    """Strategy chart of actions, as bits. Classes of cards are 0 ace, 1 two, ... 8 nine, 9 ten-value."""

    first: U8  # phase, class of the first card, of the second, suits, class of the up card
    later: U8  # phase, cards (3, 4, 5, 6, 7 or more), soft, total, class of the up card
    rescue: U8  # total of a doubled hand, class of the up card: 1 = take the double back


CLASSES: Final = 10
ACE: Final = 0
TEN_VALUE: Final = 9
FEWEST, MOST = 3, 7  # cards that `later` tells apart
_BUST: Final = 22
_BLACKJACK: Final = 23
_NEVER: Final = -9.0
_SUIT_SHARES: Final = (3 / 4, 3 / 16, 1 / 16)
_PAIRS: Final = [(a, b) for a in range(CLASSES) for b in range(a, CLASSES)]
_SHOE: Final = {pair: n + 1 for n, pair in enumerate(_PAIRS)}  # shoe 0 lacks the up card only
_RESPLITS: Final = 4  # more are too rare to matter
_SIX, _SEVEN, _EIGHT = cards.SIX, cards.SEVEN, cards.EIGHT


class _Game(NamedTuple):
    """Rules of a table that matter for decisions."""

    decks: int
    tens: int  # ten-value cards per deck
    stands_on: int
    soft_17_draws: int
    peeks: tuple[bool, ...]  # by class of the up card: a dealer blackjack is known before the first decision
    wins_at_once: int
    ace_on_double: int
    double_first_two: int
    double_split_aces: int
    rescue_max: int
    max_hands: int
    aces_once: int
    resplit_aces: int
    must_draw_below: int
    bonus_on_split: int
    bonus_on_double: int
    takes_double: int
    bust_original_only: int
    after_split: int
    split_21: int
    blackjack_against_21: int
    surrenders: tuple[bool, ...]  # by class of the up card
    surrender_share: float
    odds: tuple[float, ...]


def solve(rules: Rules) -> Strategy:
    """Basic strategy for a table."""
    return Strategy(*(table.copy() for table in _solve(_game(rules))[0]))


def expectation(rules: Rules) -> float:
    """Return the expectation of a round under the strategy, in stakes; the house edge is its negative."""
    return _solve(_game(rules))[1]


def _game(rules: Rules) -> _Game:
    ranks = [*range(cards.TEN), cards.TEN + 1]  # a jack stands for the ten-value cards
    names = set(_Game._fields) & set(Rules._fields)
    return _Game(
        **{name: int(getattr(rules, name)) for name in names},
        tens=int(rules.cards_per_deck) - 4 * cards.TEN,
        peeks=tuple(bool(rules.hole_card and rules.reader and rules.reader_up >> rank & 1) for rank in ranks),
        surrenders=tuple(bool(rules.surrender_up >> rank & 1) for rank in ranks),
        surrender_share=float(rules.surrender_num / rules.surrender_den),
        odds=tuple(float(num / den) for num, den in zip(rules.odds_num, rules.odds_den, strict=True)),
    )


@lru_cache(maxsize=64)
def _solve(game: _Game) -> tuple[Strategy, float]:
    shoes = _Shoes(game)
    phases = (_Phase(game, shoes, INITIAL), _Phase(game, shoes, AFTER_SPLIT))
    strategy = Strategy(
        first=np.zeros((2, CLASSES, CLASSES, 3, CLASSES), dtype=np.uint8),
        later=np.stack([phase.later for phase in phases]),
        rescue=phases[INITIAL].rescue(),
    )
    worth = 0.0
    for one in range(CLASSES):
        for two in range(CLASSES):
            shoe = _SHOE[min(one, two), max(one, two)]
            splits = _split_values(phases[AFTER_SPLIT], one) if one == two else None
            for phase in phases:
                for suits in (MIXED, SUITED, SPADES):
                    bits, value = phase.first(one, two, suits, shoe, splits)
                    strategy.first[phase.number, one, two, suits] = bits
                    if phase.number == INITIAL:
                        worth += _SUIT_SHARES[suits] * shoes.deal_worth(one, two, value)
    return strategy, worth


class _Shoes:
    """For every up card and every two cards of a player: what comes next, and what the dealer ends with."""

    def __init__(self, game: _Game) -> None:
        full = np.array([4 * game.decks] * TEN_VALUE + [game.tens * game.decks], dtype=np.int64)
        taken = np.zeros((1 + len(_PAIRS), CLASSES), dtype=np.int64)
        for n, pair in enumerate(_PAIRS):
            for each in pair:
                taken[n + 1, each] += 1
        self.game, self.full = game, full
        self.draw = np.empty((CLASSES, len(taken), CLASSES))
        self.dealer = np.empty((CLASSES, len(taken), _BLACKJACK + 1))
        self.blackjack = np.empty((CLASSES, len(taken)))
        for up in range(CLASSES):
            left = full - taken
            left[:, up] -= 1
            dealer = _dealer_ends(left, up, game.stands_on, game.soft_17_draws)
            blackjack = dealer[:, _BLACKJACK].copy()
            draw = left / left.sum(axis=1, keepdims=True)
            if game.peeks[up]:
                dealer[:, _BLACKJACK] = 0
                dealer /= 1 - blackjack[:, None]
                draw = _without_blackjack(left, {ACE: TEN_VALUE, TEN_VALUE: ACE}.get(up))
            self.draw[up], self.dealer[up], self.blackjack[up] = draw, dealer, blackjack

    def deal_worth(self, one: int, two: int, value: F64) -> float:
        """The part of a round's worth that comes from these two cards, over all up cards."""
        left, chance = self.full.astype(np.float64), 1.0
        for each in (one, two):
            chance *= left[each] / left.sum()
            left[each] -= 1
        shoe = _SHOE[min(one, two), max(one, two)]
        known = np.where(self.game.peeks, self.blackjack[:, shoe], 0)
        if {one, two} == {ACE, TEN_VALUE}:
            plain = self.game.odds[R.REGULAR if self.game.blackjack_against_21 else R.BLACKJACK]
            against_21 = self.dealer[:, shoe, 21] * (1 - known) + self.blackjack[:, shoe]
            value = plain + (self.game.odds[R.BLACKJACK] - plain) * against_21
        else:
            value = value * (1 - known) - known
        return float(chance * (left / left.sum()) @ value)


def _without_blackjack(left: npt.NDArray[np.int64], excluded: int | None) -> F64:
    """Chances of the next card when the hole card is known not to be of a class."""
    total = left.sum(axis=1, keepdims=True)
    if excluded is None:
        return np.asarray(left / total)
    others = total - left[:, excluded : excluded + 1]
    draw = left * (others - 1) / (others * (total - 1))
    draw[:, excluded] = left[:, excluded] / (total[:, 0] - 1)
    return np.asarray(draw)


def _dealer_ends(left: npt.NDArray[np.int64], up: int, stands_on: int, soft_17_draws: int) -> F64:
    """By shoe: the chances that the dealer ends with a total, bust or blackjack, drawing without replacement."""
    drawn, ways, ends = _dealer_hands(up, stands_on, soft_17_draws)
    deepest = int(drawn.sum(axis=1).max())
    fall = np.ones((int(left.sum(axis=1).max()) + 1, deepest + 1))  # fall[n, k] = n (n - 1) ... (n - k + 1)
    for k in range(deepest):
        fall[:, k + 1] = fall[:, k] * np.maximum(np.arange(len(fall)) - k, 0)
    chance = ways / fall[left.sum(axis=1)[:, None], drawn.sum(axis=1)[None, :]]
    for each in range(CLASSES):
        chance *= fall[left[:, each][:, None], drawn[:, each][None, :]]
    result = np.zeros((len(left), _BLACKJACK + 1))
    for end in np.unique(ends):
        result[:, end] = chance[:, ends == end].sum(axis=1)
    return result


@lru_cache(maxsize=64)
def _dealer_hands(
    up: int, stands_on: int, soft_17_draws: int
) -> tuple[npt.NDArray[np.int64], F64, npt.NDArray[np.int64]]:
    """List all sets of cards that can follow an up card: counts by class, number of orders, and final total."""
    found: dict[tuple[tuple[int, ...], int], int] = {}
    open_hands: dict[tuple[int, ...], int] = {(0,) * CLASSES: 1}
    while open_hands:
        longer: dict[tuple[int, ...], int] = {}
        for drawn, ways in open_hands.items():
            for each in range(CLASSES):
                more = (*drawn[:each], drawn[each] + 1, *drawn[each + 1 :])
                end = _dealer_end(up, more, stands_on, soft_17_draws)
                if end:
                    found[more, end] = found.get((more, end), 0) + ways
                else:
                    longer[more] = longer.get(more, 0) + ways
        open_hands = longer
    return (
        np.array([drawn for drawn, _ in found], dtype=np.int64),
        np.array(list(found.values()), dtype=np.float64),
        np.array([end for _, end in found], dtype=np.int64),
    )


def _dealer_end(up: int, drawn: tuple[int, ...], stands_on: int, soft_17_draws: int) -> int:
    """The total on which the dealer stands, bust or blackjack; 0 while the hand asks for a card."""
    hard = up + 1 + sum(n * (each + 1) for each, n in enumerate(drawn))
    soft = hard <= 11 and (up == ACE or drawn[ACE] > 0)
    total = hard + 10 * soft
    if total == 21 and sum(drawn) == 1:
        return _BLACKJACK
    if total < stands_on or (soft and soft_17_draws and total == stands_on):
        return 0
    return min(total, _BUST)


def _after(soft: int, total: int, card: int) -> tuple[int, int]:
    """A hand with one card more: soft, and the total or bust."""
    hard = total - 10 * soft + card + 1
    if hard <= 11 and (soft or card == ACE):
        return 1, hard + 10
    return 0, min(hard, _BUST)


def _totals() -> Iterator[tuple[int, int]]:
    """Soft and total of every hand below 21, in an order in which no hand comes before one that it can become."""
    yield from ((0, total) for total in range(20, 10, -1))
    yield from ((1, total) for total in range(20, 11, -1))
    yield from ((0, total) for total in range(10, 1, -1))


class _Phase:
    """Values of hands before or after a split, against every up card (first axis) from every shoe (second)."""

    def __init__(self, game: _Game, shoes: _Shoes, number: int) -> None:
        self.game, self.shoes, self.number = game, shoes, number
        blackjack = shoes.dealer[..., _BLACKJACK]
        self.no_blackjack = 1 - blackjack
        # Of a split box a dealer blackjack takes one wager where the rules spare the rest: half of each hand's.
        spared = number == AFTER_SPLIT and game.after_split != R.AFTER_SPLIT_ALL
        self.lost = blackjack * (0.5 if spared else 1.0)
        self.lost_doubled = self.lost + blackjack * game.takes_double
        self.balance = [self._balance(total) for total in range(21)]
        self.doubled = [self._doubled(total) for total in range(21)]
        self.value = np.full((MOST + 1, 2, _BUST + 1, *blackjack.shape), _NEVER)
        self.value[:, 0, _BUST] = -self.no_blackjack - self.lost if game.bust_original_only else -1
        self.later = np.zeros((MOST - FEWEST + 1, 2, 22, CLASSES), dtype=np.uint8)
        for count in range(FEWEST, MOST + 1):
            self.value[count, :, 21] = self._twenty_one(self._odds(count))
        for count in range(MOST, FEWEST - 1, -1):
            for soft, total in _totals():
                self._decide_later(count, soft, total)

    def _balance(self, total: int) -> F64:
        """Wins less losses of a total below 21, dealer blackjacks apart."""
        dealer = self.shoes.dealer
        wins = dealer[..., _BUST] + dealer[..., :total].sum(axis=-1)
        return np.asarray(self.game.odds[R.REGULAR] * wins - dealer[..., total + 1 : _BUST].sum(axis=-1))

    def _odds(self, count: int, doubled: bool = False) -> float:
        """Odds of a 21 by its number of cards."""
        game = self.game
        bonus = count >= 5 and (game.bonus_on_split or self.number == INITIAL)
        return self._bonus(R.FIVE_CARDS + min(count, 7) - 5, doubled) if bonus else game.odds[R.REGULAR]

    def _bonus(self, row: int, doubled: bool) -> float:
        game = self.game
        if doubled and not game.bonus_on_double:
            return game.odds[R.DOUBLED] or game.odds[R.REGULAR]
        return game.odds[row]

    def _twenty_one(self, odds: float) -> F64:
        """A 21 of three or more cards."""
        if self.game.wins_at_once:
            return np.full_like(self.lost, odds)
        return np.asarray(odds * self.no_blackjack - self.lost)

    def _split_twenty_one(self) -> F64:
        """A 21 of two cards after a split."""
        odds = self.game.odds
        if self.game.wins_at_once:
            return np.full_like(self.lost, odds[R.REGULAR])
        against_21 = {R.SPLIT21_PUSH: 0.0, R.SPLIT21_WIN: odds[R.REGULAR], R.SPLIT21_WIN_3_2: odds[R.BLACKJACK]}
        dealer = self.shoes.dealer[..., 21] + self.shoes.dealer[..., _BLACKJACK]
        return np.asarray(odds[R.REGULAR] * (1 - dealer) + against_21[self.game.split_21] * dealer)

    def _doubled(self, total: int) -> F64:
        """A doubled hand below 21, taken back where that is better."""
        value = 2 * self.balance[total] - self.lost_doubled
        return np.maximum(value, -1) if total <= self.game.rescue_max else value

    def _double_end(self, total: int, odds: float) -> F64:
        """A doubled hand with its card."""
        if total < 21:
            return self.doubled[total]
        if total == 21:
            at_once = self.game.wins_at_once
            return np.asarray(2 * odds * (1 if at_once else self.no_blackjack) - (0 if at_once else self.lost_doubled))
        spares = self.game.bust_original_only and not self.game.takes_double
        return np.asarray(-2 * self.no_blackjack - self.lost if spares else np.full_like(self.lost, -2))

    def _stand(self, total: int) -> F64:
        if total < self.game.must_draw_below:
            return np.full_like(self.lost, _NEVER)
        return np.asarray(self.balance[total] - self.lost)

    def _hit(self, count: int, soft: int, total: int) -> F64:
        value = np.zeros_like(self.lost)
        for card in range(CLASSES):
            value += self.shoes.draw[..., card] * self.value[(min(count + 1, MOST), *_after(soft, total, card))]
        return value

    def _double(self, count: int, soft: int, total: int, low: bool) -> F64:
        """A double; `low` where the ace of a soft hand counts one from then on."""
        if soft and low:
            soft, total = 0, total - 10
        value = np.zeros_like(self.lost)
        odds = self._odds(count + 1, doubled=True)
        for card in range(CLASSES):
            value += self.shoes.draw[..., card] * self._double_end(_after(soft, total, card)[1], odds)
        return value

    def _decide_later(self, count: int, soft: int, total: int) -> None:
        """A hand of three or more cards; an ace that a double may make low is taken to be such a one."""
        stand, hit = self._stand(total), self._hit(count, soft, total)
        best = np.maximum(stand, hit)
        bits = HIT * (hit > stand)
        if not self.game.double_first_two:
            rule = self.game.ace_on_double
            low = rule == R.ACE_FIRST_TWO or (rule == R.ACE_INITIAL and self.number == INITIAL)
            double = self._double(count, soft, total, low)
            bits = bits | DOUBLE * (double > best)
            best = np.maximum(best, double)
        self.value[count, soft, total] = best
        self.later[count - FEWEST, soft, total] = bits[:, 0]

    def rescue(self) -> U8:
        """By total and up card, whether a doubled hand is better taken back."""
        table = np.zeros((22, CLASSES), dtype=np.uint8)
        for total in range(min(20, self.game.rescue_max) + 1):
            table[total] = (2 * self.balance[total] - self.lost_doubled)[:, 0] < -1
        return table

    def first(self, one: int, two: int, suits: int, shoe: int, splits: "_Splits | None") -> tuple[U8, F64]:
        """By up card, what to do with two cards and what that is worth."""
        soft, total = _after(*_after(0, 0, one), two)
        if total == 21:  # a blackjack asks for no decision and is worth what it is elsewhere
            return np.zeros(CLASSES, dtype=np.uint8), self._split_twenty_one()[:, shoe]
        stand = self._stand(total)[:, shoe]
        split_ace = self.number == AFTER_SPLIT and one == ACE
        if split_ace and self.game.aces_once:
            return np.zeros(CLASSES, dtype=np.uint8), (self.balance[total] - self.lost)[:, shoe]
        hit = self._hit(2, soft, total)[:, shoe] + self._three_cards(one, two, suits, shoe)
        best = np.maximum(stand, hit)
        bits = HIT * (hit > stand)
        choices = []
        if not split_ace or self.game.double_split_aces:
            choices.append((DOUBLE, self._double_two(one, two, suits, shoe)))
        if self.number == INITIAL:
            surrender = -self.lost - self.game.surrender_share * self.no_blackjack
            choices.append((SURRENDER, np.where(self.game.surrenders, surrender[:, shoe], _NEVER)))
        if splits is not None:
            choices.append((SPLIT, splits[self.number]))
        for bit, value in choices:
            bits = bits | bit * (value > best)
            best = np.maximum(best, value)
        return bits.astype(np.uint8), best

    def _double_two(self, one: int, two: int, suits: int, shoe: int) -> F64:
        soft, total = _after(*_after(0, 0, one), two)
        rule = self.game.ace_on_double
        low = rule == R.ACE_FIRST_TWO or (rule == R.ACE_INITIAL and (self.number == INITIAL or one == ACE))
        value = self._double(2, soft, total, low)[:, shoe]
        return value + 2 * self._three_cards(one, two, suits, shoe, doubled=True)

    def _three_cards(self, one: int, two: int, suits: int, shoe: int, doubled: bool = False) -> F64:
        """Return the value that 6-7-8 and 7-7-7 add to the next card, above a 21 at even odds, by up card."""
        third = {_SIX + _SEVEN: _EIGHT, _SIX + _EIGHT: _SEVEN, _SEVEN + _EIGHT: _SIX}.get(one + two)
        sevens = one == two == _SEVEN
        if not sevens and (third is None or {one, two, third} != {_SIX, _SEVEN, _EIGHT}):
            return np.zeros(CLASSES)
        if self.number == AFTER_SPLIT and not self.game.bonus_on_split:
            return np.zeros(CLASSES)
        row, decks = R.SEVENS if sevens else R.SIX_SEVEN_EIGHT, self.game.decks
        same = (decks - 2) / (4 * decks - 2) if sevens else 1 / 4
        odds = self._bonus(row, doubled)
        if suits != MIXED:
            odds = same * self._bonus(row + suits, doubled) + (1 - same) * odds
        paid = 1 if self.game.wins_at_once else self.no_blackjack[:, shoe]
        card = _SEVEN if sevens or third is None else third
        return np.asarray(self.shoes.draw[:, shoe, card] * paid * (odds - self.game.odds[R.REGULAR]))


_Splits = tuple[F64, F64]


def _split_values(phase: _Phase, card: int) -> _Splits:
    """Return the value of splitting a pair by up card, for the initial hand and for a hand that was split before.

    The latter stands for the last split that the rules allow, so it needs room for one hand more only.
    """
    game, shoe = phase.game, _SHOE[card, card]
    draw = phase.shoes.draw[:, shoe]
    values = []
    for two in range(CLASSES):
        by_suits = [phase.first(card, two, suits, shoe, None)[1] for suits in (MIXED, SUITED, SPADES)]
        values.append(sum(share * value for share, value in zip(_SUIT_SHARES, by_suits, strict=True)))
    again = draw[:, card]
    others = sum(draw[:, two] * values[two] for two in range(CLASSES) if two != card)

    @cache
    def worth(hands: int, splits: int) -> F64:
        """Return the total value of hands of one card each, by up card, with a number of splits left."""
        if hands == 0:
            return np.zeros(CLASSES)
        rest = worth(hands - 1, splits)
        paired = values[card] + rest
        if splits:
            paired = np.maximum(paired, worth(hands + 1, splits - 1))
        return np.asarray(others + (1 - again) * rest + again * paired)

    barred = np.full(CLASSES, _NEVER)
    once = card == ACE and (game.aces_once or not game.resplit_aces)
    left = 0 if once else min(game.max_hands - 2, _RESPLITS)
    return (worth(2, left) if game.max_hands > 1 else barred), (worth(2, 0) if left > 0 else barred)


_LETTERS: Final = {0: "S", HIT: "H"}


def chart(strategy: Strategy) -> str:
    """The strategy on a page; a number says from how many cards on a hand is hit all the same."""
    ups = [*range(1, CLASSES), ACE]
    names = [*"A23456789", "T"]
    lines = ["          " + "".join(f"{names[up]:>4}" for up in ups)]

    def row(title: str, one: int, two: int) -> None:
        soft, total = _after(*_after(0, 0, one), two)
        cells = [_cell(strategy, one, two, soft, total, up) for up in ups]
        lines.append(f"{title:<10}" + "".join(f"{cell:>4}" for cell in cells))

    for total in range(5, 19):
        row(f"hard {total}", *((1, total - 3) if total < 12 else (TEN_VALUE, total - 11)))
    for two in range(1, 9):
        row(f"soft {two + 12}", ACE, two)
    for one in range(CLASSES):
        row(f"pair {names[one]}", one, one)
    return "\n".join(lines) + "\n"


def _cell(strategy: Strategy, one: int, two: int, soft: int, total: int, up: int) -> str:
    bits = int(strategy.first[INITIAL, one, two, MIXED, up])
    for bit, letter in ((SPLIT, "P"), (SURRENDER, "R")):
        if bits & bit:
            return letter
    letter = "D" if bits & DOUBLE else _LETTERS[bits & HIT]
    if letter == "H" or one == two:
        return letter
    changed = [n for n in range(MOST - FEWEST + 1) if strategy.later[INITIAL, n, soft, total, up] == HIT]
    return f"{letter}{changed[0] + FEWEST}" if changed else letter
