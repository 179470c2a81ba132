"""One whole round, from the wagers to its end."""

from tests.adversary.deal import before_play, deal
from tests.adversary.finish import check_exotic, dealer_plays, place_cards, settle_final
from tests.adversary.misdeals import check_single
from tests.adversary.play import play_boxes
from tests.adversary.state import Box, Round


def play_round(r: Round) -> None:
    """Play the round to its end; raises Retry where it would become a situation that is not produced."""
    place_wagers(r)
    r.tape.wait(800, 5000)
    if not r.table.book.name.startswith("md"):
        r.shoe.push_cut(1)
    if r.has("insurance-excess"):
        r.shoe.bring_ace(len(r.boxes))
    deal(r)
    if before_play(r):
        r.show_hole_card()
    else:
        play_boxes(r)
        dealer_plays(r)
    if r.plan.name in ("no-first-card", "no-second-card") and r.table.book.name == "mbs-pontoon":
        for box in r.boxes:
            if box.seat == r.plan.seat:
                check_single(box, box.hands[0])
    check_exotic(r)
    settle_final(r)
    place_cards(r)
    book_errors(r)


def place_wagers(r: Round) -> None:
    """Key the main and side wagers in time."""
    for box in r.boxes:
        for b in box.bettors:
            if not (r.has("late-wager") and r.plan.seat == box.seat):
                r.bet(box, b.main)
                if b.side:
                    r.bet(box, b.side)


def book_errors(r: Round) -> None:
    """Record what a round's plan cost where the book would not have honoured the box at all."""
    p = r.plan
    if not p.done:
        return
    if p.name == "late-wager" or (p.name == "no-cards" and p.variant == "afterwards"):
        box = next(b for b in r.boxes if b.seat == p.seat)
        p.errors[p.seat] = box_net(box)
        if p.name == "late-wager":
            p.note = "main wager keyed after bets closed, dealt in and settled"


def box_net(box: Box) -> int:
    """Return what the house paid less what it took on the box, in cents."""
    wagers = {id(w): w for b in box.bettors for w in (b.main, b.insurance, b.side) if w}
    for hand in box.hands:
        for ws in hand.stakes.values():
            wagers.update({id(w): w for w in ws})
    return sum(w.paid - w.taken for w in wagers.values())
