"""The players' decisions, box by box."""

from tests.adversary.cards import STRONG, VALUE
from tests.adversary.finish import win_odds
from tests.adversary.people import choose
from tests.adversary.state import Box, Hand, Round, Wager


def play_boxes(r: Round) -> None:
    """Play every box in turn."""
    for box in r.boxes:
        play_box(r, box)
        if r.up is None:
            r.take_dealer_card()
    for box in r.boxes:
        for hand in box.hands:
            if hand.late_hit:
                deal_late_hit(r, box, hand)


def play_box(r: Round, box: Box) -> None:
    """Play one box, hand by hand."""
    if box.dead or all(b.surrendered for b in box.bettors):
        return
    hand = box.hands[0]
    if len(hand.cards) == 1:
        play_single_card(r, box, hand)
    if hand.paid:
        return
    if hand.blackjack():
        if not r.table.book.name.startswith("ma") and r.up_rank not in STRONG:
            for b in box.bettors:
                r.settle(box, b.main, b.main.cents * 3 // 2, 0)
            hand.paid = True
            r.clear(hand)
        return
    i = 0
    while i < len(box.hands):
        play_hand(r, box, box.hands[i])
        i += 1


def play_single_card(r: Round, box: Box, hand: Hand) -> None:
    """Let a box that holds one card draw its second card in turn (mbs 5.16.1)."""
    if r.plan.variant == "hit":
        r.decide(box, hand, "hit")
    r.give(box, hand)


def legal_actions(r: Round, box: Box, hand: Hand) -> set[str]:
    """Return the actions open to the hand besides hitting."""
    t, book = r.table, r.table.book
    points, soft = hand.total()
    legal = {"stand"} if not book.must_draw_to_12 or points >= 12 else set()
    if box.hit_stand_only:
        return legal
    faces = hand.faces()
    if len(faces) == 2:
        if not book.early_surrender and not hand.split:
            legal.add("surrender")
        aces = faces[0][0] == "A"
        again = not hand.split or (box.covers_all and (not aces or t.resplit_aces))
        if VALUE[faces[0][0]] == VALUE[faces[1][0]] and len(box.hands) < t.max_hands and again:
            legal.add("split")
    late_ace = book.name == "div15-pontoon" and soft and any(f[0] == "A" for f in faces[1 if hand.split else 2 :])
    if (
        not (book.double_two_cards_only and len(faces) > 2)
        and not late_ace
        and double_limits(r, box.bettors[0].main.cents)
    ):
        legal.add("double")
    return legal


def double_limits(r: Round, main: int) -> tuple[int, int] | None:
    """Return the smallest and largest double wager in cents, or None where there is none."""
    low = r.table.min_cents if r.table.book.name == "mbs-pontoon" else r.table.increment_cents
    return (low, main) if low <= main else None


def play_hand(r: Round, box: Box, hand: Hand) -> None:
    """Play one hand to its end."""
    style = box.bettors[0].style
    while True:
        if len(hand.cards) == 1:
            once = hand.split_aces and r.table.book.aces_split_once
            r.give(box, hand, sideways=once and r.table.book.name == "div15-pontoon")
            if once:
                finish_21(r, box, hand)
                return
        points, soft = hand.total()
        if points > 21:
            bust(r, box, hand)
            return
        if points == 21:
            if not finish_21(r, box, hand) and r.dealer.stands_on_21:
                r.decide(box, hand, "stand")
            return
        faces = hand.faces()
        rank = faces[0][0] if len(faces) == 2 else "-"
        action = choose(style, rank, points, soft, r.up_rank or "6", legal_actions(r, box, hand), r.rng)
        if action == "hit":
            if hit(r, box, hand):
                return
        elif action == "double":
            double(r, box, hand)
            return
        elif action == "split":
            split(r, box, hand)
        elif action == "surrender":
            surrender(r, box, hand)
            return
        else:
            stand(r, box, hand)
            return


def stand(r: Round, box: Box, hand: Hand) -> None:
    """Key a stand; the misdeal that deals one more card to the hand happens here."""
    r.decide(box, hand, "stand")
    if r.has("extra-to-box", "after-stand") and r.hits >= r.plan.at:
        r.plan.done, r.plan.seat = True, box.seat
        r.plan.note = f"a card dealt to hand {hand.number} after it stood, counted in the hand"
        r.give(box, hand)
        if hand.total()[0] > 21:
            bust(r, box, hand)
        else:
            finish_21(r, box, hand)


def hit(r: Round, box: Box, hand: Hand) -> bool:
    """Deal a requested card; return whether the hand is over in spite of its total."""
    r.hits += 1
    ready = r.hits >= r.plan.at
    if ready and r.has("extra-discarded", "play"):
        r.plan.done, r.plan.note = True, f"extra card discarded before hit {r.hits}"
        r.discard_extra()
    if ready and r.has("hit-not-dealt") and hand.total()[0] >= 12:
        return miss_hit(r, box, hand)
    if r.rng.random() < r.dealer.draws_before_keying:
        r.give(box, hand)
        r.decide(box, hand, "hit")
    else:
        r.decide(box, hand, "hit")
        r.give(box, hand)
    if ready and r.has("extra-to-box", "two-at-a-hit") and hand.total()[0] < 21:
        r.plan.done, r.plan.seat = True, box.seat
        r.plan.note = f"two cards for one hit on hand {hand.number}"
        r.give(box, hand)
    return False


def miss_hit(r: Round, box: Box, hand: Hand) -> bool:
    """Key a hit without dealing its card; return whether the hand is over."""
    p = r.plan
    p.done, p.seat = True, box.seat
    r.decide(box, hand, "hit")
    if p.variant == "later":
        hand.late_hit = True
        p.note = f"hit on hand {hand.number} not dealt; card given after the other boxes"
        return True
    if p.variant == "passed":
        p.note = f"hit on hand {hand.number} not dealt; box passed over, hand counts as it is"
        return True
    p.note = f"hit on hand {hand.number} not dealt; player went on with the same cards"
    return False


def deal_late_hit(r: Round, box: Box, hand: Hand) -> None:
    """Give the card of a missed hit after all other boxes have played."""
    r.give(box, hand)
    if hand.total()[0] > 21:
        bust(r, box, hand)
    elif not finish_21(r, box, hand) and hand.total()[0] < 21:
        r.decide(box, hand, "stand")


def bust(r: Round, box: Box, hand: Hand) -> None:
    """Mark the hand bust, and take its wagers at once where the dealer or the book does so."""
    playing = box.in_play(hand)
    hand.bust = True
    if r.dealer.takes_busts_at_once or r.table.book.name == "div15-pontoon":
        for b in playing:
            for w in hand.stakes[b]:
                r.settle(box, w, 0, w.cents)
    if playing == list(hand.stakes):
        r.clear(hand)


def finish_21(r: Round, box: Box, hand: Hand) -> bool:
    """Pay a 21 at once where the book says so; return whether it was paid."""
    if not r.table.book.pays_21_at_once or hand.total()[0] != 21:
        return False
    for b in box.in_play(hand):
        num, den = win_odds(r, hand, b)
        for w in hand.stakes[b]:
            r.settle(box, w, w.cents * num // den, 0)
    surrendered = [b for b in hand.stakes if box.bettor(b).surrendered]
    if surrendered:
        hand.stakes = {b: hand.stakes[b] for b in surrendered}
    else:
        hand.paid = True
        r.clear(hand)
    return True


def double(r: Round, box: Box, hand: Hand) -> None:
    """Take the double wagers, deal one card, and offer rescue."""
    doublers, wagers = [], []
    for b in sorted(hand.stakes):
        bettor = box.bettor(b)
        limits = double_limits(r, bettor.main.cents)
        if limits and (b == 1 or r.rng.random() < 0.6):
            less = r.rng.random() < 0.12
            cents = r.rng.randrange(limits[0], limits[1] + 1, 500) if less else limits[1]
            wagers.append(Wager(b, "double", hand.number, cents))
            doublers.append(b)
    some = doublers if len(doublers) < len(box.bettors) else None
    if not r.dealer.wager_first:
        r.decide(box, hand, "double", some)
    for w in wagers:
        r.bet(box, w)
        hand.stakes[w.bettor].append(w)
    if r.dealer.wager_first:
        r.decide(box, hand, "double", some)
    hand.doubled = True
    if r.table.book.low_ace_on_double:
        first = hand.faces()[: 1 if hand.split and r.table.book.name == "div15-pontoon" else 2]
        hand.low_aces = sum(f[0] == "A" for f in first)
    r.give(box, hand, sideways=True)
    points, _ = hand.total()
    if points > 21:
        bust(r, box, hand)
    elif not finish_21(r, box, hand):
        rescue(r, box, hand, doublers, points)


def rescue(r: Round, box: Box, hand: Hand, doublers: list[int], points: int) -> None:
    """Let doublers take the double back where the total is poor and the book allows it."""
    if points >= min(17, r.table.book.rescue_below):
        return
    takers = [b for b in doublers if r.rng.random() < box.bettor(b).style.rescue]
    if not takers:
        return
    r.decide(box, hand, "rescue", takers if len(box.bettors) > 1 else None)
    hand.rescued.update(takers)
    if r.table.book.pays_21_at_once and r.dealer.takes_busts_at_once:
        for b in takers:
            base, doubled = hand.stakes[b]
            r.settle(box, base, 0, base.cents)
            r.settle(box, doubled, 0, 0)


def split(r: Round, box: Box, hand: Hand) -> None:
    """Split the hand; other bettors cover the new hand or put their wager on one of the two."""
    new = Hand(box.next_number, split=True)
    box.next_number += 1
    first_split = not hand.split
    hand.split = True
    hand.split_aces = new.split_aces = hand.cards[0].card[0] == "A"
    wagers, moves = [], []
    for b in list(hand.stakes):
        if b > 1 and first_split and r.rng.random() < 0.35:
            to = hand if r.table.book.name == "mbs-pontoon" or r.rng.random() < 0.5 else new
            moves.append((b, to))
            box.covers_all = False
        else:
            wagers.append(Wager(b, "split", new.number, box.bettor(b).main.cents))
    if not r.dealer.wager_first:
        r.decide(box, hand, "split")
    for w in wagers:
        r.bet(box, w)
        new.stakes[w.bettor] = [w]
    if r.dealer.wager_first:
        r.decide(box, hand, "split")
    for b, to in moves:
        r.tape.key("assign", round=r.id, seat=box.seat, bettor=b, hand=to.number)
        if to is new:
            new.stakes[b] = hand.stakes.pop(b)
            new.stakes[b][0].hand = new.number
    moved = hand.cards.pop()
    new.cards.append(moved)
    r.tape.sight(moved, f"seat{box.seat}.hand{new.number}", 1)
    box.hands.insert(box.hands.index(hand) + 1, new)


def surrender(r: Round, box: Box, hand: Hand) -> None:
    """Key a surrender in turn (md, ma) and settle it at once against 2 to 9."""
    r.decide(box, hand, "surrender")
    for b in box.bettors:
        b.surrendered = True
        if r.up_rank not in STRONG:
            r.settle(box, b.main, 0, b.main.cents // 2)
