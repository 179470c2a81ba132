"""Misdeals that nobody logs, and the choice of what goes wrong in a round."""

import random

from tests.adversary.shoe import Retry
from tests.adversary.state import Box, Hand, Plan, Round

MISDEALS = (
    "no-first-card",
    "no-second-card",
    "no-cards",
    "dealer-missed-first",
    "extra-discarded",
    "hit-not-dealt",
    "extra-to-box",
    "exchanged",
    "unwagered-box",
)
IRREGULAR = ("overpaid", "underpaid", "not-paid", "dealer-overdraw", "dealer-short", "late-wager", "insurance-excess")
VARIANTS = {
    "no-cards": ("dead", "dead", "afterwards"),
    "extra-discarded": ("deal", "play", "dealer"),
    "hit-not-dealt": ("passed", "again", "later"),
    "extra-to-box": ("after-stand", "two-at-a-hit"),
    "exchanged": ("first", "second"),
    "unwagered-box": ("both", "first"),
    "no-first-card": ("hit", "dealt"),
    "no-second-card": ("hit", "dealt"),
}


def make_plan(name: str, boxes: list[Box], table_boxes: int, book: str, rng: random.Random) -> Plan:
    """Return a plan of that name for these boxes, or an empty one where it cannot be carried out."""
    variant = rng.choice(VARIANTS.get(name, ("",)))
    box = rng.choice(boxes)
    plan = Plan(name, box.seat, variant)
    if name in ("no-first-card", "no-second-card", "no-cards", "exchanged") and len(boxes) < 2:
        return Plan()
    if name == "no-cards" and not book.startswith(("md", "ma")):
        plan.variant = "dead"
    if name in ("no-first-card", "no-second-card", "no-cards"):
        for b in box.bettors:
            b.side = None
    if name == "exchanged":
        plan.seat = rng.choice(boxes[:-1]).seat
    if name == "unwagered-box":
        free = [s for s in range(1, table_boxes + 1) if s not in {b.seat for b in boxes}]
        if not free:
            return Plan()
        plan.seat = rng.choice(free)
    if name in ("extra-discarded", "hit-not-dealt", "extra-to-box"):
        plan.seat, plan.at = 0, rng.randint(0, 3)
    if name in ("dealer-missed-first", "dealer-overdraw", "dealer-short"):
        plan.seat = 0
    if name == "late-wager":
        if len(box.bettors) > 1:
            return Plan()
        box.bettors[0].side = None
    return plan


def edit_targets(r: Round, targets: list[int]) -> list[int]:
    """Return the initial deal's targets with the planned misdeal in them."""
    edit = _EDITS.get(r.plan.name)
    return edit(r, targets, len(r.boxes)) if edit else targets


def _catch_up(r: Round, targets: list[int], cards: int) -> list[int]:
    """Append cards for the skipped box after all other boxes have theirs, before a hole card."""
    extra = [r.plan.seat] * cards
    if r.table.hole_card:
        return [*targets[:-1], *extra, targets[-1]]
    return targets + extra


def _skip(r: Round, targets: list[int], first: bool, second: bool) -> list[int]:
    """Leave the planned box out of the first or second pass."""
    seat = r.plan.seat
    at = [i for i, t in enumerate(targets) if t == seat]
    drop = {at[0]} if first and not second else {at[1]} if second and not first else set(at)
    return [t for i, t in enumerate(targets) if i not in drop]


def _one_card(r: Round, targets: list[int], n: int) -> list[int]:
    """Skip the box in one pass; in Maryland and Massachusetts it gets its second card last."""
    first = r.plan.name == "no-first-card"
    left = _skip(r, targets, first, not first)
    r.plan.done = True
    name = r.table.book.name
    if name.startswith(("md", "ma")):
        r.plan.note = "second card dealt after all other boxes"
        return _catch_up(r, left, 1)
    r.plan.note = (
        "hand void, wagers returned" if name.startswith("div15") else f"second card taken in turn ({r.plan.variant})"
    )
    return left


def _no_cards(r: Round, targets: list[int], n: int) -> list[int]:
    """Skip the box in both passes."""
    left = _skip(r, targets, True, True)
    r.plan.done = True
    if r.plan.variant == "afterwards":
        r.plan.note = "two cards dealt after all other boxes and settled on them, though the book calls the hand dead"
        return _catch_up(r, left, 2)
    r.plan.note = "hand dead, wagers returned"
    return left


def _dealer_late(r: Round, targets: list[int], n: int) -> list[int]:
    """Leave out the dealer's first card; the dealer takes it after the players' second cards or, in mbs, later."""
    r.plan.done = True
    left = targets[:n] + targets[n + 1 :]
    if r.table.book.name == "mbs-pontoon":
        r.plan.note = "up card taken after the first box had played"
        return left
    r.plan.note = "up card taken after the players' second cards"
    return [*left[: 2 * n], 0, *left[2 * n :]]


def _extra_in_deal(r: Round, targets: list[int], n: int) -> list[int]:
    """Put one extra card into the discards during the initial deal."""
    if r.plan.variant != "deal":
        return targets
    i = r.rng.randrange(1, len(targets) + 1)
    r.plan.done, r.plan.note = True, f"extra card discarded as card {i + 1} of the initial deal"
    return [*targets[:i], -1, *targets[i:]]


def _exchange(r: Round, targets: list[int], n: int) -> list[int]:
    """Exchange the cards of two neighbouring boxes in one pass."""
    seats = targets[:n]
    i = seats.index(r.plan.seat) + (n + 1 if r.plan.variant == "second" else 0)
    out = list(targets)
    out[i], out[i + 1] = out[i + 1], out[i]
    r.plan.done = True
    r.plan.note = f"{r.plan.variant} cards of boxes {out[i + 1]} and {out[i]} exchanged"
    return out


def _unwagered(r: Round, targets: list[int], n: int) -> list[int]:
    """Deal a box without a wager in."""
    seat = r.plan.seat
    at = sum(t < seat for t in targets[:n])
    first = [*targets[:at], seat, *targets[at:n]]
    rest = targets[n + 1 :]
    second = [*rest[:at], seat, *rest[at:]] if r.plan.variant == "both" else rest
    r.plan.done = True
    r.plan.note = f"box without a wager dealt in ({r.plan.variant}), cards removed"
    return [*first, 0, *second]


_EDITS = {
    "no-first-card": _one_card,
    "no-second-card": _one_card,
    "no-cards": _no_cards,
    "dealer-missed-first": _dealer_late,
    "extra-discarded": _extra_in_deal,
    "exchanged": _exchange,
    "unwagered-box": _unwagered,
}


def finish_initial(r: Round) -> None:
    """After the initial deal, remove stray cards and mark dead hands."""
    for seat, cards in r.strays.items():
        for i, card in enumerate(cards):
            card.zone, card.position = f"seat{seat}.hand1", i + 1
            r.discards.append(card)
            r.tape.sight(card, "discard", len(r.discards))
    for box in r.boxes:
        count = len(box.hands[0].cards)
        if count == 0 or (count == 1 and r.table.book.name == "div15-pontoon"):
            box.dead = True


def check_single(box: Box, hand: Hand) -> None:
    """Refuse a two-card 21 whose second card came in turn: the texts leave open whether it is a pontoon."""
    if hand.blackjack():
        raise Retry("late pontoon")
