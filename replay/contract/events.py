"""The declarations: every type of event with its source, its fields and their places on the tape.

Readers, columns, the schema of ``events``, the tape's encoder, the simulator's writer, the notation, the JSON Schema
and EVENTS.md follow from this table. A new optional field is a line here. A type's fields stand in the order in which
the simulator writes and the reader checks them.
"""

from typing import Final, NamedTuple

from replay import codes, ops
from replay.contract import forms
from replay.contract.forms import ValueForm

TERMINAL, SHOE, CAMERA = "terminal", "shoe", "camera"

# Columns of a tape, by place.
(OP, SEAT, BETTOR, HAND, KIND, CARD, FLAGS, CENTS, AUX) = range(9)
# Tables of names: on a tape a name is its number in one of them, from 1 in the order of appearance.
ROUNDS, PATRONS, SHOES, SETS, DEALERS = "rounds", "patrons", "shoes", "sets", "dealers"
NAME_TABLES: Final = (ROUNDS, PATRONS, SHOES, SETS, DEALERS)


class Slot(NamedTuple):
    """A field's place on the tape."""

    column: int
    usual: int = 0  # the number where a line does not have the field
    is_told: bool = True  # whether a writer tells the usual number too
    first: int = 0  # number of a choice's first word
    names: str = ""  # table of names in which a text is numbered
    flag: int = 0  # bit of the column that it sets, where the column is a set of flags
    row: int = 0  # operation of a further row that has it


class Field(NamedTuple):
    """A field of a type of event."""

    name: str
    form: ValueForm
    doc: str
    slot: Slot | None = None
    is_required: bool = False
    stored: str = ""  # its column, where that has another name
    is_logged: bool = True  # whether a line of a file can have it

    @property
    def column(self) -> str:
        """Name of its column."""
        return self.stored or self.name


class EventType(NamedTuple):
    """A type of event."""

    name: str
    source: str
    op: int  # on the tape, 0 where it is on none
    doc: str
    fields: tuple[Field, ...]  # of every line, then its own

    def field(self, name: str) -> Field | None:
        """Return the field of that name, if a line can have it."""
        return next((field for field in self.fields if field.name == name and field.is_logged), None)


def _may(name: str, form: ValueForm, doc: str, slot: Slot | None = None, stored: str = "") -> Field:
    return Field(name, form, doc, slot, stored=stored)


def _must(name: str, form: ValueForm, doc: str, slot: Slot | None = None) -> Field:
    return Field(name, form, doc, slot, is_required=True)


def _own(name: str, form: ValueForm, doc: str, slot: Slot | None = None) -> Field:
    """Return a field of ours, which no line of a file has."""
    return Field(name, form, doc, slot, is_logged=False)


def _unless(usual: int, column: int, names: str = "", flag: int = 0) -> Slot:
    """Return the place of a field that a line has unless its number is the usual one."""
    return Slot(column, usual, is_told=False, names=names, flag=flag)


# Forms of single fields.
_A_BOX: Final = forms.small(1, ops.MAX_SEAT)
_A_BETTOR: Final = forms.small(1, ops.MAX_BETTOR)
_A_HAND: Final = forms.small(1, ops.MAX_HAND)
_CARDS: Final = forms.whole(0, unit="cards")
_STAKED: Final = forms.choice(ops.KINDS[: ops.SUPER_BONUS])
_STATE: Final = forms.choice(("closed", "open"), "one of open, closed")
_CODE: Final = forms.choice([code.name for code in codes.CODES], "a finding code such as 'shoe.ten-found'")
_MISSED: Final = ValueForm(forms.WHOLE, "1 or 2, the initial card that was missed", 1, 2, is_small=True)
_BETTORS: Final = forms.members(ops.MAX_BETTOR, "bettors")
_SEATS: Final = forms.members(ops.MAX_SEAT, "seats")
_FACE: Final = forms.choice(("down", "up"))
_METER: Final = forms.choice(("primary", "secondary"))

# Fields of several types.
_ROUND: Final = _must("round", forms.A_NAME, "round, unique per table and gaming day")
_SEAT: Final = _must("seat", _A_BOX, "box, 1 = the first dealt", Slot(SEAT))
_BETTOR: Final = _may("bettor", _A_BETTOR, "bettor of the box, 1 has control", Slot(BETTOR, 1))
_HAND: Final = _may("hand", _A_HAND, "hand of the box, 1 = its first", Slot(HAND, 1))
_SOME_SEAT: Final = _SEAT._replace(slot=_unless(0, SEAT), is_required=False)
_SOME_BETTOR: Final = _BETTOR._replace(slot=_unless(0, BETTOR))
_SOME_HAND: Final = _HAND._replace(slot=_unless(0, HAND))
_KIND: Final = _must("kind", forms.choice(ops.KINDS), "kind of wager", Slot(KIND))
_BY: Final = _may("by", forms.SOME_PEOPLE, "who did it")
_DECKS: Final = _may("decks", forms.whole(0, 255, "decks"), "number of decks", Slot(SEAT))
_DECKS_ID: Final = _may("decks_id", forms.ANY_TEXT, "set of decks, unique on the floor")
_DEALER: Final = _may("dealer", forms.ANY_TEXT, "dealer who opens or takes over", Slot(AUX, names=DEALERS))
_SHOE: Final = _may("shoe", forms.ANY_TEXT, "shoe, unique on the floor", Slot(CENTS, names=SHOES))
_FAILED: Final = _must("device", forms.choice(ops.DEVICES), "device that fails or works again", Slot(KIND))
_FAULT: Final = _may("kind", forms.ANY_TEXT, "kind of fault")

