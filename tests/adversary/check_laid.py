"""Self-check of misdealt and irregular rounds: settles the cards as they lay, and compares the error by box."""

import json
from collections import Counter, defaultdict
from typing import Any

from tests.adversary.check_money import Key, main_due, side_due
from tests.adversary.check_rules import H, Line, Replay, settled

Drawn = list[tuple[str, str, int]]


class Laid(Replay):
    """A round whose hands come from the truth's zones instead of from the order of the draws."""

    def lay(self, drawn: Drawn) -> None:
        """Build the hands from the truth and mark what the decisions did to them."""
        self.initial_ms, self.later_ms = -1, 1 << 60
        zones: dict[str, list[tuple[int, str]]] = defaultdict(list)
        self.firsts: dict[int, list[str]] = defaultdict(list)
        for card, zone, pos in drawn:
            zones[zone].append((pos, card))
            if zone.startswith("seat"):
                self.firsts[int(zone[4:].split(".")[0])].append(card)
        self.dealer = [(c, 0) for _, c in sorted(zones["dealer"])]
        self.up = self.dealer[0][0][0]
        for seat in self.seats:
            mine = sorted(z for z in zones if z.startswith(f"seat{seat}."))
            self.hands[seat] = [
                H(int(z.split("hand")[1]), [(c, 0) for _, c in sorted(zones[z])], split=len(mine) > 1) for z in mine
            ]
            self.order_hands(seat)
        for d in self.decisions:
            self.mark(d)

    def order_hands(self, seat: int) -> None:
        """Put the hands into order of play: each split puts the new hand right after the old one."""
        order, number = [1], 2
        for d in self.decisions:
            if d["seat"] == seat and d["action"] == "split":
                order.insert(order.index(d["hand"]) + 1, number)
                number += 1
        self.hands[seat].sort(key=lambda h: order.index(h.number))

    def mark(self, d: Line) -> None:
        """Apply a decision's flags."""
        h = next((h for h in self.hands[d["seat"]] if h.number == d["hand"]), None)
        everyone = [b for s, b in self.main if s == d["seat"]]
        if d["action"] == "surrender":
            self.surrendered.update({(d["seat"], b): 1 for b in d.get("bettors") or everyone})
        elif h and d["action"] == "double":
            h.doubled = True
            if self.at_once:
                h.ones = sum(c[0] == "A" for c in h.faces[:2])
        elif h and d["action"] == "rescue":
            h.rescued = set(d.get("bettors") or everyone)


def error_by_box(table: dict[str, Any], lines: list[Line], drawn: Drawn, row: Line) -> tuple[dict[int, int], list[str]]:
    """Return by box what was settled beyond what is due, and complaints."""
    p = Laid(table, lines)
    p.lay(drawn)
    gone = unpaid_boxes(p, row)
    p.wagers = [w for w in p.wagers if w["seat"] not in gone]
    due: Counter[Key] = main_due(p)
    excess = row["class"] == "insurance-excess"
    due.update(side_due_laid(p, excess))
    errors: Counter[int] = Counter()
    for key, cents in settled(p.settles).items():
        errors[key[0]] += cents
    for key, cents in due.items():
        errors[key[0]] -= cents
    return {k: v for k, v in errors.items() if v}, [b for b in p.bad if not excess]


def unpaid_boxes(p: Laid, row: Line) -> set[int]:
    """Return the boxes on which nothing is due: dead, void or without a timely wager."""
    gone = {s for s in p.seats if not p.hands[s]}
    if p.book.startswith("div15"):
        gone |= {s for s in p.seats if sum(len(h.cards) for h in p.hands[s]) < 2}
    if row["class"] == "late-wager" or (row["class"] == "no-cards" and row["variant"] == "afterwards"):
        gone.add(row["seat"])
    return gone


def side_due_laid(p: Laid, excess: bool) -> Counter[Key]:
    """Return what side wagers and insurance net, insurance only up to its limit."""
    n = len(p.seats)
    cards = [{"card": c} for c in ["2S"] * (2 * n + 2)]
    for i, s in enumerate(p.seats):
        if len(p.firsts[s]) > 1:
            cards[i], cards[n + 1 + i] = {"card": p.firsts[s][0]}, {"card": p.firsts[s][1]}
    p.draws = cards
    if excess:
        chip = p.table["chip_unit_cents"]
        for w in p.wagers:
            if w["kind"] == "insurance":
                half = p.main[w["seat"], w["bettor"]] // 2
                limit = half // chip * chip if p.at_once else -(-half // chip) * chip
                w["cents"] = min(w["cents"], limit)
    return side_due(p)


def check_laid(table: dict[str, Any], lines: list[Line], drawn: Drawn, row: Line) -> list[str]:
    """Complain where the errors by box are not those of the truth."""
    found, bad = error_by_box(table, lines, drawn, row)
    told = {int(k): v for k, v in json.loads(row["error_by_box"]).items() if v}
    if found != told:
        bad.append(f"errors by box {found}, truth says {told}")
    return bad
