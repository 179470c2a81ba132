"""Events into flat columns: the tape that the engine reads.

A tape is one row per event, in the order of time, a few small integers and two amounts wide. ``encode`` makes the tapes
of one table's day: the rounds' tape (each round's rows contiguous) and the table's tape (shoes, dealers, faults and the
rounds' beginnings and ends), which ``replay.engine.shoes`` walks.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from replay import cards, codes, ops

U8 = npt.NDArray[np.uint8]
I64 = npt.NDArray[np.int64]
Event = Mapping[str, Any]


class Tape(NamedTuple):
    """Columns of events. What ``cents`` and ``aux`` hold depends on the operation."""

    op: U8
    seat: U8
    bettor: U8
    hand: U8
    kind: U8
    card: U8
    flags: npt.NDArray[np.uint16]
    cents: I64
    aux: I64


class TapeError(ValueError):
    """An event that no round can hold; says which field, what was found and what was expected."""


COLUMNS: Final = Tape._fields
_DTYPES: Final = {"flags": np.uint16, "cents": np.int64, "aux": np.int64}
_SOURCES: Final = {"terminal", "shoe"}


@dataclass
class Encoded:
    """One table's events as tapes, with the names that the columns' numbers stand for."""

    tape: Tape
    offsets: I64  # rows of round i: offsets[i] to offsets[i + 1]
    table: Tape
    rounds: list[str]
    patrons: list[str]
    shoes: list[str]
    sets: list[str]
    dealers: list[str]
    events: Sequence[Event]
    source: I64  # row of the rounds' tape -> index into events
    table_source: I64  # row of the table's tape -> index into events


class _Rows:
    """Rows under construction, column by column."""

    def __init__(self) -> None:
        self.columns: dict[str, list[int]] = {name: [] for name in COLUMNS}
        self.source: list[int] = []

    def add(self, source: int, op: int, **values: int) -> None:
        for name in COLUMNS:
            self.columns[name].append(op if name == "op" else values.get(name, 0))
        self.source.append(source)

    def extend(self, other: "_Rows") -> None:
        for name in COLUMNS:
            self.columns[name].extend(other.columns[name])
        self.source.extend(other.source)

    def tape(self) -> Tape:
        return Tape(*(np.array(self.columns[n], dtype=_DTYPES.get(n, np.uint8)) for n in COLUMNS))


@dataclass
class _Names:
    """Numbers for names, from 1; 0 is nobody."""

    names: list[str] = field(default_factory=lambda: [""])
    index: dict[str, int] = field(default_factory=dict)

    def number(self, name: Any) -> int:
        if name is None or name == "":
            return 0
        key = str(name)
        if key not in self.index:
            self.index[key] = len(self.names)
            self.names.append(key)
        return self.index[key]


def milliseconds(ts: Any) -> int:
    """Milliseconds since 1970 of an RFC 3339 time; -1 where there is none."""
    if ts is None:
        return -1
    try:
        time = datetime.fromisoformat(ts)
        if time.tzinfo is not None:
            return round(time.timestamp() * 1000)
    except (TypeError, ValueError, OverflowError):
        pass
    raise TapeError(f"ts: found {ts!r}, expected a time with its offset, such as 2026-11-16T14:05:07.250+08:00")


def encode(events: Iterable[Event]) -> Encoded:
    """The tapes of one table's events, given in the order of corrected time."""
    return _Encoder(list(events)).run()