# Fields of every line, after its type.
HEAD: Final = (
    _must("table", forms.ANY_TEXT, "table, as in floor.toml"),
    _must("seq", forms.A_COUNT, "number of the event at its source, +1 each, counted per device"),
    _must("ts", forms.A_TIME, "time on the source's own clock"),
    _may("device", forms.ANY_TEXT, "which device of the source, where there are several"),
)


def _event(name: str, op: int, doc: str, *fields: Field) -> EventType:
    own = {field.name: field for field in fields}
    head = (own.pop(field.name, field) for field in HEAD)
    source = CAMERA if not op else SHOE if op in _OF_SHOE else TERMINAL
    return EventType(name, source, op, doc, (*head, *own.values()))


_OF_SHOE: Final = frozenset({*range(ops.DRAW, ops.SHOE_ENDED + 1), ops.READER_CHECK})

EVENTS: Final = (
    _event("open", ops.OPEN, "the table opens", _DECKS, _DEALER),
    _event(
        "inspection",
        ops.INSPECTION,
        "opening inspection of a set of decks",
        _DECKS_ID._replace(slot=Slot(AUX, names=SETS)),
        _may("cards", forms.whole(0, 65535, "cards"), "cards counted", Slot(CENTS)),
        _may("tens_removed", forms.whole(0, 4095, "cards"), "tens taken out", Slot(FLAGS)),
        _BY._replace(slot=Slot(BETTOR)),
    ),
    _event("dealer_change", ops.DEALER_CHANGE, "another dealer takes over", _DEALER),
    _event(
        "cut",
        ops.CUT,
        "the cards are cut",
        _SHOE._replace(slot=Slot(FLAGS, names=SHOES)),
        _BY,
        _may("from_top", _CARDS, "cards above the cut", _unless(-1, CENTS)),
        _may("from_bottom", _CARDS, "cards below the cut", _unless(-1, AUX)),
    ),
    _event(
        "wager",
        ops.WAGER,
        "a wager is placed",
        *(_ROUND, _SEAT, _BETTOR, _KIND._replace(form=_STAKED)),
        _must("cents", forms.AN_AMOUNT, "amount wagered", Slot(CENTS)),
        _HAND,
        _may("patron", forms.ANY_TEXT, "number of the patron's card", _unless(0, AUX, PATRONS)),
        _may("for_bettor", forms.small(0, ops.MAX_BETTOR), "bettor whose option is taken", _unless(0, CARD)),
    ),
    _event("bets_closed", ops.BETS_CLOSED, "no more bets", _ROUND),
    _event(
        "offer",
        ops.OFFER,
        "insurance or surrender is offered",
        _ROUND,
        _must("what", forms.choice(ops.OFFERS), "what is offered", Slot(KIND)),
        _must("state", _STATE, "whether the offer opens or closes", Slot(FLAGS)),
    ),
    _event(
        "decision",
        ops.DECISION,
        "a player acts",
        *(_ROUND, _SEAT, _BETTOR._replace(slot=_unless(1, BETTOR)), _HAND),
        _must("action", forms.choice(ops.ACTIONS), "decision", Slot(KIND)),
        _may(
            "bettors", forms.members(ops.MAX_BETTOR, "bettors"), "whom it counts for, where not all", _unless(0, FLAGS)
        ),
    ),
    _event("assign", ops.ASSIGN, "a bettor who does not cover a split chooses a hand", _ROUND, _SEAT, _BETTOR, _HAND),
    _event("withdraw", ops.WITHDRAW, "a wager is taken back", _ROUND, _SEAT, _BETTOR, _KIND, _HAND),
    _event(
        "settle",
        ops.SETTLE,
        "a wager is paid or taken; several lines of one wager add up",
        *(_ROUND, _SEAT, _BETTOR, _KIND, _HAND),
        _may("paid_cents", forms.A_SIGNED_AMOUNT, "what the house pays on top of the stake", Slot(CENTS)),
        _may("taken_cents", forms.A_SIGNED_AMOUNT, "what the house takes of the stake", Slot(AUX)),
    ),
    _event(
        "irregularity",
        ops.IRREGULARITY,
        "a ruling on something irregular, in a round or between rounds",
        _ROUND._replace(is_required=False),
        _must("code", _CODE, "code of the irregularity", Slot(KIND)),
        _may("ruling", forms.SOME_RULINGS, "rulings given on it", _unless(0, CENTS)),
        *(_BY, _SOME_SEAT, _SOME_HAND, _SOME_BETTOR, _SHOE._replace(slot=None)),
        _may("n", forms.SOME_ORDINALS, "ordinal of a card in its shoe", Slot(AUX, row=ops.IRREGULAR_CARD)),
        _may("card", _MISSED, "initial card that a box missed", _unless(0, CARD), stored="missed_card"),
        _may("exposed", forms.A_TRUTH, "whether the card was exposed", _unless(0, FLAGS, flag=ops.EXPOSED)),
        _may("refused_by", _SEATS, "boxes that refused the card", _unless(0, AUX)),
        _own("inferred", forms.A_TRUTH, "whether a story supposes it", _unless(0, FLAGS, flag=ops.INFERRED)),
    ),
    _event(
        "progressive",
        ops.PROGRESSIVE,
        "a step of a progressive system",
        _ROUND,
        _must("system", forms.choice(ops.SYSTEMS), "progressive system", Slot(CARD)),
        _must("action", forms.choice(ops.PROGRESSIVE_ACTIONS), "step of a progressive system", Slot(KIND)),
        *(_SOME_SEAT, _BETTOR),
        _may("symbol", forms.A_SYMBOL, "where the wheel stopped", _unless(0, HAND)),
        _may("prize_cents", forms.AN_AMOUNT, "prize won", _unless(-1, CENTS)),
        _may("meter", _METER, "which of the system's meters", Slot(FLAGS, row=ops.METER)),
        _may("meter_cents", forms.AN_AMOUNT, "what the meter shows", Slot(CENTS, row=ops.METER)),
        _BY,
    ),
    _event("round_end", ops.ROUND_END, "the round is over", _ROUND),
    _event("close", ops.CLOSE, "the table closes"),
    _event(
        "shoe_loaded",
        ops.SHOE_LOADED,
        "cards are put into the shoe",
        _SHOE,
        _DECKS_ID._replace(slot=_unless(0, AUX, SETS)),
        _DECKS,
        _may("cards", forms.whole(0, 4095, "cards"), "cards counted", _unless(0, FLAGS)),
        _may("shuffle", forms.choice(ops.SHUFFLES), "how the cards were shuffled", Slot(KIND)),
        _may("from", forms.choice(ops.SHOE_SOURCES), "where the cards come from", _unless(0, HAND)),
    ),
    _event(
        "draw",
        ops.DRAW,
        "a card leaves the shoe",
        _SHOE,
        _must("n", forms.whole(1), "ordinal of a card in its shoe", Slot(AUX)),
        _must("card", forms.A_CARD, "card drawn", Slot(CARD, first=1)),
        _may("face", _FACE, "how the card lay in the shoe", Slot(FLAGS)),
    ),
    _event(
        "cut_card",
        ops.CUT_CARD,
        "the cut card comes",
        _SHOE,
        _must("n", forms.A_COUNT, "cards drawn before the cut card", Slot(AUX)),
    ),
    _event(
        "shoe_ended",
        ops.SHOE_ENDED,
        "the shoe is at its end",
        _SHOE,
        _must("remaining", _CARDS, "cards left in the shoe", Slot(AUX)),
    ),
    _event(
        "hole_card_check",
        ops.HOLE_CHECK,
        "the hole card is read",
        _must("result", forms.choice(ops.CHECK_RESULTS), "what the card reader said", Slot(KIND)),
    ),
    _event(
        "reader_check",
        ops.READER_CHECK,
        "daily inspection of the card reader",
        _must("result", forms.choice(("ok", "fault")), "what the inspection said", Slot(KIND)),
        _BY,
    ),
    _event("fault", ops.FAULT, "a device fails", _FAILED, _FAULT),
    _event("repaired", ops.REPAIRED, "a device works again", _FAILED, _FAULT),
    _event(
        "seen",
        0,
        "a card seen on the felt",
        _may("camera", forms.ANY_TEXT, "camera, as it names itself"),
        _may("zone", forms.A_ZONE, "where it lay; none without a calibration"),
        _must("order", forms.small(1, forms.MOST_ORDER), "place in the zone, from 1"),
        _must("face", _FACE, "how it lay"),
        _may("card", forms.A_CARD, "card; none where the camera abstains"),
        _may("confidence", forms.A_SHARE, "how sure, from 0 to 1"),
        _may("sideways", forms.A_TRUTH, "whether it lay across"),
        _may("until", forms.A_TIME, "last seen, on the camera's own clock"),
        _own("frame", forms.A_COUNT, "frame of the footage that shows it"),
    ),
)
EVENT_OF: Final = {event.name: event for event in EVENTS}
SOURCES: Final = (TERMINAL, SHOE, CAMERA)
