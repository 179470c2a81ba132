"""Rounds as plain text: what a person writes in a minute and reads aloud in a dispute.

``load`` turns a text into the events of the landing zone and the floor that they belong to, ``dump`` turns them back.
The statements and their fields stand in ``replay.notation_values``.
"""

import re
from collections.abc import Callable
from datetime import date
from functools import lru_cache
from typing import Any, Final

from replay import notation_statements as statements
from replay import notation_values as forms
from replay.contract.events import EVENT_OF
from replay.notation_dump import dump
from replay.notation_statements import NotationForm
from replay.notation_values import Event, Line, NotationError, Script, Value, nearest, plain, tokens_of

__all__ = ["Event", "NotationError", "Script", "dump", "load"]


def load(text: str) -> Script:
    """The floor and the events that a text in the notation tells; raises NotationError for any other text."""
    reader = _Reader()
    number = 1
    for number, raw in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if tokens := tokens_of(number, raw):
            reader.statement(Line(number, tokens))
    return reader.script(number)


_PLACE: Final = re.compile(r"([1-9][0-9]{0,16})(?:\.([1-9][0-9]{0,16}))?(?:/([1-9][0-9]{0,16}))?")

_DEFAULTS: Final[dict[str, Any]] = {
    "id": "T1",
    "from": date(2026, 1, 1),
    "boxes": 7,
    "currency": "USD",
    "min_cents": 500,
    "max_cents": 100000,
    "chip_unit_cents": 100,
}


@lru_cache(4096)
def _place(token: str) -> tuple[int, int | None, int | None] | None:
    """Box, hand and bettor of a place, None for the last two where they are not written."""
    match = _PLACE.fullmatch(token)
    if match is None:
        return None
    return int(match[1]), int(match[2]) if match[2] else None, int(match[3]) if match[3] else None


