"""Legal random rounds, played forward by the rulebooks: the engine should find nothing wrong with them.

Everything comes out of a seeded ``random.Random``: a table with options of its rulebook, a shuffled shoe, stakes and
decisions that are open, a dealer who draws where it matters. Rounds are contract events, as ``replay.notation`` makes
them. Between them stand moments, at which ``settled`` puts the settle lines that an audit of the round expects.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from random import Random
from typing import Any, Final

from replay import cards, ops, rules
from replay.audit import Audit, audit
from replay.compile_rules import compile_rules
from replay.floor import Floor, Table, parse
from replay.rules import Rules
from tests.books import IDS

Event = dict[str, Any]
BOOKS: Final = tuple(IDS)
DAY: Final = date(2026, 1, 1)
MOMENT: Final = "moment"
STAKES: Final = (500, 1000, 1111, 1500, 2000, 2250, 2500, 3333, 5000, 10000, 100000)
FACES: Final = range(1, cards.CARD_CODES)
_DECK: Final = tuple(card for card in FACES if cards.RANK[card] != cards.TEN)


@dataclass(frozen=True)
class Setup:
    """A table: floor.toml as a dict, and what it comes to."""

    data: dict[str, Any]
    floor: Floor
    table: Table
    rules: Rules

    def audit(self, events: Iterable[Event], trace: bool = False) -> Audit:
        """The engine's view of events at this table."""
        return audit(self.floor, self.table.id, DAY, events, trace)


def from_data(data: dict[str, Any]) -> Setup:
    """A table from the dict of its floor.toml."""
    floor = parse(data)
    return Setup(data, floor, floor.tables[0], compile_rules(floor.tables[0]))


def plain_setup(book: str, **options: Any) -> Setup:
    """A table with the rulebook's defaults and the given options."""
    table = {"id": "T1", "from": DAY, "rulebook": book, "decks": 6, "boxes": 7, "min_cents": 500, "max_cents": 100000}
    return from_data({"table": [{**table, "chip_unit_cents": 100, "currency": "USD", "options": options}]})


def random_setup(book: str, rng: Random) -> Setup:
    """A table with any of the options and readings that the rulebook permits."""
    base = plain_setup(book)
    entry = base.data["table"][0]
    permitted = base.table.book.parameters
    entry["decks"] = rng.choice(permitted["decks"])
    entry["boxes"] = rng.randint(5, permitted.get("boxes_max", 7))
    entry["chip_unit_cents"] = rng.choice((50, 100, 500))
    entry["options"] = _random_options(book, rng)
    entry["readings"] = {
        name: rng.choice(reading.permitted) if rng.random() < 0.3 else reading.default
        for name, reading in base.table.book.readings.items()
    }
    if book.startswith("md"):
        entry["progressive"] = {"bonus-spin": {"jackpot_cents": 1000000}}
    return from_data(base.data)


def _random_options(book: str, rng: Random) -> dict[str, Any]:
    coin = (True, False)
    if book.startswith("md"):
        options: dict[str, Any] = {
            "match": rng.choice(coin),
            "resplit_aces": rng.choice(coin),
            "bsx16": rng.random() < 0.2,
        }
        options["max_hands_per_box"] = rng.choice((2, 3, 4, 6))
        options["bonus_spin"] = rng.choice((False, False, "A", "B", "C", "D"))
        options["settle_order"] = rng.choice(("collect-then-pay", "right-to-left"))
        if rng.random() < 0.2:
            options["payout_cap_cents"] = rng.choice((2000, 50000))
    elif book.startswith("ma"):
        hole = rng.choice(coin)
        options = {"match": rng.choice(coin), "hole_card": hole, "card_reader": hole and rng.choice(coin)}
        options["bsx16"] = rng.random() < 0.2
        options["boxes_per_player"] = 2
        options["bettors_per_box"] = rng.choice((1, 2, 3))
    elif book.startswith("mbs"):
        options = {"pair": rng.choice(coin), "bettors_per_box": rng.choice((1, 2, 3))}
    else:
        options = {"bettors_per_box": rng.choice((1, 2, 3)), "burn_first_card": rng.choice(coin)}
        options["min_increment_cents"] = rng.choice((0, 250, 1000))
    return options