class _Encoder:
    def __init__(self, events: list[Event]) -> None:
        self.events = events
        self.table = _Rows()
        self.by_round: dict[str, _Rows] = {}
        self.index: dict[str, int] = {}
        self.patrons, self.shoes, self.sets, self.dealers = _Names(), _Names(), _Names(), _Names()
        self.closed = {str(e.get("round")) for e in events if e.get("type") == "bets_closed"}
        self.current: str | None = None

    def run(self) -> Encoded:
        for i, event in enumerate(self.events):
            self._event(i, event)
        rows = _Rows()
        offsets = [0]
        for part in self.by_round.values():
            rows.extend(part)
            offsets.append(len(rows.source))
        return Encoded(
            tape=rows.tape(),
            offsets=np.array(offsets, dtype=np.int64),
            table=self.table.tape(),
            rounds=list(self.by_round),
            patrons=self.patrons.names,
            shoes=self.shoes.names,
            sets=self.sets.names,
            dealers=self.dealers.names,
            events=self.events,
            source=np.array(rows.source, dtype=np.int64),
            table_source=np.array(self.table.source, dtype=np.int64),
        )

    def _event(self, i: int, event: Event) -> None:
        kind = _text(event, "type")
        if event.get("round") is not None:
            self._round_event(i, kind, event)
        else:
            self._table_event(i, kind, event)

    def _round_event(self, i: int, kind: str, event: Event) -> None:
        name = str(event["round"])
        if name not in self.by_round:
            self.by_round[name] = _Rows()
            self.index[name] = len(self.index)
            if name not in self.closed:
                self._begin(i, name)
        rows = self.by_round[name]
        encoder = _ROUND_EVENTS.get(kind)
        if encoder is None:
            raise TapeError(f"type: found {kind!r}, expected one of {', '.join(_ROUND_EVENTS)}")
        encoder(self, rows, i, event)
        if kind == "bets_closed" and self.current != name:
            self._begin(i, name)
        if kind == "round_end":
            self.table.add(i, ops.ROUND_END, aux=self.index[name])
            if self.current == name:
                self.current = None

    def _begin(self, i: int, name: str) -> None:
        self.current = name
        time = milliseconds(self.events[i].get("ts"))
        self.table.add(i, ops.ROUND_BEGIN, cents=time, aux=self.index[name])

    def _table_event(self, i: int, kind: str, event: Event) -> None:
        encoder = _TABLE_EVENTS.get(kind)
        if encoder is None:
            raise TapeError(f"type: found {kind!r}, expected one of {', '.join(_TABLE_EVENTS)}")
        op, values = encoder(self, event)
        self.table.add(i, op, **values)
        if self.current is not None and op in _ALSO_IN_ROUND:
            self.by_round[self.current].add(i, op, **values)

    # Events of a round.

    def wager(self, rows: _Rows, i: int, e: Event) -> None:
        kind = _choice(e, "kind", ops.KINDS[: ops.SUPER_BONUS])
        cents = _whole(e, "cents", 0)
        rows.add(
            i,
            ops.WAGER,
            **_place(e),
            kind=kind,
            card=_whole(e, "for_bettor", 0, ops.MAX_BETTOR, default=0),
            cents=cents,
            aux=self.patrons.number(e.get("patron")),
        )

    def offer(self, rows: _Rows, i: int, e: Event) -> None:
        what = _choice(e, "what", ops.OFFERS)
        rows.add(i, ops.OFFER, kind=what, flags=1 - _choice(e, "state", ("open", "closed")))

    def decision(self, rows: _Rows, i: int, e: Event) -> None:
        mask = 0
        bettors = e.get("bettors") or []
        if not isinstance(bettors, (list, tuple)):
            raise TapeError(f"bettors: found {bettors!r}, expected a list of bettors such as [1, 3]")
        for bettor in bettors:
            mask |= 1 << _range("bettors", bettor, 1, ops.MAX_BETTOR)
        rows.add(i, ops.DECISION, **_place(e), kind=_choice(e, "action", ops.ACTIONS), flags=mask)

    def assign(self, rows: _Rows, i: int, e: Event) -> None:
        rows.add(i, ops.ASSIGN, **_place(e))

    def withdraw(self, rows: _Rows, i: int, e: Event) -> None:
        rows.add(i, ops.WITHDRAW, **_place(e), kind=_choice(e, "kind", ops.KINDS))

    def settle(self, rows: _Rows, i: int, e: Event) -> None:
        kind = _choice(e, "kind", ops.KINDS)
        paid, taken = _whole(e, "paid_cents", default=0), _whole(e, "taken_cents", default=0)
        rows.add(i, ops.SETTLE, **_place(e), kind=kind, cents=paid, aux=taken)

    def irregularity(self, rows: _Rows, i: int, e: Event) -> None:
        code = _text(e, "code")
        if code not in codes.NUMBER:
            raise TapeError(f"code: found {code!r}, expected a finding code such as 'shoe.ten-found'")
        rulings = 0
        for ruling in _listed(e.get("ruling")):
            if ruling not in ops.RULING_BITS:
                raise TapeError(f"ruling: found {ruling!r}, expected one of {', '.join(ops.RULINGS)}")
            rulings |= ops.RULING_BITS[ruling]
        refused = 0
        for seat in _listed(e.get("refused_by")):
            refused |= 1 << _range("refused_by", seat, 1, ops.MAX_SEAT)
        place = {"seat": 0, "bettor": 0, "hand": 0}
        for name, top in (("seat", ops.MAX_SEAT), ("bettor", ops.MAX_BETTOR), ("hand", ops.MAX_HAND)):
            if e.get(name) is not None:
                place[name] = _whole(e, name, 1, top)
        flags = (ops.EXPOSED if e.get("exposed") else 0) | (ops.INFERRED if e.get("inferred") else 0)
        missed = _whole(e, "card", 1, 2, default=0)
        values = {**place, "kind": codes.NUMBER[code], "card": missed, "flags": flags, "cents": rulings, "aux": refused}
        rows.add(i, ops.IRREGULARITY, **values)
        if e.get("round") is not None:
            self.table.add(i, ops.IRREGULARITY, **values)
        for n in _listed(e.get("n")):
            rows.add(i, ops.IRREGULAR_CARD, aux=_range("n", n, 1, 1 << 40))

    def table_irregularity(self, e: Event) -> tuple[int, dict[str, int]]:
        rows = _Rows()
        self.irregularity(rows, 0, e)
        return ops.IRREGULARITY, {name: rows.columns[name][0] for name in COLUMNS if name != "op"}

    def progressive(self, rows: _Rows, i: int, e: Event) -> None:
        place = {"seat": 0, "bettor": 1}
        if e.get("seat") is not None:
            place = {k: v for k, v in _place(e).items() if k != "hand"}
        wheel, amount = symbol(e.get("symbol"))
        rows.add(
            i,
            ops.PROGRESSIVE,
            **place,
            kind=_choice(e, "action", ops.PROGRESSIVE_ACTIONS),
            card=_choice(e, "system", ops.SYSTEMS),
            hand=wheel,
            cents=_whole(e, "prize_cents", 0, default=-1),
            aux=amount,
        )
        if e.get("meter_cents") is not None:
            secondary = ops.SECONDARY_METER if e.get("meter") == "secondary" else 0
            rows.add(i, ops.METER, flags=secondary, cents=_whole(e, "meter_cents", 0))

    # Events of the table.

    def draw(self, e: Event) -> tuple[int, dict[str, int]]:
        face = _choice(e, "face", ("down", "up"), default=0)
        try:
            card = cards.parse(_text(e, "card"))
        except ValueError as error:
            raise TapeError(f"card: {error}") from None
        return ops.DRAW, {
            "card": card,
            "flags": face,
            "cents": self.shoes.number(e.get("shoe")),
            "aux": _whole(e, "n", 1),
        }

    def shoe_loaded(self, e: Event) -> tuple[int, dict[str, int]]:
        origin = _choice(e, "from", ("decks", "discards"), default=0)
        return ops.SHOE_LOADED, {
            "kind": _choice(e, "shuffle", ops.SHUFFLES, default=0),
            "seat": _whole(e, "decks", 0, 255, default=0),
            "flags": origin | _whole(e, "cards", 0, 4095, default=0) << 1,
            "cents": self.shoes.number(e.get("shoe")) | self.sets.number(e.get("decks_id")) << 32,
            "aux": milliseconds(e.get("ts")),
        }

    def inspection(self, e: Event) -> tuple[int, dict[str, int]]:
        return ops.INSPECTION, {
            "bettor": min(len(_listed(e.get("by"))), 255),
            "flags": _whole(e, "tens_removed", 0, 4095, default=0),
            "cents": self.sets.number(e.get("decks_id")) | _whole(e, "cards", 0, 65535, default=0) << 32,
            "aux": milliseconds(e.get("ts")),
        }

    def cut(self, e: Event) -> tuple[int, dict[str, int]]:
        top, bottom = _whole(e, "from_top", 0, default=-1), _whole(e, "from_bottom", 0, default=-1)
        return ops.CUT, {"flags": self.shoes.number(e.get("shoe")), "cents": top, "aux": bottom}

    def check(self, e: Event) -> tuple[int, dict[str, int]]:
        return ops.HOLE_CHECK, {"kind": _choice(e, "result", ops.CHECK_RESULTS)}

    def reader_check(self, e: Event) -> tuple[int, dict[str, int]]:
        return ops.READER_CHECK, {"kind": _choice(e, "result", ("ok", "fault"))}

    def opened(self, e: Event) -> tuple[int, dict[str, int]]:
        dealer = self.dealers.number(e.get("dealer"))
        return ops.OPEN, {"seat": _whole(e, "decks", 0, 255, default=0), "aux": dealer}


