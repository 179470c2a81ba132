"""The initial deal and what follows it before any player acts: side wagers, insurance, reader, surrender."""

from tests.adversary.cards import STRONG, TEN_VALUE
from tests.adversary.misdeals import edit_targets, finish_initial
from tests.adversary.state import Box, Hand, Round, Wager

DEALER, DISCARD = 0, -1


def initial_targets(r: Round) -> list[int]:
    """Return who gets the cards of the initial deal, in order."""
    seats = [b.seat for b in r.boxes]
    return [*seats, DEALER, *seats] + ([DEALER] if r.table.hole_card else [])


def deal(r: Round) -> None:
    """Close the bets and deal the first cards."""
    r.tape.key("bets_closed", round=r.id)
    if r.has("late-wager"):
        late = next(b for b in r.boxes if b.seat == r.plan.seat)
        r.bet(late, late.bettors[0].main)
        r.plan.done = True
    by_seat = {b.seat: b for b in r.boxes}
    for box in r.boxes:
        hand = Hand(1, stakes={b.number: [b.main] for b in box.bettors})
        box.hands.append(hand)
    for target in edit_targets(r, initial_targets(r)):
        if target == DEALER:
            r.take_dealer_card(face_down=bool(r.dealer_cards))
        elif target == DISCARD:
            r.discard_extra()
        elif target in by_seat:
            r.give(by_seat[target], by_seat[target].hands[0])
        else:
            card = r.draw()
            stray = r.strays.setdefault(target, [])
            stray.append(card)
            r.tape.sight(card, f"seat{target}.hand1", len(stray))
    finish_initial(r)


def settle_match(r: Round) -> None:
    """Settle match wagers: in Maryland box by box from the right, in Massachusetts losers before winners."""
    due: list[tuple[Box, Wager, int, int]] = []
    up = r.up.card if r.up else "--"
    for box in reversed(r.boxes):
        for b in box.bettors:
            if b.side and not box.dead:
                same = [c.card[1] == up[1] for c in box.hands[0].cards[:2] if c.card[0] == up[0]]
                paid = sum(r.table.match_odds(suited) * b.side.cents for suited in same)
                due.append((box, b.side, paid, 0 if paid else b.side.cents))
    if r.table.book.name == "ma-pontoon21":
        due.sort(key=lambda d: d[2] > 0)
    for box, wager, paid, taken in due:
        r.settle(box, wager, paid, taken)


def settle_pair(r: Round) -> None:
    """Settle pair wagers by the rank of the first two cards."""
    for box in r.boxes:
        for b in box.bettors:
            if b.side and not box.dead:
                first, second = box.hands[0].cards[:2]
                pair = first.card[0] == second.card[0]
                r.settle(box, b.side, 11 * b.side.cents if pair else 0, 0 if pair else b.side.cents)


def pay_pontoons(r: Round) -> None:
    """Pay two-card 21s at once where the book says so."""
    for box in r.boxes:
        hand = box.hands[0]
        if not box.dead and hand.blackjack():
            for b in box.bettors:
                r.settle(box, b.main, b.main.cents * 3 // 2, 0)
            hand.paid = True
            r.clear(hand)


def insurance_limit(r: Round, main: int) -> int:
    """Return the largest insurance wager beside a main wager of main cents."""
    chip, half = r.table.chip_cents, main // 2
    if half % chip == 0:
        return half
    return half // chip * chip + (chip if r.table.book.insurance_rounds_up else 0)


def take_insurance(r: Round) -> None:
    """Offer insurance under an ace."""
    if r.dealer.logs_offers:
        r.tape.key("offer", round=r.id, what="insurance", state="open")
    for box in r.boxes:
        hand = box.hands[0]
        if box.dead or len(hand.cards) < 2 or (r.table.book.pays_21_at_once and hand.blackjack()):
            continue
        for b in box.bettors:
            excess = r.has("insurance-excess") and not box.dead
            if not excess and r.rng.random() >= b.style.insure:
                continue
            limit = insurance_limit(r, b.main.cents)
            chips = limit // r.table.chip_cents
            cents = limit if r.rng.random() < 0.7 else r.rng.randint((chips + 1) // 2, chips) * r.table.chip_cents
            if excess:
                cents = limit + r.table.chip_cents * r.rng.choice((2, 5, 10))
                r.plan.done, r.plan.seat = True, box.seat
                r.plan.variant, r.plan.note = str(b.number), f"insurance of {cents}, limit {limit}"
                r.plan.at = cents - limit
            b.insurance = Wager(b.number, "insurance", 1, cents)
            r.bet(box, b.insurance)
    if r.dealer.logs_offers:
        r.tape.key("offer", round=r.id, what="insurance", state="closed")


def settle_insurance(r: Round, won: bool) -> None:
    """Pay or take every insurance wager that is still open."""
    for box in r.boxes:
        for b in box.bettors:
            w = b.insurance
            if not w or w.closed:
                continue
            r.settle(box, w, 2 * w.cents if won else 0, 0 if won else w.cents)
            note_insurance_excess(r, box, w, won)


def note_insurance_excess(r: Round, box: Box, w: Wager, won: bool) -> None:
    """Record what a settled excess of insurance cost."""
    p = r.plan
    if p.name == "insurance-excess" and p.done and p.seat == box.seat and p.variant == str(w.bettor):
        p.errors[box.seat] = 2 * p.at if won else -p.at


def early_surrender(r: Round) -> None:
    """Offer surrender to all boxes before any further card (mbs, div15)."""
    if r.dealer.logs_offers:
        r.tape.key("offer", round=r.id, what="surrender", state="open")
    for box in r.boxes:
        hand = box.hands[0]
        if box.dead or hand.paid or len(hand.cards) < 2:
            continue
        points, soft = hand.total()
        tempted = [b for b in box.bettors if not soft and 13 <= points <= 17 and r.rng.random() < b.style.surrender]
        if not tempted:
            continue
        if r.table.book.name == "div15-pontoon":
            if tempted[0].number != 1:
                continue
            tempted = box.bettors
        some = [b.number for b in tempted] if len(tempted) < len(box.bettors) else None
        r.decide(box, hand, "surrender", some)
        for b in tempted:
            b.surrendered = True
        box.hit_stand_only = bool(some)
    if r.dealer.logs_offers:
        r.tape.key("offer", round=r.id, what="surrender", state="closed")


def before_play(r: Round) -> bool:
    """Do everything between the initial deal and the players' decisions.

    Returns whether the dealer's blackjack ends the round.
    """
    book, up = r.table.book, r.up_rank
    if book.pays_21_at_once:
        steps = [pay_pontoons, settle_pair] if r.dealer.from_right else [settle_pair, pay_pontoons]
        for step in steps:
            step(r)
    else:
        settle_match(r)
    if up == "A":
        take_insurance(r)
    if up in STRONG and up and book.early_surrender:
        early_surrender(r)
    if r.table.reader and up in STRONG:
        hole = r.dealer_cards[1].card[0]
        ends = (up == "A" and hole in TEN_VALUE) or (up != "A" and hole == "A")
        r.tape.device("hole_card_check", result="blackjack" if ends else "no-blackjack")
        if ends:
            return True
        if book.name != "ma-pontoon21":
            settle_insurance(r, won=False)
    return False