class _Reader:
    """Reads statement by statement; keeps what a line may leave unsaid: round, shoe, next card, hands of a box."""

    def __init__(self) -> None:
        self.floor: dict[str, Any] = {}
        self.table: dict[str, Any] = {}
        self.day = ""
        self.written: dict[str, int] = {}  # header entries and their lines
        self.started = False
        self.events: list[Event] = []
        self.round: str | None = None
        self.shoe = forms.FIRST_SHOE
        self.next: dict[str, int] = {}  # by shoe, the number of its next card
        self.splits: dict[int, int] = {}  # by box, in this round

    def script(self, last_line: int) -> Script:
        if not self.started:
            self.start(Line(last_line, []), "")
        return Script({**self.floor, "table": [self.table]}, tuple(self.events))

    def statement(self, line: Line) -> None:
        word = line.tokens[0]
        line.position = 1
        if word in _HEADER:
            self.header(line, word)
            return
        handler = _Reader.decision if word[0] in "0123456789" else _STATEMENTS.get(word)
        if handler is None:
            advice = nearest(word, [*_HEADER, *_STATEMENTS]) or f"statements are {', '.join([*_HEADER, *_STATEMENTS])}"
            raise line.error("a statement", word, advice)
        if not self.started:
            self.start(line, word)
        if line.tokens[-1][0] == "@":
            line.ts = self.time(line)
        handler(self, line)
        line.finish()

    # The header.

    def header(self, line: Line, word: str) -> None:
        if self.started:
            raise line.error(f"'{word}' in the header", word, "move it above the first round or event")
        if not self.written and word != "rulebook":
            raise line.error("'rulebook NAME' first", word, "begin with a line such as 'rulebook md-pontoon21'")
        _HEADER[word](self, line)
        line.finish()

    def start(self, line: Line, word: str) -> None:
        """Ends the header."""
        for name, example in (("rulebook", "rulebook md-pontoon21"), ("decks", "decks 6")):
            if name not in self.written:
                seen = f"'{word}'" if word else "the end of the text"
                message = f"expected '{name}' in the header, found {seen}; add a line such as '{example}'"
                raise NotationError(line.number, message)
        self.table = {**_DEFAULTS, **self.table}
        self.day = self.table["from"].isoformat()
        self.started = True

    def once(self, line: Line, entry: str) -> None:
        if entry in self.written:
            raise line.error(f"'{entry}' once", entry, f"it stands in line {self.written[entry]} already")
        self.written[entry] = line.number

    def header_value(self, line: Line) -> None:
        word = line.tokens[0]
        self.once(line, word)
        key, value = statements.HEADER_VALUES[word]
        self.table[key] = value.read(line)

    def property(self, line: Line) -> None:
        self.once(line, "property")
        self.floor["property"] = {"name": forms.TEXT.read(line)}

    def from_day(self, line: Line) -> None:
        self.once(line, "day")
        token = line.take("a day such as 2026-11-16")
        try:
            self.table["from"] = date.fromisoformat(token if forms.DATE.fullmatch(token) else "")
        except ValueError:
            raise line.error("a day such as 2026-11-16", token) from None

    def limits(self, line: Line) -> None:
        self.once(line, "limits")
        self.table["min_cents"] = forms.MONEY.read(line)
        line.word("to")
        self.table["max_cents"] = forms.MONEY.read(line)

    def setting(self, line: Line) -> None:
        word = line.tokens[0]
        name = plain(line, line.take("a name"))
        self.once(line, f"{word} {name}")
        line.word("=")
        token = line.peek()
        value = forms.SETTING.read(line)
        if name.endswith("_cents") and isinstance(value, str):
            raise line.error("cents such as 500, or false", token, f"{name} is in whole cents")
        self.table.setdefault("options" if word == "option" else "readings", {})[name] = value

    def meter(self, line: Line) -> None:
        self.floor.setdefault("meter", []).append(statements.METER.read(line))

    def progressive(self, line: Line) -> None:
        values = statements.FLOOR_PROGRESSIVE.read(line)
        system = values.pop("system")
        self.once(line, f"progressive {system}")
        self.table.setdefault("progressive", {})[system] = values

    # Events.

    def emit(self, line: Line, type_: str, fields: Event) -> None:
        event: Event = {"source": EVENT_OF[type_].source, "type": type_}
        if line.ts is not None:
            event["ts"] = line.ts
        rounds = EVENT_OF[type_].field("round")
        if rounds is not None and self.round is not None:
            event["round"] = self.round
        elif rounds is not None and rounds.is_required:
            message = f"expected an open round for '{line.tokens[0]}', found none; write 'round NAME' above it"
            raise NotationError(line.number, message)
        event.update(fields)
        self.events.append(event)

    def time(self, line: Line) -> str:
        token = line.tokens.pop()
        found = forms.moment(token[1:], self.day)
        if found is None:
            raise line.error("a time such as @14:05:07, @14:05:07.250 or @2026-11-16T14:05:07.250+08:00", token)
        return found

    def no_time(self, line: Line) -> None:
        if line.ts is not None:
            word = line.tokens[0]
            raise line.error(f"no time after '{word}'", f"@{line.ts}", "it is no event, put the time on the next line")

    def place(self, line: Line) -> tuple[int, int | None, int | None]:
        expected = "a place such as 3, 3.2 or 3.2/2 (box, hand, bettor, each from 1)"
        token = line.take(expected)
        found = _place(token)
        if found is None:
            raise line.error(expected, token)
        return found

    def kind(self, line: Line, value: Value) -> str:
        token = line.peek()
        return "main" if not token or token[0] in "$-.0123456789" else str(value.read(line))

    def form(self, line: Line, form: NotationForm) -> None:
        self.emit(line, form.type, form.read(line, self.table["decks"]))

    def progressive_event(self, line: Line) -> None:
        form = statements.PROGRESSIVES[line.tokens[0]]
        fields = form.read(line)
        fields.update(fields.pop("meters", {}))
        self.emit(line, form.type, {"system": form.statement, **fields})

    def draws(self, line: Line) -> None:
        shoe = self.shoe
        while True:
            card, face = forms.CARD.read(line)
            number = self.next.get(shoe, 1)
            self.emit(line, "draw", {"shoe": shoe, "n": number, "card": card, "face": face})
            self.next[shoe] = number + 1
            while line.peek() == "|":
                line.position += 1
            if not line.peek():
                return

    def dealer(self, line: Line) -> None:
        if any(forms.is_cardlike(token) for token in line.tokens[1:]):
            self.draws(line)
        else:
            self.emit(line, "dealer_change", {"dealer": forms.NAME.read(line)})

    def shoe_line(self, line: Line) -> None:
        if line.peek() == "ends":
            line.position += 1
            fields = {"shoe": self.shoe, **statements.SHOE_ENDS.read(line)}
            self.emit(line, "shoe_ended", fields)
            return
        fields = statements.SHOE.read(line, self.table["decks"])
        self.shoe = fields["shoe"]
        self.next[self.shoe] = fields.pop("at")
        self.emit(line, "shoe_loaded", fields)

    def continue_shoe(self, line: Line) -> None:
        self.no_time(line)
        fields = statements.CONTINUE.read(line)
        self.shoe = fields["shoe"]
        self.next[self.shoe] = fields.get("at", self.next.get(self.shoe, 1))

    def cut(self, line: Line) -> None:
        if line.tokens[1:] == ["card"]:
            line.position = 2
            self.emit(line, "cut_card", {"shoe": self.shoe, "n": self.next.get(self.shoe, 1) - 1})
        else:
            self.form(line, statements.CUT)

    def begin_round(self, line: Line) -> None:
        self.no_time(line)
        name = plain(line, line.take("the round's name"))
        if self.round is not None:
            raise line.error(f"'end' of round {self.round} before the next", f"round {name}", "write 'end' above it")
        self.round = name
        self.splits.clear()

    def end_round(self, line: Line) -> None:
        self.emit(line, "round_end", {})
        self.round = None

    def no_more_bets(self, line: Line) -> None:
        line.word("more")
        line.word("bets")
        self.emit(line, "bets_closed", {})

    def bet(self, line: Line) -> None:
        seat, hand, bettor = self.place(line)
        kind = self.kind(line, forms.KIND)
        fields = {"seat": seat, "bettor": bettor or 1, "kind": kind, "cents": forms.MONEY.read(line)}
        if hand is not None or kind in ("split", "double"):
            fields["hand"] = hand or 1
        self.emit(line, "wager", {**fields, **statements.BET_TAIL.read(line)})

    def decision(self, line: Line) -> None:
        line.position = 0
        seat, written_hand, bettor = self.place(line)
        if bettor is not None:
            raise line.error("a box and hand such as 3.2", line.tokens[0], f"write 'by {bettor}' after the action")
        hand = written_hand or 1
        action = forms.ACTION.read(line)
        if forms.is_money(line.peek()):
            self.wager_with_decision(line, seat, hand, action)
        fields: Event = {"seat": seat, "hand": hand, "action": action}
        if line.peek() == "by":
            line.position += 1
            fields["bettors"] = forms.BETTORS.read(line)
        self.emit(line, "decision", fields)
        if action == "split":
            self.splits[seat] = self.splits.get(seat, 0) + 1
        if line.peek():
            self.draws(line)

    def wager_with_decision(self, line: Line, seat: int, hand: int, action: str) -> None:
        if action not in ("split", "double"):
            raise line.error(f"cards or 'by' after '{action}'", line.peek(), "only split and double take an amount")
        if action == "split":
            hand = 2 + self.splits.get(seat, 0)
        fields = {"seat": seat, "bettor": 1, "kind": action, "cents": forms.MONEY.read(line), "hand": hand}
        self.emit(line, "wager", fields)

    def assign(self, line: Line) -> None:
        seat, hand, bettor = self.place(line)
        if hand is not None:
            raise line.error("a box and bettor such as 1/2", line.tokens[1], "the hand comes after 'to hand'")
        line.word("to")
        line.word("hand")
        fields = {"seat": seat, "bettor": bettor or 1, "hand": forms.NUMBER.read(line)}
        self.emit(line, "assign", fields)

    def withdraw(self, line: Line) -> None:
        seat, hand, bettor = self.place(line)
        kind = self.kind(line, forms.KIND)
        self.emit(line, "withdraw", {"seat": seat, "bettor": bettor or 1, "kind": kind, "hand": hand or 1})

    def settle(self, line: Line) -> None:
        seat, hand, bettor = self.place(line)
        kind = self.kind(line, forms.SETTLE_KIND)
        amounts = {"pay": 0, "take": 0, "push": 0}
        if line.tokens[0] != "push":
            amounts[line.tokens[0]] = forms.SIGNED_MONEY.read(line)
        if line.tokens[0] == "pay" and line.peek():
            line.word("take")
            amounts["take"] = forms.SIGNED_MONEY.read(line)
        fields = {"seat": seat, "bettor": bettor or 1, "kind": kind, "hand": hand or 1}
        amounts_by_field = {"paid_cents": amounts["pay"], "taken_cents": amounts["take"]}
        self.emit(line, "settle", {**fields, **amounts_by_field})


