"""Self-check of one clean round: replays its lines and says what the rule texts make of them.

Shares no code with the player: totals, odds and settlements are written again from RULES.md and the originals.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

Line = dict[str, Any]
POINTS = {**{str(n): n for n in range(2, 10)}, "J": 10, "Q": 10, "K": 10}


def points(cards: list[str], aces_as_one: int = 0) -> tuple[int, bool]:
    """Return total and softness, trying every count of aces at eleven."""
    rest = sum(POINTS[c[0]] for c in cards if c[0] != "A")
    aces = sum(c[0] == "A" for c in cards)
    for elevens in range(aces - min(aces, aces_as_one), -1, -1):
        value = rest + 11 * elevens + (aces - elevens)
        if value <= 21 or elevens == 0:
            return value, elevens > 0
    return rest, False


@dataclass
class H:
    """A hand in the replay."""

    number: int
    cards: list[tuple[str, int]]
    split: bool = False
    doubled: bool = False
    rescued: set[int] = field(default_factory=set)
    done_ms: int = 0
    ones: int = 0

    @property
    def faces(self) -> list[str]:
        """The hand's cards."""
        return [c for c, _ in self.cards]

    def value(self) -> int:
        """The hand's total."""
        return points(self.faces, self.ones if self.doubled else 0)[0]

    def natural(self) -> bool:
        """Return whether the hand is a blackjack."""
        return not self.split and len(self.cards) == 2 and points(self.faces)[0] == 21 and not self.doubled


