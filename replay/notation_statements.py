"""Statements of the plain-text notation: which fields each has, and how they are said.

A form names a statement's fields once; ``replay.notation`` reads and writes by the same table.
"""

from collections.abc import Collection
from typing import Any, Final, NamedTuple

from replay import ops
from replay.contract import forms as contract
from replay.contract.events import EVENT_OF, HEAD
from replay.notation_values import (
    BETTORS,
    COUNT,
    MONEY,
    NAME,
    NAMES,
    NUMBER,
    ORDINALS,
    RULINGS,
    SYSTEM,
    TEXT,
    WORD,
    Line,
    Value,
    choice,
    flag,
    meter,
    money,
    refused,
    say,
    words_of,
)

REQUIRED: Final = object()
OPTIONAL: Final = object()
HEADER_DECKS: Final = object()  # the default is the header's number of decks


class Phrase(NamedTuple):
    """One field of a form: positional without a ``word``, else a clause that begins with it."""

    key: str
    value: Value
    word: str = ""
    default: Any = REQUIRED


def _clauses(type_: str) -> list[Phrase]:
    """Return a clause for every field that events of a type may have, begun by its name."""
    if not type_:
        return []
    own = (field for field in EVENT_OF[type_].fields if field not in HEAD and field.name != "round")
    return [Phrase(field.name, _value_of(field.name, field.form), field.name, OPTIONAL) for field in own]


def _value_of(name: str, form: contract.ValueForm) -> Value:
    """Return how a value of a form is read and written where a statement has no other way."""
    if form.kind == contract.WHOLE:
        number = NUMBER if form.low > 0 else COUNT
        return number if form.unit != "cents" else money(signed=form.low < 0)
    known = {
        contract.CHOICE: choice(f"the {name}", *form.words),
        contract.TRUTH: flag(),
        contract.MEMBERS: BETTORS,
        contract.RULINGS: RULINGS,
        contract.ORDINALS: ORDINALS,
        contract.PEOPLE: NAME,
    }
    return known.get(form.kind, WORD)


class NotationForm:
    """A statement that is a word, values in order and clauses in any order (written in the order of the table).

    What the type of event has beside these fields and those that are ``said`` otherwise is a clause of its own.
    """

    def __init__(self, statement: str, type_: str, *fields: Phrase, said: Collection[str] = ()) -> None:
        self.statement = statement
        self.type = type_
        self.said = said
        known = {field.key for field in fields}.union(said)
        self.fields = fields = (*fields, *(field for field in _clauses(type_) if field.key not in known))
        self.positional = [field for field in fields if not field.word]
        self.clauses = {field.word: field for field in fields if field.word}

    def read(self, line: Line, decks: int = 0) -> dict[str, Any]:
        """The fields that the rest of the line gives, with defaults."""
        line.stops = self.clauses
        values = {field.key: field.value.read(line) for field in self.positional if self._is_due(field, line)}
        while token := line.peek():
            clause = self.clauses.get(token)
            if clause is None or clause.key in values:
                open_words = [f"'{word}'" for word, field in self.clauses.items() if field.key not in values]
                raise line.error(" or ".join([*open_words, "the end of the line"]), token)
            line.position += 1
            values[clause.key] = clause.value.read(line)
        for key, _, word, default in self.fields:
            if key not in values and default is not OPTIONAL:
                if default is REQUIRED:
                    raise line.error(f"'{word}'")
                values[key] = decks if default is HEADER_DECKS else default
        return values

    def write(self, values: dict[str, Any], decks: int = 0) -> str:
        """The statement that gives these fields; takes out of ``values`` what it says."""
        words = [self.statement]
        for key, value, word, default in self.fields:
            if key not in values:
                if default is OPTIONAL:
                    continue
                raise ValueError(f"the field {key!r} is missing")
            given = values[key]
            written = say(values, key, value, self.clauses)
            if given != (decks if default is HEADER_DECKS else default):
                words += [part for part in (word, written) if part]
        return " ".join(words)

    @staticmethod
    def _is_due(field: Phrase, line: Line) -> bool:
        return field.default is not OPTIONAL or bool(line.peek())


_DEVICE = choice("a device", *ops.DEVICES)
_PROGRESSIVE = (
    Phrase("action", choice("a progressive action", *ops.PROGRESSIVE_ACTIONS)),
    Phrase("seat", NUMBER, "box", OPTIONAL),
    Phrase("bettor", NUMBER, "bettor", OPTIONAL),
    Phrase("symbol", WORD, "symbol", OPTIONAL),
    Phrase("prize_cents", MONEY, "pays", OPTIONAL),
    Phrase("meters", meter(), "meter", OPTIONAL),
    Phrase("by", NAME, "by", OPTIONAL),
)

