"""Self-check of a clean round's money: amounts, moments and order of settlement."""

from collections import Counter

from tests.adversary.check_rules import H, Line, Replay, points, settled

Key = tuple[int, int, str, int]


def bonus(cards: list[str]) -> float:
    """Return what a winning 21 pays to 1 by its cards."""
    ranks, suits = "".join(sorted(c[0] for c in cards)), {c[1] for c in cards}
    if ranks in ("678", "777"):
        return 1.5 if len(suits) > 1 else 3.0 if suits == {"S"} else 2.0
    return {5: 1.5, 6: 2.0}.get(len(cards), 3.0 if len(cards) > 6 else 1.0)


def stakes(p: Replay) -> dict[tuple[int, int], dict[int, dict[str, int]]]:
    """Return by (seat, bettor) and hand the base and double stakes; the base's kind is part of the answer."""
    out: dict[tuple[int, int], dict[int, dict[str, int]]] = {}
    moved = {(a["seat"], a["bettor"]): a["hand"] for a in p.assigns}
    for w in p.wagers:
        if w["kind"] in ("main", "split", "double"):
            hand = moved.get((w["seat"], w["bettor"]), 1) if w["kind"] == "main" else w["hand"]
            out.setdefault((w["seat"], w["bettor"]), {}).setdefault(hand, {})[w["kind"]] = w["cents"]
    return out


def main_due(p: Replay) -> Counter[Key]:
    """Return what main, split and double wagers have to net."""
    due: Counter[Key] = Counter()
    dealer = [c for c, _ in p.dealer]
    theirs = points(dealer)[0]
    natural = len(dealer) == 2 and theirs == 21
    for (seat, bettor), by_hand in stakes(p).items():
        original_gone = False
        for h in p.hands[seat]:
            if h.number not in by_hand:
                continue
            kinds = by_hand[h.number]
            lost = result(p, seat, bettor, h, kinds, theirs, natural, due)
            if lost:
                base = next(k for k in kinds if k != "double")
                if natural and original_gone and not p.book.startswith("mbs"):
                    continue
                original_gone = True
                due[seat, bettor, base, h.number] -= kinds[base]
                if not natural and "double" in kinds:
                    due[seat, bettor, "double", h.number] -= kinds["double"]
    return due


def result(
    p: Replay, seat: int, bettor: int, h: H, kinds: dict[str, int], theirs: int, natural: bool, due: Counter[Key]
) -> bool:
    """Book a hand's result unless it loses to the dealer's total; return whether it does."""
    base = next(k for k in kinds if k != "double")
    mine = h.value()
    if (seat, bettor) in p.surrendered:
        due[seat, bettor, base, h.number] -= kinds[base] if natural else kinds[base] // 2
        return False
    if mine > 21 or bettor in h.rescued:
        for k, cents in kinds.items():
            due[seat, bettor, k, h.number] -= cents if mine > 21 or k == base else 0
        return False
    two = len(h.cards) == 2
    if mine == 21 and (p.at_once or h.natural() or (two and p.book.startswith("ma"))):
        wins = 1
    elif mine == theirs == 21:
        wins = -1 if natural and not two else 0 if two else 1
    else:
        wins = 1 if theirs > 21 or mine > theirs else 0 if mine == theirs else -1
    if wins > 0:
        rate = 1.5 if h.natural() else 1.0
        plain = h.doubled and ("double" in kinds or p.book.startswith("mbs"))
        if mine == 21 and not h.natural() and not plain and not (h.split and p.book.startswith("md")):
            rate = bonus(h.faces)
        for k, cents in kinds.items():
            due[seat, bettor, k, h.number] += int(cents * rate)
    return wins < 0


