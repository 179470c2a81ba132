"""The five rulebooks as parameters, and the tables of the floor with their options."""

import random
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Book:
    """The parameters by which one rulebook differs from the others."""

    name: str
    decks: tuple[int, ...]
    boxes: tuple[int, ...]
    bettors: int
    draws_soft_17: bool
    pays_21_at_once: bool
    bonus_on_split: bool
    early_surrender: bool  # a surrender phase before further cards, only against A K Q J
    aces_split_once: bool
    must_draw_to_12: bool
    double_two_cards_only: bool
    low_ace_on_double: bool
    burn_new_dealer: bool
    rescue_below: int
    takes_all_splits: bool  # dealer blackjack takes every split wager
    insurance_rounds_up: bool
    side: str
    max_hands: int  # 0: the operator decides
    cut_margin: int  # cards between the cut and either end


_MD = Book(
    name="md-pontoon21",
    boxes=(7, 8),
    decks=(6, 8),
    bettors=1,
    draws_soft_17=False,
    pays_21_at_once=False,
    bonus_on_split=False,
    early_surrender=False,
    aces_split_once=False,
    must_draw_to_12=False,
    double_two_cards_only=False,
    low_ace_on_double=False,
    burn_new_dealer=True,
    rescue_below=22,
    takes_all_splits=False,
    insurance_rounds_up=True,
    side="match",
    max_hands=0,
    cut_margin=12,
)
BOOKS = {
    "md-pontoon21": _MD,
    "md-spanish21": replace(_MD, name="md-spanish21", boxes=(6, 7)),
    "ma-pontoon21": replace(
        _MD, name="ma-pontoon21", boxes=(6, 7), bettors=3, bonus_on_split=True, max_hands=4, cut_margin=56
    ),
    "mbs-pontoon": Book(
        name="mbs-pontoon",
        decks=(4, 6, 8),
        boxes=(5, 7, 8),
        bettors=3,
        draws_soft_17=True,
        pays_21_at_once=True,
        bonus_on_split=True,
        early_surrender=True,
        aces_split_once=True,
        must_draw_to_12=False,
        double_two_cards_only=True,
        low_ace_on_double=True,
        burn_new_dealer=False,
        rescue_below=21,
        takes_all_splits=True,
        insurance_rounds_up=False,
        side="pair",
        max_hands=4,
        cut_margin=56,
    ),
    "div15-pontoon": Book(
        name="div15-pontoon",
        decks=(4, 6, 8),
        boxes=(6, 7),
        bettors=3,
        draws_soft_17=True,
        pays_21_at_once=True,
        bonus_on_split=True,
        early_surrender=True,
        aces_split_once=True,
        must_draw_to_12=True,
        double_two_cards_only=False,
        low_ace_on_double=True,
        burn_new_dealer=False,
        rescue_below=22,
        takes_all_splits=False,
        insurance_rounds_up=False,
        side="",
        max_hands=3,
        cut_margin=56,
    ),
}


@dataclass(frozen=True)
class Table:
    """One table of the floor with its rulebook and options."""

    id: str
    book: Book
    decks: int
    boxes: int
    min_cents: int
    max_cents: int
    chip_cents: int
    increment_cents: int
    hole_card: bool
    reader: bool
    burns_first: bool
    right_to_left: bool
    max_hands: int
    resplit_aces: bool
    side: bool
    bettors: int
    match_min_cents: int
    match_max_cents: int
    shuffle: str

    @property
    def cards(self) -> int:
        """Cards in a full shoe."""
        return 48 * self.decks

    def match_odds(self, suited: bool) -> int:
        """Return what one matching card pays to 1."""
        if self.book.name == "md-spanish21" and self.decks == 6:
            return 9 if suited else 4
        return 12 if suited else 3


def make_table(index: int, seed: int) -> Table:
    """Return the index-th table of the floor; rulebooks go round in turn."""
    name = list(BOOKS)[index % len(BOOKS)]
    book = BOOKS[name]
    rng = random.Random(f"{seed}/table/{index}")
    md, ma = name.startswith("md"), name.startswith("ma")
    hole = md or (ma and rng.random() < 0.6)
    return Table(
        id=f"{name.split('-')[0].upper()}{name.split('-')[1][0].upper()}-{index + 1:02d}",
        book=book,
        decks=rng.choice(book.decks),
        boxes=rng.choice(book.boxes),
        min_cents=rng.choice((1000, 1500, 2500)),
        max_cents=rng.choice((50000, 100000, 200000)),
        chip_cents=rng.choice((50, 100, 250)),
        increment_cents=500,
        hole_card=hole,
        reader=md or (hole and rng.random() < 0.6),
        burns_first=rng.random() < 0.5 if name == "div15-pontoon" else True,
        right_to_left=md and rng.random() < 0.5,
        max_hands=book.max_hands or rng.choice((2, 3, 4)),
        resplit_aces=not book.aces_split_once and (ma or rng.random() < 0.5),
        side=bool(book.side) and rng.random() < 0.8,
        bettors=book.bettors and min(book.bettors, rng.choice((1, 2, 3, 3))),
        match_min_cents=500,
        match_max_cents=10000,
        shuffle="manual" if ma or rng.random() < 0.5 else "machine",
    )


def _options(table: Table) -> list[str]:
    """Return the [table.options] lines of floor.toml that the table's rulebook allows."""
    flag = {True: "true", False: "false"}
    name = table.book.name
    lines = ["bonus_spin = false", "bsx16 = false"] if not name.startswith(("mbs", "div15")) else []
    if name.startswith("ma"):
        lines += [f"hole_card = {flag[table.hole_card]}", f"card_reader = {flag[table.reader]}"]
    if table.reader:
        lines.append("reader_reveals_hole_card = false")
    if name.startswith("md"):
        order = "right-to-left" if table.right_to_left else "collect-then-pay"
        lines += [
            f"max_hands_per_box = {table.max_hands}",
            f"resplit_aces = {flag[table.resplit_aces]}",
            f'settle_order = "{order}"',
        ]
    if table.book.side:
        lines.append(f"{table.book.side} = {flag[table.side]}")
    if table.book.side == "match" and table.side:
        lines += [f"match_min_cents = {table.match_min_cents}", f"match_max_cents = {table.match_max_cents}"]
    if table.book.bettors > 1:
        lines.append(f"bettors_per_box = {table.bettors}")
    if name.startswith("div15"):
        lines.append(f"burn_first_card = {flag[table.burns_first]}")
    if not name.startswith("mbs"):
        lines.append('mid_shoe_entry = "allow"')
    return [*lines, f"min_increment_cents = {table.increment_cents}"]


def floor_toml(tables: list[Table]) -> str:
    """Return the text of floor.toml for these tables."""
    parts = [
        '[property]\nname = "Adversary Casino"\ntimezone = "America/New_York"\ngaming_day_starts = "06:00"\n'
        'shifts = { day = "06:00", swing = "14:00", grave = "22:00" }\n\n'
        '[audit]\ncertainty = 0.99\nbackdated_grace = "next-bets-closed"\nseverity_cents = { USD = [2500, 50000] }\n'
    ]
    for t in tables:
        head = (
            f'[[table]]\nid = "{t.id}"\nfrom = 2026-01-01\nrulebook = "{t.book.name}"\n'
            f'decks = {t.decks}\nboxes = {t.boxes}\ncurrency = "USD"\nmin_cents = {t.min_cents}\n'
            f"max_cents = {t.max_cents}\nchip_unit_cents = {t.chip_cents}\n"
        )
        parts.append(head + "\n[table.options]\n" + "\n".join(_options(t)) + "\n")
    return "\n".join(parts)
