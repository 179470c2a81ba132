"""Writes a script in the plain-text notation (replay.notation re-exports ``dump``)."""

from collections.abc import Callable
from datetime import date, datetime
from typing import Any, Final

from replay import notation_statements as statements
from replay import notation_values as forms
from replay.contract.events import EVENT_OF, HEAD
from replay.notation_statements import NotationForm
from replay.notation_values import Event, Script, quoted, say

_ABSENT: Final = object()


def dump(script: Script) -> str:
    """The canonical text of a script; raises ValueError naming the field or event that the notation cannot say."""
    lines = _header(script.floor)
    table = script.floor["table"][0]
    return "\n".join(lines + _Writer(script.events, table["decks"], table["from"].isoformat()).lines()) + "\n"


def _header(floor: dict[str, Any]) -> list[str]:
    rest = dict(floor)
    tables = rest.pop("table", None)
    if not isinstance(tables, list) or len(tables) != 1:
        raise ValueError("the floor must have exactly one table; write a text for each")
    table = dict(tables[0])
    values = {word: f"{word} {say(table, key, value)}" for word, (key, value) in statements.HEADER_VALUES.items()}
    lines = [values["rulebook"], values["table"]]
    if "property" in rest:
        place = dict(rest.pop("property"))
        lines.append(f"property {say(place, 'name', forms.TEXT)}")
        _nothing_left(place, "property.")
    lines += [f"day {_day(table.pop('from', None))}", values["decks"], values["boxes"]]
    lines.append(f"limits {say(table, 'min_cents', forms.MONEY)} to {say(table, 'max_cents', forms.MONEY)}")
    lines += [values["chip"], values["currency"]]
    lines += _settings("option", _filled(table, "options"), "options")
    lines += _settings("reading", _filled(table, "readings"), "readings")
    lines += [_all_of(statements.METER, meter, "meter.") for meter in _filled(rest, "meter")]
    for system, fields in sorted(_filled(table, "progressive").items()):
        lines.append(_all_of(statements.FLOOR_PROGRESSIVE, {**fields, "system": system}, f"progressive.{system}."))
    _nothing_left(rest, "")
    _nothing_left(table, "table.")
    return lines


def _day(value: object) -> str:
    if not isinstance(value, date) or isinstance(value, datetime):
        raise ValueError(f"the field 'from' of the table must be a date, found {value!r}")
    return value.isoformat()


def _filled(values: dict[str, Any], key: str) -> Any:
    """Takes a table or list out of ``values``: {} where there is none, an error where there is an empty one."""
    found = values.pop(key, _ABSENT)
    if found is _ABSENT:
        return {}
    if not found:
        raise ValueError(f"the field {key!r} of the floor is empty; leave it out")
    return found


def _settings(word: str, values: dict[str, Any], table: str) -> list[str]:
    lines = []
    for name, value in sorted(values.items()):
        if name.endswith("_cents") and isinstance(value, str):
            raise ValueError(f"the field '{table}.{name}' must be whole cents, found {value!r}")
        written = say({name: value}, name, forms.SETTING)
        lines.append(f"{word} {forms.WORD.write(name, ())} = {written}")
    return lines


def _all_of(form: NotationForm, values: dict[str, Any], prefix: str) -> str:
    rest = dict(values)
    text = form.write(rest)
    _nothing_left(rest, prefix)
    return text


def _nothing_left(values: dict[str, Any], prefix: str) -> None:
    for key in values:
        raise ValueError(f"the field '{prefix}{key}' has no place in the notation")