OPEN: Final = NotationForm(
    "open",
    "open",
    *(Phrase("dealer", NAME, "dealer"), Phrase("decks", COUNT, "decks", HEADER_DECKS)),
)
INSPECTION: Final = NotationForm(
    "inspection",
    "inspection",
    Phrase("decks_id", WORD),
    Phrase("cards", COUNT, "cards"),
    Phrase("tens_removed", COUNT, "tens"),
    Phrase("by", NAMES, "by"),
)
SHOE: Final = NotationForm(
    "shoe",
    "shoe_loaded",
    Phrase("shoe", WORD),
    Phrase("decks", COUNT, "decks", HEADER_DECKS),
    Phrase("decks_id", WORD, "set", "D1"),
    Phrase("shuffle", choice("a shuffle", *ops.SHUFFLES), "shuffle", "machine"),
    Phrase("cards", COUNT, "cards", OPTIONAL),
    Phrase("from", choice("where the cards come from", *words_of("shoe_loaded", "from")), "from", OPTIONAL),
    Phrase("at", NUMBER, "at", 1),  # no field of the event: the number of the next draw
)
CUT: Final = NotationForm(
    "cut",
    "cut",
    Phrase("shoe", WORD),
    Phrase("by", TEXT, "by"),
    Phrase("from_top", COUNT, "top"),
    Phrase("from_bottom", COUNT, "bottom"),
)
SHOE_ENDS: Final = NotationForm("shoe ends", "shoe_ended", Phrase("remaining", COUNT), said=("shoe",))
CONTINUE: Final = NotationForm("continue", "", Phrase("shoe", WORD), Phrase("at", NUMBER, "at", OPTIONAL))
RULE: Final = NotationForm(
    "rule",
    "irregularity",
    Phrase("code", WORD),
    Phrase("ruling", RULINGS),
    Phrase("by", NAME, "by", OPTIONAL),
    Phrase("seat", NUMBER, "box", OPTIONAL),
    Phrase("hand", NUMBER, "hand", OPTIONAL),
    Phrase("bettor", NUMBER, "bettor", OPTIONAL),
    Phrase("shoe", WORD, "shoe", OPTIONAL),
    Phrase("n", ORDINALS, "card", OPTIONAL),
    Phrase("card", NUMBER, "missed", OPTIONAL),
    Phrase("exposed", flag(), "exposed", OPTIONAL),
    Phrase("inferred", flag(), "inferred", OPTIONAL),
    Phrase("refused_by", refused(), "refused", OPTIONAL),
)
PROGRESSIVES: Final = {
    name: NotationForm(name, "progressive", *_PROGRESSIVE, said=("system", "meter", "meter_cents"))
    for name in ops.SYSTEMS
}
BET_TAIL: Final = NotationForm(
    "",
    "wager",
    *(Phrase("patron", NAME, "patron", OPTIONAL), Phrase("for_bettor", NUMBER, "for", OPTIONAL)),
    said=("seat", "bettor", "kind", "cents", "hand"),
)

# Statements that are nothing but their form.
PLAIN_FORMS: Final = (
    *(OPEN, INSPECTION, CUT, RULE),
    NotationForm(
        "reader",
        "reader_check",
        *(
            Phrase("result", choice("a result", *words_of("reader_check", "result"))),
            Phrase("by", NAME, "by"),
        ),
    ),
    NotationForm(
        "check",
        "hole_card_check",
        Phrase("result", choice("a result", *ops.CHECK_RESULTS)),
    ),
    NotationForm("fault", "fault", Phrase("device", _DEVICE), Phrase("kind", TEXT, "", OPTIONAL)),
    NotationForm("repaired", "repaired", Phrase("device", _DEVICE), Phrase("kind", TEXT, "", OPTIONAL)),
    NotationForm("close", "close"),
    NotationForm(
        "offer",
        "offer",
        Phrase("what", choice("what is offered", *ops.OFFERS)),
        Phrase("state", choice("a state", *words_of("offer", "state"))),
    ),
)

# Tables of the header.
METER: Final = NotationForm(
    "meter",
    "",
    *(
        Phrase("id", WORD),
        Phrase("rate_ppm", COUNT, "rate"),
        Phrase("reset_cents", MONEY, "reset"),
    ),
)
FLOOR_PROGRESSIVE: Final = NotationForm(
    "progressive",
    "",
    Phrase("system", SYSTEM),
    Phrase("meter", WORD, "meter", OPTIONAL),
    Phrase("secondary_meter", WORD, "secondary", OPTIONAL),
    Phrase("jackpot_cents", MONEY, "jackpot", OPTIONAL),
    Phrase("authorise_from_cents", MONEY, "authorise", OPTIONAL),
)

# Header lines of one value, and the table's fields that they set.
HEADER_VALUES: Final[dict[str, tuple[str, Value]]] = {
    "rulebook": ("rulebook", WORD),
    "table": ("id", WORD),
    "decks": ("decks", NUMBER),
    "boxes": ("boxes", NUMBER),
    "chip": ("chip_unit_cents", MONEY),
    "currency": ("currency", WORD),
}
