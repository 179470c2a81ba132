"""One round's events in order: where every card went, what the hands came to, and what showed at each step."""

from functools import cached_property
from typing import Final

import numpy as np

from replay import cards
from replay.audit import Audit, Settlement
from replay.engine import layout as L
from replay.finding import Finding
from replay.narrative import words
from replay.narrative.forms import Cited, FindingMark, HandAccount, RoundStep, cited
from replay.wording import card_text, cards_text, place_text

# The clause that stands behind a step: a parameter's or a check's, the first that the rulebook has.
_STEP_CLAUSES: Final = {
    "bets_closed": ("wager.late",),
    "insurance": ("insurance_up_card",),
    "double": ("double_cards",),
    "split": ("play.illegal-split/value",),
    "surrender": ("surrender_up_cards",),
    "rescue": ("rescue_max_total",),
    "assign": ("play.illegal-assign",),
    "hole_card_check": ("reader.not-used",),
    "second card": ("hole_card",),
    "dealer draws": ("dealer_stands_on",),
    "burn": ("burn_first",),
}
_SET_ASIDE: Final = {
    L.STEP_REMOVED: ("removed", "is taken out of play"),
    L.STEP_BURNED: ("burned", "is burned"),
    L.STEP_LEFT_OVER: ("left over", "is drawn and does not count"),
}