class _Writer:
    """Writes event by event, keeping the same account of round, shoe and hands as the reader of the text."""

    def __init__(self, events: tuple[Event, ...], decks: int, day: str) -> None:
        self.events = events
        self.decks = decks
        self.day = day
        self.at = 0
        self.out: list[str] = [""]
        self.round: str | None = None
        self.shoe = forms.FIRST_SHOE
        self.next: dict[str, int] = {}
        self.splits: dict[int, int] = {}

    def lines(self) -> list[str]:
        while self.at < len(self.events):
            try:
                self.statement()
            except ValueError as error:
                type_ = self.events[self.at].get("type")
                raise ValueError(f"event {self.at + 1} ({type_}): {error}") from None
        return self.out if self.events else []

    def statement(self) -> None:
        event = self.events[self.at]
        rest = self.checked(event)
        stamp = self.stamp(event)
        if self.round is None and self.out[-1].partition(" ")[0] == "end":
            self.out.append("")
        self.enter(event)
        text = _WRITERS[event["type"]](self, rest)
        self.out.append(text + stamp)
        self.at += 1

    def checked(self, event: Event) -> dict[str, Any]:
        """The event's own fields, all of which the notation knows."""
        type_ = event.get("type")
        if not isinstance(type_, str) or type_ not in _WRITERS:
            raise ValueError("the notation has no such event type")
        declared = EVENT_OF[type_]
        if event.get("source") != declared.source:
            raise ValueError(f"the field 'source' must be {declared.source!r}, found {event.get('source')!r}")
        known = {field.name for field in declared.fields if field not in HEAD}.difference(_UNSAID.get(type_, ()))
        _nothing_left({key: value for key, value in event.items() if key not in {"source", "type", "ts", *known}}, "")
        return {key: value for key, value in event.items() if key not in ("source", "type", "ts", "round")}

    def enter(self, event: Event) -> None:
        """Writes the line that opens the event's round, if it is not open."""
        rounds = EVENT_OF[event["type"]].field("round")
        if rounds is None:
            return
        if "round" not in event:
            if rounds.is_required:
                raise ValueError("the field 'round' is missing")
            if self.round is not None:
                raise ValueError(f"the field 'round' is missing while round {self.round!r} is open")
            return
        name = say({"round": event["round"]}, "round", forms.WORD)
        if self.round is None:
            self.out += ["", f"round {name}"] if self.out[-1] else [f"round {name}"]
            self.round = event["round"]
            self.splits.clear()
        elif self.round != event["round"]:
            raise ValueError(f"the field 'round' is {name} while round {self.round!r} has not ended")

    def stamp(self, event: Event) -> str:
        if "ts" not in event:
            return ""
        ts = event["ts"]
        if not isinstance(ts, str) or forms.moment(ts, self.day) != ts:
            raise ValueError(f"the field 'ts' must be RFC 3339 with milliseconds and offset, found {ts!r}")
        if ts.startswith(f"{self.day}T") and ts.endswith("+00:00"):
            return f" @{ts[11:23].removesuffix('.000')}"
        return f" @{ts}"

    def form(self, form: NotationForm, rest: dict[str, Any]) -> str:
        return form.write(rest, self.decks)

    def progressive(self, rest: dict[str, Any]) -> str:
        system = say(rest, "system", forms.SYSTEM)
        meters = {key: rest.pop(key) for key in ("meter", "meter_cents") if key in rest}
        return statements.PROGRESSIVES[system].write({**rest, "meters": meters} if meters else rest)

    def seek(self, shoe: str, number: int) -> None:
        """Writes a ``continue`` line where the reader would not expect this card of this shoe."""
        if (self.shoe, self.next.get(self.shoe, 1)) != (shoe, number):
            self.out.append(statements.CONTINUE.write({"shoe": shoe, "at": number}))
            self.shoe = shoe
            self.next[shoe] = number

    def draw(self, rest: dict[str, Any]) -> str:
        say(dict(rest), "shoe", forms.WORD)
        say(dict(rest), "n", forms.NUMBER)
        self.seek(rest["shoe"], rest["n"])
        word = "burn" if self.round is None else "deal"
        self.at -= 1
        return f"{word} {' '.join(self.cards(self.events[self.at + 1], len(self.events)))}"

    def cards(self, leader: Event, most: int) -> list[str]:
        """The draws that follow where the reader is, at the leader's time and in the shoe's order."""
        found: list[str] = []
        while len(found) < most and self.at + 1 < len(self.events):
            event = self.events[self.at + 1]
            if event.get("type") != "draw" or event.get("ts", _ABSENT) != leader.get("ts", _ABSENT):
                break
            number = self.next.get(self.shoe, 1)
            if (event.get("shoe"), event.get("n")) != (self.shoe, number):
                break
            self.at += 1
            rest = self.checked(event)
            rest["card"] = (rest.get("card"), rest.pop("face", None))
            found.append(say(rest, "card", forms.CARD))
            self.next[self.shoe] = number + 1
        return found

    def shoe_loaded(self, rest: dict[str, Any]) -> str:
        shoe = rest.get("shoe")
        number = 1
        for index in range(self.at + 1, len(self.events)):
            event = self.events[index]
            if event.get("type") == "draw":
                if event.get("shoe") == shoe and type(event.get("n")) is int:
                    number = max(1, event["n"])
                break
        text = statements.SHOE.write({**rest, "at": number}, self.decks)
        self.shoe = str(shoe)
        self.next[self.shoe] = number
        return text

    def shoe_ended(self, rest: dict[str, Any]) -> str:
        say(dict(rest), "shoe", forms.WORD)
        shoe = rest.pop("shoe")
        self.seek(shoe, self.next.get(shoe, 1))
        return statements.SHOE_ENDS.write(rest)

    def cut_card(self, rest: dict[str, Any]) -> str:
        say(dict(rest), "shoe", forms.WORD)
        say(dict(rest), "n", forms.COUNT)
        self.seek(rest["shoe"], rest["n"] + 1)
        return "cut card"

    def dealer_change(self, rest: dict[str, Any]) -> str:
        written = say(dict(rest), "dealer", forms.NAME)
        return f"dealer {quoted(rest['dealer']) if any(map(forms.is_cardlike, written.split())) else written}"

    def bets_closed(self, rest: dict[str, Any]) -> str:
        return "no more bets"

    def round_end(self, rest: dict[str, Any]) -> str:
        self.round = None
        return "end"

    def wager(self, rest: dict[str, Any]) -> str:
        for key, value in (("kind", forms.KIND), ("seat", forms.NUMBER)):
            say(dict(rest), key, value)
        if self.comes_with_decision(self.events[self.at]):
            self.at += 1
            amount = say(rest, "cents", forms.MONEY)
            return self.decision(self.checked(self.events[self.at]), f" {amount}")
        kind = say(rest, "kind", forms.KIND)
        needs_hand = kind in ("split", "double")
        place = _place(rest, hand=_place_hand(rest, explicit=not needs_hand) if needs_hand or "hand" in rest else "")
        amount = say(rest, "cents", forms.MONEY)
        return f"bet {place} {'' if kind == 'main' else f'{kind} '}{amount}{statements.BET_TAIL.write(rest)}"

    def comes_with_decision(self, wager: Event) -> bool:
        """Tell whether the next event is the split or double that bettor 1's plain wager is for."""
        if self.at + 1 == len(self.events) or wager.get("bettor") != 1 or not _PLAIN_WAGER.issuperset(wager):
            return False
        decision = self.events[self.at + 1]
        if decision.get("type") != "decision" or wager["kind"] not in ("split", "double"):
            return False
        pairs = [("kind", "action"), ("seat", "seat"), ("round", "round"), ("ts", "ts")]
        if any(wager.get(mine, _ABSENT) != decision.get(other, _ABSENT) for mine, other in pairs):
            return False
        hand = 2 + self.splits.get(wager["seat"], 0) if wager["kind"] == "split" else decision.get("hand")
        return bool(wager.get("hand") == hand)

    def decision(self, rest: dict[str, Any], amount: str = "") -> str:
        event = self.events[self.at]
        say(dict(rest), "seat", forms.NUMBER)
        seat = rest["seat"]
        place = f"{seat}{_place_hand(rest, explicit=seat in self.splits)}"
        action = say(rest, "action", forms.ACTION)
        by = f" by {say(rest, 'bettors', forms.BETTORS)}" if "bettors" in rest else ""
        if action == "split":
            self.splits[seat] = self.splits.get(seat, 0) + 1
        own = {"hit": 1, "double": 1, "split": 2}.get(action, 0)
        cards = self.cards(event, len(self.events) if self.is_decision_ahead() else own)
        return " ".join([f"{place} {action}{amount}{by}", *cards])

    def is_decision_ahead(self) -> bool:
        """Tell whether a player acts again in this round: if not, only the hand's own cards belong on the line."""
        for index in range(self.at + 1, len(self.events)):
            type_ = self.events[index].get("type")
            if type_ in ("decision", "round_end"):
                return bool(type_ == "decision")
        return False

    def assign(self, rest: dict[str, Any]) -> str:
        hand = say(rest, "hand", forms.NUMBER)
        return f"assign {_place(rest)} to hand {hand}"

    def withdraw(self, rest: dict[str, Any]) -> str:
        kind = say(rest, "kind", forms.KIND)
        return f"withdraw {_place(rest, hand=_place_hand(rest))} {kind}"

    def settle(self, rest: dict[str, Any]) -> str:
        kind = say(rest, "kind", forms.SETTLE_KIND)
        place = _place(rest, hand=_place_hand(rest))
        paid, taken = say(rest, "paid_cents", forms.SIGNED_MONEY), say(rest, "taken_cents", forms.SIGNED_MONEY)
        if (paid, taken) == ("0", "0"):
            return f"push {place} {kind}"
        target = place if kind == "main" else f"{place} {kind}"
        if paid == "0":
            return f"take {target} {taken}"
        return f"pay {target} {paid}" + ("" if taken == "0" else f" take {taken}")