@dataclass
class Shoe:
    """Cards in the order in which they will be drawn."""

    cards: list[int]
    name: str = "S1"
    drawn: int = 0

    def draw(self) -> Event:
        card = self.cards[self.drawn]
        self.drawn += 1
        name = cards.NAMES[card]
        return {"source": "shoe", "type": "draw", "shoe": self.name, "n": self.drawn, "card": name, "face": "down"}


# Ranks that make pairs, blackjacks and bonus hands; 21s of many cards; the Super Bonus.
_ON_TOP: Final[tuple[Callable[[Random], Sequence[int]], ...]] = (
    lambda rng: rng.sample((0, 5, 6, 7, 10, 12), rng.randint(1, 3)),
    lambda rng: range(rng.randint(2, 5)),
    lambda _: [cards.SEVEN],
)


def shuffled(setup: Setup, rng: Random, name: str = "S1", stacked: bool = True) -> Shoe:
    """A shoe of the table's decks; at times with a few kinds of card on top, so that rare hands come up."""
    stack = list(_DECK) * setup.table.decks
    rng.shuffle(stack)
    if stacked and rng.random() < 0.4:
        ranks = set(rng.choice(_ON_TOP)(rng))
        suits = set(rng.sample(range(4), rng.randint(1, 4)))
        stack.sort(key=lambda card: cards.RANK[card] not in ranks or cards.SUIT[card] not in suits)
        top = stack[: rng.randint(6, 40)]
        rng.shuffle(top)
        stack[: len(top)] = top
    return Shoe(stack, name)


@dataclass
class Hand:
    """A hand in play and whose wagers lie on it."""

    number: int
    cards: list[int]
    bettors: set[int]
    doublers: set[int] = field(default_factory=set)
    rescued: set[int] = field(default_factory=set)
    doubled: bool = False
    split: bool = False
    split_aces: bool = False
    low_aces: int = 0

    def total(self) -> int:
        """Points; aces that a double fixed at one count one."""
        hard = sum(int(cards.VALUE[card]) for card in self.cards)
        aces = sum(1 for card in self.cards if cards.RANK[card] == cards.ACE)
        return hard + 10 if aces > self.low_aces and hard <= 11 else hard

    def is_blackjack(self) -> bool:
        return len(self.cards) == 2 and self.total() == 21 and not self.split


@dataclass
class Box:
    """A box: stakes by bettor, its hands in the order of play."""

    seat: int
    stakes: dict[int, int]
    hands: list[Hand] = field(default_factory=list)
    surrendered: set[int] = field(default_factory=set)

    def controller(self) -> int:
        return min(bettor for bettor in self.stakes if bettor not in self.surrendered)

    def is_given_up(self) -> bool:
        return len(self.surrendered) == len(self.stakes)


@dataclass(frozen=True)
class Round:
    """A round as played: events with moments between them, and the hands that they led to."""

    setup: Setup
    name: str
    played: list[Event]
    boxes: list[Box]
    dealer: list[int]

    def events(self) -> list[Event]:
        """The round without settle lines."""
        return [event for event in self.played if event["type"] != MOMENT]

    def hand(self, seat: int, number: int) -> Hand:
        box = next(box for box in self.boxes if box.seat == seat)
        return next(hand for hand in box.hands if hand.number == number)


def play_round(setup: Setup, rng: Random, shoe: Shoe, name: str = "1", boxes: int = 0) -> Round:
    """One round, from the first wager to its end."""
    return _Table(setup, rng, shoe, name).play(boxes)


def rounds(setup: Setup, rng: Random, count: int, stacked: bool = True) -> Iterator[Round]:
    """Rounds that know nothing of each other, each from a fresh shoe."""
    for number in range(1, count + 1):
        yield play_round(setup, rng, shuffled(setup, rng, stacked=stacked), str(number))