def side_due(p: Replay) -> Counter[Key]:
    """Return what insurance, match and pair wagers have to net."""
    due: Counter[Key] = Counter()
    up = p.dealer[0][0]
    suited, plain = (9, 4) if p.book == "md-spanish21" and p.table["decks"] == 6 else (12, 3)
    for w in p.wagers:
        seat, cents = w["seat"], w["cents"]
        first = None
        if w["kind"] == "match":
            first = initial(p, seat)
            won = sum(suited if c == up else plain for c in first if c[0] == up[0])
            due[seat, w["bettor"], "match", 1] = won * cents or -cents
        elif w["kind"] == "pair":
            first = initial(p, seat)
            due[seat, w["bettor"], "pair", 1] = 11 * cents if first[0][0] == first[1][0] else -cents
        elif w["kind"] == "insurance":
            due[seat, w["bettor"], "insurance", 1] = 2 * cents if p.dealer[1][0][0] in "JQK" else -cents
            limit = -(-p.main[seat, w["bettor"]] // 2)
            chip = p.table["chip_unit_cents"]
            if not p.at_once:
                limit = -(-limit // chip) * chip
            if up[0] != "A" or cents > limit or not p.initial_ms < w["ms"] < p.later_ms:
                p.say("insurance not open or too high")
    return due


def initial(p: Replay, seat: int) -> list[str]:
    """Return the first two cards of a box."""
    n, i = len(p.seats), p.seats.index(seat)
    return [p.draws[i]["card"], p.draws[n + 1 + i]["card"]]


def check_money(p: Replay) -> None:
    """Compare the settlements with what is due, and their moments with what is prescribed."""
    due = main_due(p)
    due.update(side_due(p))
    wanted = {k: v for k, v in due.items() if v}
    actual = dict(settled(p.settles))
    for k in sorted(set(wanted) | set(actual)):
        if wanted.get(k, 0) != actual.get(k, 0):
            p.say(f"{k}: settled {actual.get(k, 0)}, due {wanted.get(k, 0)}")
    check_moments(p)


def next_draw_ms(p: Replay, after: int) -> int:
    """Return the true time of the first draw after a moment."""
    return next((x["ms"] for x in p.draws if x["ms"] > after), 1 << 60)


def check_moments(p: Replay) -> None:
    """Check each settlement's moment."""
    final: list[Line] = []
    read_ms = p.reader[0]["ms"] if p.reader else p.initial_ms
    shown_ms = p.dealer[1][1] if len(p.dealer) > 1 else 1 << 60
    if p.hole:
        shown_ms = max(shown_ms, p.players_done)
    third_ms = p.dealer[2][1] if len(p.dealer) > 2 else 1 << 60
    sides = [x for x in p.settles if x["kind"] in ("match", "pair")]
    for x in p.settles:
        low, high, kind = p.initial_ms, 1 << 60, x["kind"]
        h = next(h for h in p.hands[x["seat"]] if h.number == x["hand"])
        paid = x["paid_cents"] > 0
        if not paid and not x["taken_cents"]:
            continue
        surrender_ms = p.surrendered.get((x["seat"], x["bettor"]))
        if kind in ("match", "pair"):
            high = min([p.later_ms, *(r["ms"] for r in p.reader), *(d["ms"] for d in p.decisions)])
        elif kind == "insurance" and not paid and p.book.startswith("md"):
            low, high = read_ms, p.later_ms
        elif kind == "insurance" and not paid:
            low, high = shown_ms, third_ms
        elif kind == "insurance":
            low = shown_ms if p.reader == [] else read_ms
            final.append(x)
        elif surrender_ms and p.book[:2] in ("md", "ma") and p.up not in "AJQK":
            low, high = surrender_ms, next_draw_ms(p, surrender_ms)
        elif surrender_ms and p.book.startswith("ma"):
            low, high = shown_ms, third_ms
        elif h.natural() and (p.at_once or (p.book.startswith("md") and p.up not in "AJQK")):
            high = p.later_ms if p.at_once else next_decision_ms(p, x["seat"])
        elif h.value() == 21 and p.at_once and not surrender_ms:
            low, high = h.done_ms, next_draw_ms(p, h.done_ms)
        elif h.value() > 21:
            low, high = h.done_ms, next_draw_ms(p, h.done_ms) if p.book.startswith("div15") else 1 << 60
        elif x["bettor"] in h.rescued and p.at_once:
            low = h.done_ms
        else:
            low = max(p.players_done, *(ms for _, ms in p.dealer))
            final.append(x)
        if not low < x["ms"] < high:
            p.say(f"{kind} of seat {x['seat']} settled at the wrong moment")
    check_order(p, final, sides)


def next_decision_ms(p: Replay, seat: int) -> int:
    """Return the time of the first decision of a later box."""
    return next((d["ms"] for d in p.decisions if d["seat"] > seat), 1 << 60)


def check_order(p: Replay, final: list[Line], sides: list[Line]) -> None:
    """Check the order of the final settlement and of match wagers."""
    pays = [x["paid_cents"] > 0 for x in final]
    right = [-x["seat"] for x in final]
    if p.book.startswith("md") and p.options["settle_order"] == "right-to-left":
        if right != sorted(right):
            p.say("final settlement not from the right")
    elif p.book[:2] in ("md", "ma") and pays != sorted(pays):
        p.say("paid before collected")
    matches = [x for x in sides if x["kind"] == "match"]
    if p.book.startswith("md") and [-x["seat"] for x in matches] != sorted(-x["seat"] for x in matches):
        p.say("match not settled from the right")
    if p.book.startswith("ma") and [x["paid_cents"] > 0 for x in matches] != sorted(
        x["paid_cents"] > 0 for x in matches
    ):
        p.say("match paid before collected")