def _device(op: int) -> Any:
    def encode_device(_: _Encoder, e: Event) -> tuple[int, dict[str, int]]:
        return op, {"kind": _choice(e, "device", ops.DEVICES)}

    return encode_device


_ROUND_EVENTS: Final[dict[str, Any]] = {
    "wager": _Encoder.wager,
    "bets_closed": lambda self, rows, i, e: rows.add(i, ops.BETS_CLOSED),
    "offer": _Encoder.offer,
    "decision": _Encoder.decision,
    "assign": _Encoder.assign,
    "withdraw": _Encoder.withdraw,
    "settle": _Encoder.settle,
    "irregularity": _Encoder.irregularity,
    "progressive": _Encoder.progressive,
    "round_end": lambda self, rows, i, e: rows.add(i, ops.ROUND_END),
}
_TABLE_EVENTS: Final[dict[str, Any]] = {
    "draw": _Encoder.draw,
    "shoe_loaded": _Encoder.shoe_loaded,
    "shoe_ended": lambda self, e: (
        ops.SHOE_ENDED,
        {"cents": self.shoes.number(e.get("shoe")), "aux": _whole(e, "remaining", 0)},
    ),
    "cut_card": lambda self, e: (ops.CUT_CARD, {"cents": self.shoes.number(e.get("shoe")), "aux": _whole(e, "n", 0)}),
    "hole_card_check": _Encoder.check,
    "reader_check": _Encoder.reader_check,
    "fault": _device(ops.FAULT),
    "repaired": _device(ops.REPAIRED),
    "open": _Encoder.opened,
    "close": lambda self, e: (ops.CLOSE, {}),
    "inspection": _Encoder.inspection,
    "dealer_change": lambda self, e: (ops.DEALER_CHANGE, {"aux": self.dealers.number(e.get("dealer"))}),
    "cut": _Encoder.cut,
    "irregularity": _Encoder.table_irregularity,
}
_ALSO_IN_ROUND: Final = frozenset(
    {ops.DRAW, ops.HOLE_CHECK, ops.FAULT, ops.REPAIRED, ops.CUT_CARD, ops.SHOE_LOADED, ops.SHOE_ENDED}
)