def _by_form(form: NotationForm) -> Callable[[_Reader, Line], None]:
    return lambda reader, line: reader.form(line, form)


_HEADER: Final[dict[str, Callable[[_Reader, Line], None]]] = {
    **dict.fromkeys(statements.HEADER_VALUES, _Reader.header_value),
    "property": _Reader.property,
    "day": _Reader.from_day,
    "limits": _Reader.limits,
    "option": _Reader.setting,
    "reading": _Reader.setting,
    "meter": _Reader.meter,
    "progressive": _Reader.progressive,
}
_STATEMENTS: Final[dict[str, Callable[[_Reader, Line], None]]] = {
    **{form.statement: _by_form(form) for form in statements.PLAIN_FORMS},
    **dict.fromkeys(statements.PROGRESSIVES, _Reader.progressive_event),
    "dealer": _Reader.dealer,
    "shoe": _Reader.shoe_line,
    "continue": _Reader.continue_shoe,
    "cut": _Reader.cut,
    "burn": _Reader.draws,
    "deal": _Reader.draws,
    "round": _Reader.begin_round,
    "bet": _Reader.bet,
    "no": _Reader.no_more_bets,
    "assign": _Reader.assign,
    "withdraw": _Reader.withdraw,
    **dict.fromkeys(("pay", "take", "push"), _Reader.settle),
    "end": _Reader.end_round,
}
