"""The dealer's hand and the final settlement."""

from tests.adversary.cards import STRONG, bonus_odds
from tests.adversary.deal import note_insurance_excess, settle_insurance
from tests.adversary.shoe import Retry
from tests.adversary.state import Box, Hand, Round, Wager

Entry = tuple[Box, Wager, int, int]


def win_odds(r: Round, hand: Hand, bettor: int) -> tuple[int, int]:
    """Return the odds for a win of this bettor on this hand."""
    book = r.table.book
    if hand.blackjack():
        return 3, 2
    if hand.total()[0] != 21 or (hand.split and not book.bonus_on_split):
        return 1, 1
    if hand.doubled and (len(hand.stakes[bettor]) > 1 or book.name == "mbs-pontoon"):
        return 1, 1
    return bonus_odds(hand.faces())


def can_still_change(r: Round, hand: Hand, known: bool) -> bool:
    """Tell whether the dealer's further cards matter to a live hand; known: a dealer blackjack is excluded or shown."""
    if hand.blackjack():
        return False
    if hand.total()[0] < 21:
        return True
    two_cards = len(hand.cards) == 2
    if r.table.book.name.startswith("md"):
        return two_cards
    return not known and r.up_rank in STRONG and not two_cards


def live(r: Round, known: bool) -> bool:
    """Tell whether any hand still depends on the dealer's cards."""
    return any(can_still_change(r, hand, known) for box in r.boxes for hand in box.hands if box.in_play(hand))


def waits_for_second(r: Round) -> bool:
    """Tell whether an insurance wager or a surrender waits for the dealer's second card."""
    for box in r.boxes:
        for b in box.bettors:
            if (b.insurance and not b.insurance.closed) or (b.surrendered and not b.main.closed):
                return True
    return False


def dealer_plays(r: Round) -> None:
    """Complete the dealer's hand as the book says."""
    if r.has("extra-discarded", "dealer"):
        r.plan.done, r.plan.note = True, "extra card discarded before the dealer's hand"
        r.discard_extra()
    if len(r.dealer_cards) == 1:
        if not (live(r, known=False) or waits_for_second(r) or r.dealer.deals_idle_second):
            return
        r.take_dealer_card()
    else:
        r.show_hole_card()
    after_second(r)
    draws = live(r, known=True)
    while draws:
        points, soft = r.dealer_total()
        if points > 17 or (points == 17 and not (soft and r.table.book.draws_soft_17)):
            break
        if r.has("dealer-short") and points >= 12:
            r.plan.done, r.plan.note = True, f"dealer stopped at {points}"
            return
        r.take_dealer_card()
    if draws and r.has("dealer-overdraw") and r.dealer_total()[0] <= 21:
        r.plan.done, r.plan.note = True, f"dealer drew on {r.dealer_total()[0]}; card discarded, earlier total counted"
        r.discard_extra()