class Teller:
    """Tells one round: follows its events, and keeps what the hands hold at each."""

    def __init__(self, audit: Audit, name: str) -> None:
        self.audit = audit
        self.book = audit.table.book
        self.name = name
        self.index = audit.encoded.rounds.index(name)
        self.rows = range(*(int(n) for n in audit.encoded.offsets[self.index : self.index + 2]))
        self.held: dict[tuple[int, int], list[str]] = {}  # by seat and hand; the dealer's is (0, 0)
        self.totals: dict[tuple[int, int], tuple[int, bool]] = {}
        self.turn = "before the round"

    @cached_property
    def settlements(self) -> list[Settlement]:
        return [s for s in self.audit.settlements if s.round == self.name]

    @cached_property
    def own(self) -> frozenset[int]:
        """Indices of the round's own events."""
        return frozenset(int(n) for n in self.audit.encoded.source[self.rows.start : self.rows.stop])

    @cached_property
    def events(self) -> list[int]:
        """Indices of the round's events, and of the table's events since the round before."""
        encoded = self.audit.encoded
        lasts = encoded.source[encoded.offsets[1:] - 1]
        last = int(lasts[self.index])
        start = int(lasts[lasts < last].max(initial=-1)) + 1
        stop = last if last < lasts.max() else len(encoded.events)
        played = encoded.source[(encoded.source >= start) & (encoded.source < stop)]
        around = np.setdiff1d(np.arange(start, stop), played)
        return sorted({*self.own, *(int(n) for n in around)})

    @cached_property
    def findings(self) -> list[Finding]:
        here = set(self.events)
        return [
            f
            for f in self.audit.findings
            if f.round == self.name or (f.round is None and f.event is not None and f.event in here)
        ]

    @cached_property
    def trace(self) -> dict[int, L.I64]:
        """By event, where its card went or which hand decided."""
        lines = self.audit.verdicts.steps
        if len(lines):
            lines = lines[(lines[:, L.T_ROW] >= self.rows.start) & (lines[:, L.T_ROW] < self.rows.stop)]
        zones = self.audit.verdicts.zones[self.rows.start : self.rows.stop]
        if not len(lines) and zones[:, 0].any():
            raise ValueError("the audit has no trace; make it with trace=True")
        source = self.audit.encoded.source
        return {int(source[line[L.T_ROW]]): line for line in lines if line[L.T_WHAT] != L.STEP_FINDING}

    # Hands as they ended.

    @cached_property
    def drawn(self) -> list[tuple[int, int, int, int, str]]:
        """Role, seat, hand, position and card of every draw, in order."""
        zones, tape = self.audit.verdicts.zones, self.audit.encoded.tape
        placed = [row for row in self.rows if zones[row, 0]]
        return [(*(int(n) for n in zones[row]), cards.NAMES[tape.card[row]]) for row in placed]

    def _cards(self, role: int, seat: int, hand: int) -> tuple[str, ...]:
        found = [(place, card) for r, s, h, place, card in self.drawn if (r, s, h) == (role, seat, hand)]
        return tuple(card for _, card in sorted(found, key=lambda item: item[0]))

    @cached_property
    def dealer(self) -> HandAccount:
        held = self._cards(L.TO_DEALER, 0, 0)
        soft = cards.total([cards.parse(card) for card in held if card in cards.BY_NAME])[1]
        total = int(self.audit.verdicts.rounds[self.index, L.R_DEALER_TOTAL])
        return HandAccount("dealer", None, None, held, total, soft, self._worth(held, total, soft, False), False, False)

    @cached_property
    def hands(self) -> dict[tuple[int, int], HandAccount]:
        lines = self.audit.verdicts.hands
        found = {}
        for line in lines[lines[:, L.O_ROUND] == self.index] if len(lines) else ():
            seat, hand, flags = int(line[L.O_SEAT]), int(line[L.O_HAND]), int(line[L.O_FLAGS])
            held, total, soft = self._cards(L.TO_BOX, seat, hand), int(line[L.O_TOTAL]), bool(line[L.O_SOFT])
            found[seat, hand] = HandAccount(
                place=place_text(seat, hand),
                seat=seat,
                hand=hand,
                cards=held,
                total=total,
                soft=soft,
                worth=self._worth(held, total, soft, bool(flags & L.FROM_SPLIT)),
                doubled=bool(flags & L.DOUBLED),
                from_split=bool(flags & L.FROM_SPLIT),
            )
        return dict(sorted(found.items()))

    def _worth(self, held: tuple[str, ...], total: int, soft: bool, from_split: bool) -> str:
        if not held:
            return "no cards"
        if len(held) == 2 and total == 21 and not from_split:
            return self.natural
        return f"{total}, bust" if total > 21 else words.total_text(total, soft)

    def _worth_now(self, at: tuple[int, int] | None, held: tuple[str, ...]) -> str:
        """Return what a hand is worth after a step; empty where the step is about none."""
        if at is None or at not in self.totals:
            return ""
        total, soft = self.totals[at]
        if len(held) < 2:
            return str(total)
        return self._worth(held, total, soft, at in self.hands and self.hands[at].from_split)

    @property
    def incomplete(self) -> bool:
        """Tell whether cards or the end of the round are missing from the log."""
        return bool(self.audit.verdicts.rounds[self.index, L.R_INCOMPLETE])

    @property
    def dealer_natural(self) -> bool:
        return len(self.dealer.cards) == 2 and self.dealer.total == 21

    @cached_property
    def natural(self) -> str:
        """The rulebook's own word for an ace with a ten-value card."""
        said = [clause.says.lower() for clause in self.book.clauses]
        pontoon, blackjack = (sum(word in text for text in said) for word in ("pontoon", "blackjack"))
        return "pontoon" if pontoon > blackjack else "blackjack"

    # Steps.

    @cached_property
    def steps(self) -> tuple[RoundStep, ...]:
        events = self.audit.encoded.events
        acts = [n for n in self.events if events[n]["type"] in ("draw", "decision")]
        self.last_act = acts[-1] if acts else -1
        marks: dict[int, list[FindingMark]] = {}
        for finding in self.findings:
            mark = FindingMark(finding.code, finding.severity, finding.message)
            marks.setdefault(self.shows_at(finding), []).append(mark)
        return tuple(self._step(n + 1, index, tuple(marks.get(index, ()))) for n, index in enumerate(self.events))

    def shows_at(self, finding: Finding) -> int:
        """Index of the event at which a finding shows: the round's last where its own is not the round's."""
        return self.events[-1] if finding.event is None or finding.event not in self.events else finding.event

    def _step(self, number: int, index: int, marks: tuple[FindingMark, ...]) -> RoundStep:
        event = self.audit.encoded.events[index]
        line = self.trace.get(index)
        said, place, at, clause = words.event_text(event), None, None, self._clause(event["type"])
        card = event.get("card") if event["type"] == "draw" else None
        if card is not None:
            said, place, at, clause = self._draw(index, event, line)
        elif event["type"] == "decision":
            at = (event["seat"], event.get("hand") or 1)
            said += self._decide(event, at, line)
            place, clause = place_text(*at), self._clause(event["action"])
        elif event["type"] == "settle":
            clause = self._settled(event)
        elif event["type"] == "wager" and event["kind"] == "insurance":
            clause = self._clause("insurance")
        self._turn(index, event, place)
        held = tuple(self.held.get(at, ())) if at is not None else ()
        total, soft = self.totals.get(at, (None, False)) if at is not None else (None, False)
        return RoundStep(
            number=number,
            event=index,
            time=event.get("ts"),
            turn=self.turn,
            words=said,
            card=card,
            place=place,
            seat=at[0] or None if at else None,
            hand=at[1] or None if at else None,
            cards=held,
            total=total,
            soft=soft,
            worth=self._worth_now(at, held),
            clause=clause,
            findings=marks,
        )

    def _draw(
        self, index: int, event: words.Event, line: L.I64 | None
    ) -> tuple[str, str, tuple[int, int] | None, Cited | None]:
        """A card's words, place, hand and clause."""
        card = card_text(event["card"])
        up = ", which lay face up in the shoe" if event.get("face") == "up" else ""
        if line is None and index in self.own:
            return f"{card} is drawn, and where it went is not known{up}", "not known", None, None
        if line is None:
            return f"{card} is burned{up}", "burned", None, self._clause("burn")
        if line[L.T_WHAT] != L.STEP_CARD:
            place, said = _SET_ASIDE[int(line[L.T_WHAT])]
            return f"{card} {said}{up}", place, None, self._clause("burn" if place == "burned" else "")
        at = (int(line[L.T_SEAT]), int(line[L.T_HAND]))
        held = self.held.setdefault(at, [])
        held.append(event["card"])
        self.totals[at] = int(line[L.T_TOTAL]), bool(line[L.T_SOFT])
        if at[0]:
            return f"{card} to {place_text(*at)}{up}", place_text(*at), at, None
        hidden = len(held) == 2 and self.audit.rules.hole_card
        what = "" if len(held) == 1 else ("second card" if hidden else "dealer draws")
        return f"{card} to the dealer{', face down' if hidden else ''}{up}", "dealer", at, self._clause(what)

    def _decide(self, event: words.Event, at: tuple[int, int], line: L.I64 | None) -> str:
        """Move the cards of a split; other decisions move none."""
        held = self.held.get(at, [])
        if event["action"] != "split" or line is None or len(held) != 2:
            return ""
        new = 1 + max(hand for seat, hand in self.held if seat == at[0])
        said = f" {cards_text(held)} into hands {at[1]} and {new}"
        self.held[at[0], new] = [held.pop()]
        for half in (at, (at[0], new)):
            self.totals[half] = cards.total([cards.parse(card) for card in self.held[half]])
        return said

    def _turn(self, index: int, event: words.Event, place: str | None) -> None:
        what = event["type"]
        if what == "decision" and place:
            self.turn = place
        elif what == "draw":
            if self.turn in ("before the round", "betting", "deal"):
                second = place == "dealer" and len(self.held[0, 0]) > 1 and not self.audit.rules.hole_card
                outside = index not in self.trace
                self.turn = "dealer" if second else (self.turn if outside else "deal")
            elif place == "dealer" or (place and place.startswith("box")):
                self.turn = place
        elif what == "settle" and index > self.last_act:
            self.turn = "settlement"
        elif what in ("wager", "bets_closed") and self.turn == "before the round":
            self.turn = "betting"

    def _clause(self, situation: str) -> Cited | None:
        for name in _STEP_CLAUSES.get(situation, ()):
            index = self.book.stated_by.get(name, self.book.cited_by.get(name))
            if index is not None:
                return cited(self.book, self.book.clauses[index].id)
        return None

    def _settled(self, event: words.Event) -> Cited | None:
        key = (event["seat"], event.get("bettor") or 1, event["kind"], event.get("hand") or 1)
        for s in self.settlements:
            if (s.seat, s.bettor, s.kind, s.hand) == key:
                return cited(self.book, s.clause)
        return None