def _place(rest: dict[str, Any], hand: str = "") -> str:
    seat, bettor = say(rest, "seat", forms.NUMBER), say(rest, "bettor", forms.NUMBER)
    return f"{seat}{hand}{'' if bettor == '1' else f'/{bettor}'}"


def _place_hand(rest: dict[str, Any], *, explicit: bool = False) -> str:
    hand = say(rest, "hand", forms.NUMBER)
    return f".{hand}" if explicit or hand != "1" else ""


def _by_form(form: NotationForm) -> Callable[[_Writer, dict[str, Any]], str]:
    return lambda writer, rest: writer.form(form, rest)


_PLAIN_WAGER: Final = {"source", "type", "ts", "round", "seat", "bettor", "kind", "cents", "hand"}
_WRITERS: Final[dict[str, Callable[[_Writer, dict[str, Any]], str]]] = {
    **{form.type: _by_form(form) for form in statements.PLAIN_FORMS},
    "progressive": _Writer.progressive,
    "dealer_change": _Writer.dealer_change,
    "shoe_loaded": _Writer.shoe_loaded,
    "shoe_ended": _Writer.shoe_ended,
    "cut_card": _Writer.cut_card,
    "draw": _Writer.draw,
    "wager": _Writer.wager,
    "bets_closed": _Writer.bets_closed,
    "decision": _Writer.decision,
    "assign": _Writer.assign,
    "withdraw": _Writer.withdraw,
    "settle": _Writer.settle,
    "round_end": _Writer.round_end,
}

# Fields that no statement says.
_UNSAID: Final = {"decision": ("bettor",)}