class _Table:
    """One round under way."""

    def __init__(self, setup: Setup, rng: Random, shoe: Shoe, name: str) -> None:
        self.setup, self.rules, self.rng, self.shoe, self.name = setup, setup.rules, rng, shoe, name
        self.events: list[Event] = []
        self.boxes: list[Box] = []
        self.dealer: list[int] = []
        self.insured = False
        self.xtreme: list[tuple[int, int, int]] = []  # seat, bettor and stake of bsx16 wagers
        self.spins: list[tuple[int, int]] = []
        self.bold = rng.random() < 0.3  # everybody draws on, for 21s of many cards

    def play(self, boxes: int) -> Round:
        self.bet(boxes)
        self.log("bets_closed")
        self.deal()
        self.moment("dealt")
        self.insure()
        if not self.dealer_shows_blackjack():
            self.surrender_early()
            self.spin()
            self.moment("turns")
            for box in self.boxes:
                self.play_box(box)
        else:
            self.spin()
        self.play_dealer()
        self.moment("end")
        self.spin_xtreme()
        self.log("round_end")
        return Round(self.setup, self.name, self.events, self.boxes, self.dealer)

    # What the terminal and the shoe say.

    def log(self, type_: str, **fields: Any) -> None:
        self.events.append({"source": "terminal", "type": type_, "round": self.name, **fields})

    def moment(self, what: str, seat: int = 0, hand: int = 0) -> None:
        self.events.append({"type": MOMENT, "what": what, "seat": seat, "hand": hand})

    def draw(self) -> int:
        event = self.shoe.draw()
        self.events.append(event)
        return cards.parse(event["card"])

    def wager(self, seat: int, bettor: int, kind: str, cents: int, **fields: Any) -> None:
        self.log("wager", seat=seat, bettor=bettor, kind=kind, cents=cents, **fields)

    def decide(self, seat: int, hand: int, action: str, **fields: Any) -> None:
        self.log("decision", seat=seat, hand=hand, action=action, **fields)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    # Wagers.

    def bet(self, boxes: int) -> None:
        most = self.setup.table.boxes
        count = boxes or min(most, 1 + sum(self.chance(0.4) for _ in range(5)))
        for seat in sorted(self.rng.sample(range(1, most + 1), count)):
            bettors = 1 + sum(self.chance(0.2) for _ in range(self.rules.bettors_max - 1))
            box = Box(seat, {bettor: self.stake() for bettor in range(1, bettors + 1)})
            self.boxes.append(box)
            for bettor, cents in box.stakes.items():
                patron = {"patron": f"P{seat}{bettor}"} if self.chance(0.3) else {}
                self.wager(seat, bettor, "main", cents, **patron)
                self.bet_aside(seat, bettor, cents)
        if self.rules.bsx_protocol and self.xtreme:
            self.log("progressive", system="bsx16", action="start_round")

    def stake(self) -> int:
        if self.chance(0.3):
            return self.rng.randint(self.rules.min_cents, 20000)
        return self.rng.choice(STAKES)

    def bet_aside(self, seat: int, bettor: int, main: int) -> None:
        r = self.rules
        if r.match_offered and self.chance(0.4):
            top = main if r.match_within_main else 20000
            top = min(top, r.match_max) if r.match_max else top
            self.wager(seat, bettor, "match", self.rng.randint(min(r.match_min or 100, top), top))
        if r.pair_offered and self.chance(0.4):
            self.wager(seat, bettor, "pair", self.rng.randint(100, 20000))
        if r.spin_offered and self.chance(0.4):
            self.wager(seat, bettor, "bonus-spin", self.spin_stake())
            self.spins.append((seat, bettor))
        if r.bsx_offered and self.chance(0.5):
            cents = int(self.rng.choice(self.rules.bsx_stakes))
            self.wager(seat, bettor, "bsx16", cents)
            self.xtreme.append((seat, bettor, cents))

    def spin_stake(self) -> int:
        """The paytable's own stake: the $5 of C and D, the smaller of A and B."""
        stakes = sorted(int(cents) for cents in self.rules.spin_stakes)
        return stakes[-1] if self.setup.table.options["bonus_spin"] in "CD" else stakes[0]

    def deal(self) -> None:
        firsts = [self.draw() for _ in self.boxes]
        self.dealer.append(self.draw())
        for box, first in zip(self.boxes, firsts, strict=True):
            box.hands.append(Hand(1, [first, self.draw()], set(box.stakes)))
        if self.rules.hole_card:
            self.dealer.append(self.draw())

    @property
    def up(self) -> int:
        return self.dealer[0]

    def up_is_in(self, mask: int) -> bool:
        return bool(mask >> int(cards.RANK[self.up]) & 1)

    def insure(self) -> None:
        r = self.rules
        if not self.up_is_in(r.insurance_up):
            return
        self.offer("insurance", "open")
        for box in self.boxes:
            declined = []
            for bettor, main in box.stakes.items():
                barred = box.hands[0].is_blackjack() and not r.insurance_with_blackjack
                if barred or not self.chance(0.4) or not self.insure_with(box.seat, bettor, main):
                    declined.append(bettor)
            taker = next((bettor for bettor in declined[1:]), 0)
            if r.insurance_for_others and taker and self.chance(0.5):
                self.insure_with(box.seat, taker, box.stakes[declined[0]], for_bettor=declined[0])
        self.offer("insurance", "closed")

    def insure_with(self, seat: int, bettor: int, main: int, **fields: Any) -> bool:
        """An insurance wager up to half; where the rulebook lets it, rounded up to the chip."""
        r = self.rules
        cents = self.rng.choice((main // 2, self.rng.randint(1, main // 2)))
        if r.insurance_rounds_up and main // 2 % r.chip and self.chance(0.3):
            cents = (main // 2 // r.chip + 1) * r.chip
        if r.insurance_chips:
            cents -= cents % r.chip
        if cents <= 0:
            return False
        self.wager(seat, bettor, "insurance", cents, **fields)
        self.insured = True
        return True

    def offer(self, what: str, state: str) -> None:
        if self.chance(0.5):
            self.log("offer", what=what, state=state)

    # The players.

    def dealer_shows_blackjack(self) -> bool:
        """The reader looks at the hole card where it has to; a blackjack ends the players' part."""
        if not (self.rules.reader and self.rules.hole_card and self.up_is_in(self.rules.reader_up)):
            return False
        found = cards.total(self.dealer)[0] == 21
        result = "blackjack" if found else "no-blackjack"
        self.events.append({"source": "shoe", "type": "hole_card_check", "result": result})
        self.moment("checked")
        return found

    def surrender_early(self) -> None:
        """Play surrenders before the first decision, each bettor's own if the rulebook says so."""
        if not self.rules.surrender_first or not self.up_is_in(self.rules.surrender_up):
            return
        self.offer("surrender", "open")
        for box in self.boxes:
            if box.hands[0].total() == 21 or not self.chance(0.15):
                continue
            if not self.rules.surrender_by_bettor or self.chance(0.3):
                self.decide(box.seat, 1, "surrender")
                box.surrendered |= set(box.stakes)
                continue
            who = sorted(self.rng.sample(sorted(box.stakes), self.rng.randint(1, len(box.stakes))))
            self.decide(box.seat, 1, "surrender", bettors=who)
            box.surrendered |= set(who)
        self.offer("surrender", "closed")

    def play_box(self, box: Box) -> None:
        at = 0
        while at < len(box.hands):
            hand = box.hands[at]
            if len(hand.cards) == 1:
                hand.cards.append(self.draw())
            if not box.is_given_up():
                self.play_hand(box, hand)
            self.moment("hand", box.seat, hand.number)
            at += 1

    def play_hand(self, box: Box, hand: Hand) -> None:
        r = self.rules
        while hand.total() < 21 and not (hand.split_aces and r.aces_once and len(hand.cards) > 1):
            action = self.choose(box, hand)
            if action == "hit":
                self.decide(box.seat, hand.number, "hit")
                hand.cards.append(self.draw())
            elif action == "split":
                self.split(box, hand)
            elif action == "double":
                self.double(box, hand)
                return
            else:
                self.decide(box.seat, hand.number, action)
                if action == "surrender":
                    box.surrendered |= set(box.stakes)
                return

    def choose(self, box: Box, hand: Hand) -> str:
        """Something that is open to the hand; totals sway the odds, the rulebook sets the bounds."""
        r, points = self.rules, hand.total()
        may = {"hit": 6.0 if points < 12 else 2.0 if points < 17 else 0.3}
        if points >= r.must_draw_below:
            may["stand"] = 0.4 if points < 12 else 2.0 if points < 17 else 6.0
        if self.bold and points < 18:
            may = {"hit": 20.0}
        if self.may_double(box, hand):
            may["double"] = 1.0
        if self.may_split(box, hand):
            may["split"] = 5.0
        first = len(hand.cards) == 2 and not hand.split
        if first and not r.surrender_first and self.up_is_in(r.surrender_up):
            may["surrender"] = 0.4
        return self.rng.choices(list(may), list(may.values()))[0]

    def least_double(self) -> int:
        r = self.rules
        return {rules.DOUBLE_MIN_TABLE: r.min_cents, rules.DOUBLE_MIN_INCREMENT: max(1, r.increment)}.get(
            r.double_min, 1
        )

    def may_double(self, box: Box, hand: Hand) -> bool:
        r = self.rules
        if (hand.split_aces and not r.double_split_aces) or (r.double_first_two and len(hand.cards) > 2):
            return False
        lead = box.controller()
        return lead in hand.bettors and box.stakes[lead] >= self.least_double()

    def may_split(self, box: Box, hand: Hand) -> bool:
        r = self.rules
        if len(hand.cards) != 2 or cards.VALUE[hand.cards[0]] != cards.VALUE[hand.cards[1]]:
            return False
        again = hand.split_aces and (r.aces_once or not r.resplit_aces)
        return not again and len(box.hands) < r.max_hands and box.controller() in hand.bettors

    def double(self, box: Box, hand: Hand) -> None:
        r, least = self.rules, self.least_double()
        for bettor in sorted(hand.bettors - box.surrendered):
            main = box.stakes[bettor]
            if bettor == box.controller() or (self.chance(0.6) and main >= least):
                cents = main if self.chance(0.6) else self.rng.randint(least, main)
                self.wager(box.seat, bettor, "double", cents, hand=hand.number)
                hand.doublers.add(bettor)
        aces = sum(1 for card in hand.cards[:2] if cards.RANK[card] == cards.ACE)
        if r.ace_on_double == rules.ACE_FIRST_TWO or (r.ace_on_double == rules.ACE_INITIAL and not hand.split):
            hand.low_aces = aces
        self.decide(box.seat, hand.number, "double")
        hand.doubled = True
        hand.cards.append(self.draw())
        self.rescue(box, hand)

    def rescue(self, box: Box, hand: Hand) -> None:
        """Some of those who doubled take it back, unless the hand has been paid already."""
        paid = self.rules.wins_at_once and hand.total() == 21
        if hand.total() > self.rules.rescue_max or paid or not self.chance(0.2):
            return
        who = sorted(self.rng.sample(sorted(hand.doublers), self.rng.randint(1, len(hand.doublers))))
        self.decide(box.seat, hand.number, "rescue", **({} if who == sorted(hand.doublers) else {"bettors": who}))
        hand.rescued |= set(who)

    def split(self, box: Box, hand: Hand) -> None:
        """Two hands out of one; bettors who do not cover the new one keep their wager on the old, or choose."""
        number = len(box.hands) + 1
        aces = all(cards.RANK[card] == cards.ACE for card in hand.cards)
        new = Hand(number, [hand.cards.pop()], set(), split=True, split_aces=aces)
        hand.split, hand.split_aces = True, aces
        uncovered = []
        for bettor in sorted(hand.bettors - box.surrendered):
            elsewhere = any(bettor in other.bettors for other in box.hands if other is not hand)
            if bettor == box.controller() or elsewhere or self.chance(0.6):
                self.wager(box.seat, bettor, "split", box.stakes[bettor], hand=number)
                new.bettors.add(bettor)
            else:
                uncovered.append(bettor)
        self.decide(box.seat, hand.number, "split")
        for bettor in uncovered:
            self.assign(box, hand, new, bettor)
        box.hands.insert(box.hands.index(hand) + 1, new)
        hand.cards.append(self.draw())

    def assign(self, box: Box, hand: Hand, new: Hand, bettor: int) -> None:
        if self.rules.assign_first_only:
            return
        chosen = self.rng.choice((hand, new))
        hand.bettors.discard(bettor)
        chosen.bettors.add(bettor)
        self.log("assign", seat=box.seat, bettor=bettor, hand=chosen.number)

    # The dealer.

    def play_dealer(self) -> None:
        stands = len(self.dealer) == 2 and cards.total(self.dealer)[0] == 21
        if len(self.dealer) == 1 and (self.second_card_is_due() or self.chance(0.5)):
            self.dealer.append(self.draw())
        self.moment("second")
        while len(self.dealer) > 1 and not stands and self.must_draw() and self.is_open():
            self.dealer.append(self.draw())

    def second_card_is_due(self) -> bool:
        waits = self.up_is_in(self.rules.surrender_waits) and any(box.surrendered for box in self.boxes)
        rank = cards.RANK[self.up]
        return self.is_open() or self.insured or waits or bool(self.xtreme and (rank == cards.SIX or rank > cards.TEN))

    def must_draw(self) -> bool:
        points, soft = cards.total(self.dealer)
        stands_on = self.rules.stands_on
        return points < stands_on or bool(self.rules.soft_17_draws and soft and points == stands_on)

    def is_open(self) -> bool:
        return any(self.hand_is_open(box, hand) for box in self.boxes for hand in box.hands)

    def hand_is_open(self, box: Box, hand: Hand) -> bool:
        """Return whether the dealer's hand can still change the result of this hand."""
        r, points = self.rules, hand.total()
        blackjack_possible = len(self.dealer) < 2 and int(cards.VALUE[self.up]) in (1, 10)
        if not hand.bettors - box.surrendered - hand.rescued:
            return False
        if points > 21:
            return bool(r.bust_original_only and blackjack_possible and (hand.doublers or hand.split))
        if hand.is_blackjack():
            return bool(r.blackjack_against_21)
        if points < 21:
            return True
        if r.wins_at_once:
            return False
        if len(hand.cards) == 2:
            return r.split_21 != rules.SPLIT21_WIN
        return blackjack_possible

    # Progressives.

    def spin(self) -> None:
        """The wheel of everybody with a blackjack and a Bonus Spin wager."""
        for seat, bettor in self.spins:
            box = next(box for box in self.boxes if box.seat == seat)
            if not box.hands[0].is_blackjack():
                continue
            symbol, prize = self.wheel(0, ops.AMOUNT)
            for action in ("trigger", "spin"):
                self.log("progressive", system="bonus-spin", action=action, seat=seat, bettor=bettor)
            fields = {"seat": seat, "bettor": bettor, "symbol": symbol, "prize_cents": prize}
            self.log("progressive", system="bonus-spin", action="prize", **fields)
            self.log("progressive", system="bonus-spin", action="paid", seat=seat, bettor=bettor)

    def wheel(self, system: int, kind: int) -> tuple[str, int]:
        """A symbol of a paytable and what it pays."""
        prefix = "community-" if kind == ops.COMMUNITY_AMOUNT else ""
        if system == 1 and self.rules.bsx_pays_symbol:
            dollars = self.rng.choice((50, 100, 500))
            return f"{prefix}{dollars}", dollars * 100
        rows = [row for row in self.rules.prizes if row[0] == system and row[1] == kind]
        row = rows[self.rng.randrange(len(rows))]
        return f"{prefix}{int(row[2]) // 100}", int(row[4] if prefix else row[3])

    def spin_xtreme(self) -> None:
        """A six and a ten-value card start the Xtreme wheel, once all else is settled."""
        if not self.xtreme:
            return
        two = self.dealer[:2]
        ranks, values = [int(cards.RANK[card]) for card in two], [int(cards.VALUE[card]) for card in two]
        if cards.SIX in ranks and 10 in values:
            self.run_xtreme()
        if self.rules.bsx_protocol:
            self.log("progressive", system="bsx16", action="end_round")

    def run_xtreme(self) -> None:
        r = self.rules
        paying = [
            (seat, bettor) for seat, bettor, cents in self.xtreme if r.bsx_pays_symbol or cents == r.bsx_prize_stake
        ]
        seat, bettor = self.rng.choice(paying or [(seat, bettor) for seat, bettor, _ in self.xtreme])
        place = {"seat": seat, "bettor": bettor}
        for action in ("trigger", "spin", "confirm"):
            self.log("progressive", system="bsx16", action=action)
        symbol, prize = self.wheel(1, ops.AMOUNT)
        self.log("progressive", system="bsx16", action="hot_spot", **place)
        self.log("progressive", system="bsx16", action="enable_spin", **place)
        pays = {"prize_cents": prize} if paying else {}
        self.log("progressive", system="bsx16", action="prize", symbol=symbol, **pays, **place)
        if len(self.xtreme) > 1 and len(paying) == len(self.xtreme):
            symbol, prize = self.wheel(1, ops.COMMUNITY_AMOUNT)
            self.log("progressive", system="bsx16", action="community", symbol=symbol, prize_cents=prize)
        self.log("progressive", system="bsx16", action="pay_jackpot")
        self.moment("xtreme")
        self.log("progressive", system="bsx16", action="paid")