def after_second(r: Round) -> None:
    """Settle what is due when the dealer's second card shows and before further cards."""
    blackjack = r.dealer_blackjack()
    if not blackjack:
        settle_insurance(r, won=False)
    if r.table.book.name != "ma-pontoon21":
        return
    for box in r.boxes:
        for b in box.bettors:
            if b.surrendered and not b.main.closed:
                r.settle(box, b.main, 0, b.main.cents if blackjack else b.main.cents // 2)


def compare(r: Round, hand: Hand) -> int:
    """Return 1, 0 or -1: the hand wins, ties or loses against the dealer's cards."""
    if hand.blackjack():
        return 1
    mine, theirs = hand.total()[0], r.dealer_total()[0]
    if theirs > 21 or mine > theirs:
        return 1
    if mine < theirs:
        return -1
    if mine < 21:
        return 0
    if len(hand.cards) == 2:
        return 0 if r.table.book.name.startswith("md") else 1
    return -1 if r.dealer_blackjack() else 1


def final_entries(r: Round) -> list[Entry]:
    """Return every settlement that is still due, boxes and hands in order of play."""
    entries: list[Entry] = []
    blackjack = r.dealer_blackjack()
    for box in r.boxes:
        if box.dead:
            continue
        spared: set[int] = set()  # bettors whose one original wager the dealer's blackjack has taken
        for hand in box.hands:
            for b, wagers in hand.stakes.items():
                if wagers[0].closed:
                    continue
                entries += [
                    (box, w, *due) for w, due in zip(wagers, dues(r, box, hand, b, blackjack, spared), strict=True)
                ]
        insured = [bettor.insurance for bettor in box.bettors if bettor.insurance and not bettor.insurance.closed]
        entries += [(box, wager, 2 * wager.cents, 0) for wager in insured]
    return entries


def dues(r: Round, box: Box, hand: Hand, b: int, blackjack: bool, spared: set[int]) -> list[tuple[int, int]]:
    """Return (paid, taken) for the bettor's base wager and double wager on a hand."""
    wagers = hand.stakes[b]
    base = wagers[0].cents
    back = [(0, 0)] * (len(wagers) - 1)
    if box.bettor(b).surrendered:
        return [(0, base if blackjack else base // 2)]
    if hand.bust:
        return [(0, w.cents) for w in wagers]
    if b in hand.rescued:
        return [(0, base), *back]
    result = compare(r, hand)
    if result > 0:
        num, den = win_odds(r, hand, b)
        return [(w.cents * num // den, 0) for w in wagers]
    if result == 0:
        return [(0, 0)] * len(wagers)
    if not blackjack:
        return [(0, w.cents) for w in wagers]
    if b in spared and not r.table.book.takes_all_splits:
        return [(0, 0), *back]
    spared.add(b)
    return [(0, base), *back]


def arrange(r: Round, entries: list[Entry]) -> list[Entry]:
    """Put the final settlement into the prescribed order, or the dealer's own where none is prescribed."""
    name = r.table.book.name
    if name.startswith("md") and r.table.right_to_left:
        return entries[::-1]
    if name.startswith(("mbs", "div15")) and not r.dealer.takes_busts_at_once:
        return entries[::-1] if r.dealer.from_right else entries
    if r.dealer.from_right:
        entries = entries[::-1]
    return [e for e in entries if not e[2]] + [e for e in entries if e[2]]


def settle_final(r: Round) -> None:
    """Key the final settlement, with a payment error where one is planned, and end the round."""
    entries = arrange(r, final_entries(r))
    skipped = spoil(r, entries)
    if r.dealer.keys_late:
        r.tape.key("round_end", round=r.id)
    for i, (box, wager, paid, taken) in enumerate(entries):
        if i != skipped:
            r.settle(box, wager, paid, taken)
        if wager.kind == "insurance":
            note_insurance_excess(r, box, wager, won=True)
    if not r.dealer.keys_late:
        r.tape.key("round_end", round=r.id)


def spoil(r: Round, entries: list[Entry]) -> int:
    """Carry out a planned payment error on a winning entry; return the index of a payment left out, or -1."""
    wins = [i for i, e in enumerate(entries) if e[2] and e[1].kind != "insurance"]
    if not wins or not (r.has("overpaid") or r.has("underpaid") or r.has("not-paid")):
        return -1
    i = r.rng.choice(wins)
    box, wager, paid, taken = entries[i]
    p = r.plan
    p.done, p.seat = True, box.seat
    if p.name == "not-paid":
        p.note, p.errors[box.seat] = f"{paid} not paid", -paid
        return i
    off = max(500, paid // 4 // 100 * 100) if p.name == "overpaid" else -max(100, paid // 4 // 100 * 100)
    entries[i] = (box, wager, paid + off, taken)
    p.note, p.errors[box.seat] = f"{paid + off} paid instead of {paid}", off
    return -1


def check_exotic(r: Round) -> None:
    """Refuse rounds with three suited 7s against a dealer's 7, which are left to others to test."""
    if r.up_rank == "7":
        for box in r.boxes:
            for hand in box.hands:
                f = hand.faces()
                if len(f) >= 3 and f[0] == f[1] == f[2] and f[0][0] == "7":
                    raise Retry("super bonus")


def place_cards(r: Round) -> None:
    """Write the final zones and positions into the card records."""
    for box in r.boxes:
        for hand in box.hands:
            for i, card in enumerate(hand.cards):
                card.zone, card.position = f"seat{box.seat}.hand{hand.number}", i + 1
                card.ended = "discard" if box.dead else card.zone
    for i, card in enumerate(r.dealer_cards):
        card.zone = card.ended = "dealer"
        card.position = i + 1
    for i, card in enumerate(r.discards):
        if not card.zone:
            card.zone, card.position = "discard", i + 1
        card.ended = "discard"