def _text(event: Event, name: str) -> str:
    value = event.get(name)
    if not isinstance(value, str) or not value:
        raise TapeError(f"{name}: found {value!r}, expected text")
    return value


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _range(name: str, value: Any, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise TapeError(f"{name}: found {value!r}, expected a whole number from {low} to {high}")
    return value


def _whole(event: Event, name: str, low: int = -(1 << 53), high: int = 1 << 53, default: int | None = None) -> int:
    value = event.get(name)
    if value is None and default is not None:
        return default
    return _range(name, value, low, high)


def _choice(event: Event, name: str, choices: tuple[str, ...], default: int | None = None) -> int:
    value = event.get(name)
    if value is None and default is not None:
        return default
    if value not in choices:
        raise TapeError(f"{name}: found {value!r}, expected one of {', '.join(choices)}")
    return choices.index(value)


def _place(event: Event) -> dict[str, int]:
    return {
        "seat": _whole(event, "seat", 1, ops.MAX_SEAT),
        "bettor": _whole(event, "bettor", 1, ops.MAX_BETTOR, default=1),
        "hand": _whole(event, "hand", 1, ops.MAX_HAND, default=1),
    }


def symbol(label: Any) -> tuple[int, int]:
    """Class and amount in cents of a wheel's symbol."""
    if label is None:
        return ops.NO_SYMBOL, 0
    text = str(label)
    if text == "jackpot":
        return ops.JACKPOT, 0
    if text == "jackpot-secondary":
        return ops.JACKPOT_SECONDARY, 0
    kind, amount = (ops.COMMUNITY_AMOUNT, text[10:]) if text.startswith("community-") else (ops.AMOUNT, text)
    if not amount.isascii() or not amount.isdigit() or len(amount) > 12:
        raise TapeError(
            f"symbol: found {text!r}, expected jackpot, jackpot-secondary, an amount in dollars or community-100"
        )
    return kind, int(amount) * 100


# The highest kind that an operation can have.
_TOP_KIND: Final = np.full(ops.ROUND_BEGIN + 1, 255, dtype=np.uint8)
_TOP_KIND[ops.WAGER] = ops.BSX16
_TOP_KIND[[ops.SETTLE, ops.WITHDRAW]] = ops.SUPER_SHARE
_TOP_KIND[ops.DECISION] = ops.RESCUE
_TOP_KIND[ops.PROGRESSIVE] = ops.MUST_HIT
_TOP_KIND[ops.IRREGULARITY] = len(codes.CODES) - 1
_TOP_KIND[ops.HOLE_CHECK] = ops.CHECK_FAULT
_TOP_KIND[[ops.FAULT, ops.REPAIRED]] = ops.DEVICE_POWER
_TOP_KIND[ops.SHOE_LOADED] = ops.SHUFFLE_NONE
_PLACED: Final = np.zeros(ops.ROUND_BEGIN + 1, dtype=np.bool_)
_PLACED[[ops.WAGER, ops.DECISION, ops.ASSIGN, ops.WITHDRAW, ops.SETTLE]] = True

_MONEY: Final = np.zeros(ops.ROUND_BEGIN + 1, dtype=np.bool_)
_MONEY[[ops.WAGER, ops.SETTLE, ops.PROGRESSIVE, ops.METER]] = True
_MOST: Final = 1 << 53  # cents; what is beyond could overflow when multiplied


def check(tape: Tape, offsets: I64) -> None:
    """Refuse columns that would lead the compiled engine astray; says which column and row."""
    rows = len(tape.op)
    for name in COLUMNS:
        if len(getattr(tape, name)) != rows:
            raise TapeError(f"{name}: {len(getattr(tape, name))} rows where op has {rows}")
    if offsets[0] != 0 or offsets[-1] != rows or np.any(np.diff(offsets) < 0):
        raise TapeError(f"offsets: expected to run from 0 up to {rows}, never back")
    for name, column, top in (
        ("op", tape.op, ops.ROUND_BEGIN),
        ("seat", tape.seat, ops.MAX_SEAT),
        ("bettor", tape.bettor, ops.MAX_BETTOR),
        ("hand", tape.hand, ops.MAX_HAND),
        ("card", tape.card, cards.CARD_CODES - 1),
    ):
        if rows and column.max() > top:
            row = int(np.argmax(column > top))
            raise TapeError(f"{name}: row {row} has {column[row]}, expected at most {top}")
    if not rows:
        return
    for name, wrong in (
        ("kind", tape.kind > _TOP_KIND[tape.op]),
        ("seat", _PLACED[tape.op] & (tape.seat == 0)),
        ("bettor", _PLACED[tape.op] & (tape.bettor == 0)),
        ("hand", _PLACED[tape.op] & (tape.hand == 0)),
        ("cents", (tape.op == ops.WAGER) & (tape.cents < 0)),
        ("cents", _MONEY[tape.op] & (np.abs(tape.cents) > _MOST)),
        ("aux", (tape.op == ops.SETTLE) & (np.abs(tape.aux) > _MOST)),
    ):
        if wrong.any():
            row = int(np.argmax(wrong))
            raise TapeError(
                f"{name}: row {row} has {getattr(tape, name)[row]}, which operation {tape.op[row]} cannot have"
            )