class Replay:
    """Replays a clean round and collects complaints."""

    def __init__(self, table: dict[str, Any], lines: list[Line]) -> None:
        self.book = table["rulebook"]
        self.options = table.get("options", {})
        self.table = table
        self.bad: list[str] = []
        self.draws = [x for x in lines if x["type"] == "draw"]
        self.reader = [x for x in lines if x["type"] == "hole_card_check"]
        self.wagers = [x for x in lines if x["type"] == "wager"]
        self.settles = [x for x in lines if x["type"] == "settle"]
        self.decisions = [x for x in lines if x["type"] == "decision"]
        self.assigns = [x for x in lines if x["type"] == "assign"]
        self.closed = next(x["ms"] for x in lines if x["type"] == "bets_closed")
        self.main = {(w["seat"], w["bettor"]): w["cents"] for w in self.wagers if w["kind"] == "main"}
        self.seats = sorted({s for s, _ in self.main})
        self.hole = self.book.startswith("md") or bool(self.options.get("hole_card"))
        self.has_reader = self.book.startswith("md") or bool(self.options.get("card_reader"))
        self.at_once = self.book.startswith(("mbs", "div15"))
        self.hands: dict[int, list[H]] = {}
        self.surrendered: dict[tuple[int, int], int] = {}
        self.next_draw = self.next_decision = 0

    def say(self, text: str) -> None:
        """Record a complaint."""
        self.bad.append(text)

    def take(self) -> tuple[str, int]:
        """Take the next drawn card and its true time."""
        x = self.draws[self.next_draw]
        self.next_draw += 1
        return x["card"], x["ms"]

    def run(self) -> list[str]:
        """Replay the round and return the complaints."""
        n = len(self.seats)
        first = [self.take() for _ in range(n)]
        self.dealer = [self.take()]
        second = [self.take() for _ in range(n)]
        if self.hole:
            self.dealer.append(self.take())
        self.initial_ms = self.draws[self.next_draw - 1]["ms"]
        self.later_ms = self.draws[self.next_draw]["ms"] if self.next_draw < len(self.draws) else 1 << 60
        for i, seat in enumerate(self.seats):
            self.hands[seat] = [H(1, [first[i], second[i]])]
        self.up = self.dealer[0][0][0]
        self.check_reader()
        if not (self.has_reader and self.up in "AJQK" and points([c for c, _ in self.dealer])[0] == 21):
            self.take_surrenders()
            for seat in self.seats:
                self.play(seat)
            self.players_done = max([x["ms"] for x in self.decisions] + [self.draws[self.next_draw - 1]["ms"]])
            self.play_dealer()
        else:
            self.players_done = self.initial_ms
        if self.next_draw != len(self.draws) or self.next_decision != len(self.decisions):
            draws, decisions = len(self.draws) - self.next_draw, len(self.decisions) - self.next_decision
            self.say(f"left over: {draws} draws, {decisions} decisions")
        return self.bad

    def check_reader(self) -> None:
        """The reader is used exactly under A K Q J and tells the truth."""
        due = self.has_reader and self.up in "AJQK"
        if due != bool(self.reader):
            self.say("reader use")
        if self.reader:
            truth = "blackjack" if points([c for c, _ in self.dealer])[0] == 21 else "no-blackjack"
            if self.reader[0]["result"] != truth or not self.initial_ms < self.reader[0]["ms"] < self.later_ms:
                self.say("reader result or moment")

    def take_surrenders(self) -> None:
        """Consume the surrender phase of mbs and div15."""
        while self.at_once and self.next_decision < len(self.decisions):
            d = self.decisions[self.next_decision]
            if d["action"] != "surrender":
                return
            self.next_decision += 1
            if self.up not in "AJQK" or d["ms"] > self.later_ms or self.hands[d["seat"]][0].value() == 21:
                self.say("surrender not open")
            who = d.get("bettors") or [b for s, b in self.main if s == d["seat"]]
            if self.book.startswith("div15") and "bettors" in d:
                self.say("div15 surrender binds the box")
            self.surrendered.update({(d["seat"], b): d["ms"] for b in who})

    def decide(self, seat: int, hand: H) -> Line | None:
        """Take the next decision, which has to be this hand's."""
        if self.next_decision >= len(self.decisions):
            return None
        d = self.decisions[self.next_decision]
        if (d["seat"], d["hand"]) != (seat, hand.number):
            return None
        self.next_decision += 1
        return d

    def play(self, seat: int) -> None:
        """Play a box's hands in order of play."""
        hands = self.hands[seat]
        if hands[0].natural() or all((s, b) in self.surrendered for s, b in self.main if s == seat):
            return
        i = 0
        while i < len(hands):
            self.play_hand(seat, hands, i)
            hands[i].done_ms = max(hands[i].done_ms, hands[i].cards[-1][1])
            i += 1

    def play_hand(self, seat: int, hands: list[H], i: int) -> None:
        """Consume the decisions and cards of one hand."""
        h = hands[i]
        while True:
            if len(h.cards) == 1:
                h.cards.append(self.take())
                if self.at_once and h.faces[0][0] == "A":
                    return
            if h.value() > 21:
                return
            d = self.decide(seat, h)
            if h.value() == 21:
                if d and d["action"] != "stand":
                    self.say("decision on 21")
                if d and self.at_once:
                    self.say("stand on a paid 21")
                return
            if d is None:
                self.say(f"seat {seat} hand {h.number}: no final decision on {h.value()}")
                return
            if self.act(seat, hands, i, d):
                return

    def act(self, seat: int, hands: list[H], i: int, d: Line) -> bool:
        """Apply one decision; return whether it ends the hand."""
        h, action = hands[i], d["action"]
        if action == "stand":
            if self.book.startswith("div15") and h.value() < 12:
                self.say("stood below 12")
            h.done_ms = d["ms"]
            return True
        if action == "hit":
            h.cards.append(self.take())
            return False
        if action == "surrender":
            if self.at_once or len(h.cards) != 2 or h.split:
                self.say("surrender out of place")
            self.surrendered.update({(seat, b): d["ms"] for s, b in self.main if s == seat})
            return True
        if action == "split":
            self.split(seat, hands, i, d)
            return False
        if action == "double":
            self.double(seat, h, d)
            return True
        self.say(f"action {action}")
        return True

    def split(self, seat: int, hands: list[H], i: int, d: Line) -> None:
        """Split a hand, checking value, number of hands and moment."""
        h = hands[i]
        a, b = h.faces
        limit = {"ma": 4, "mb": 4, "di": 3}.get(self.book[:2]) or self.options["max_hands_per_box"]
        again = h.split and a[0] == "A"
        if POINTS.get(a[0], 1) != POINTS.get(b[0], 1) or len(hands) >= limit:
            self.say("illegal split")
        if again and (self.at_once or (self.book.startswith("md") and not self.options["resplit_aces"])):
            self.say("aces split again")
        h.split = True
        hands.insert(i + 1, H(len(hands) + 1, [h.cards.pop()], split=True))
        if self.next_draw < len(self.draws) and self.draws[self.next_draw]["ms"] < d["ms"]:
            self.say("split card before the split")

    def double(self, seat: int, h: H, d: Line) -> None:
        """Double a hand, checking the wagers."""
        staked = [w for w in self.wagers if (w["seat"], w.get("hand"), w["kind"]) == (seat, h.number, "double")]
        low = self.table["min_cents"] if self.book.startswith("mbs") else self.options["min_increment_cents"]
        nxt = self.draws[self.next_draw]["ms"]
        for w in staked:
            if not low <= w["cents"] <= self.main[seat, w["bettor"]] or w["ms"] > nxt:
                self.say("double wager")
        if not staked or d["ms"] > nxt or (self.book.startswith("mbs") and len(h.cards) != 2):
            self.say("double without wager, late, or on three cards")
        if d.get("bettors", sorted(b for s, b in self.main if s == seat)) != sorted(w["bettor"] for w in staked):
            self.say("bettors of the double")
        h.doubled = True
        if self.at_once:
            h.ones = sum(c[0] == "A" for c in h.faces[:2])
        h.cards.append(self.take())
        r = self.decisions[self.next_decision] if self.next_decision < len(self.decisions) else None
        if r and r["action"] == "rescue" and (r["seat"], r["hand"]) == (seat, h.number):
            self.next_decision += 1
            if h.value() > (20 if self.book.startswith("mbs") else 21):
                self.say("rescue above the limit")
            h.rescued = set(r.get("bettors") or [w["bettor"] for w in staked])
            h.done_ms = r["ms"]

    def open_hands(self) -> list[tuple[int, H, int]]:
        """Return (seat, hand, bettor) of hands that wait for the dealer."""
        return [
            (s, h, b)
            for s in self.seats
            for h in self.hands[s]
            for ss, b in self.main
            if ss == s and h.value() <= 21 and b not in h.rescued and (s, b) not in self.surrendered
        ]

    def play_dealer(self) -> None:
        """The dealer's cards have to be those that the book prescribes."""
        left = len(self.draws) - self.next_draw
        insured = any(w["kind"] == "insurance" for w in self.wagers)
        if len(self.dealer) == 1 and left:
            self.dealer.append(self.take())
            left -= 1
        elif len(self.dealer) == 1:
            waiting = insured or any(self.up in "AJQK" for _ in self.surrendered)
            beatable = any(
                h.value() < 21 or (self.book[:2] == "ma" and not h.natural() and self.up in "AJQK" and len(h.cards) > 2)
                for _, h, _ in self.open_hands()
            )
            if waiting or beatable:
                self.say("dealer's second card missing")
            return
        matters = any(
            h.value() < 21 or (self.book[:2] == "md" and h.split and len(h.cards) == 2) for _, h, _ in self.open_hands()
        )
        while matters:
            value, soft = points([c for c, _ in self.dealer])
            if value > 17 or (value == 17 and not (soft and self.at_once)):
                break
            if not left:
                self.say(f"dealer stopped at {value}")
                return
            self.dealer.append(self.take())
            left -= 1
        if left:
            self.say(f"dealer drew {left} too many")


def settled(lines: list[Line]) -> Counter[tuple[int, int, str, int]]:
    """Return paid less taken by seat, bettor, kind and hand."""
    out: Counter[tuple[int, int, str, int]] = Counter()
    for x in lines:
        out[x["seat"], x["bettor"], x["kind"], x["hand"]] += x["paid_cents"] - x["taken_cents"]
    return Counter({k: v for k, v in out.items() if v})
