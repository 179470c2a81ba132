"""What each field of a line may hold, by type of line: one description for the careful reader and the fast one."""

import re
from typing import Any, Final, NamedTuple

from replay import cards, codes, ops
from replay.columns import NUMBERS, TEXTS, TYPES, listed
from replay.times import time_ms

# What a field holds.
(NOTHING, WHOLE, TRUTH, TIME, SHARE, TEXT, NAME, CHOICE, SYMBOL, ZONE, PEOPLE, RULINGS, MEMBERS, ORDINALS) = range(14)

MOST: Final = 1 << 53
MOST_ORDINAL: Final = 1 << 40
MOST_ORDER: Final = (1 << 15) - 1
MOST_DIGITS: Final = 12  # of a symbol's amount
MILLION: Final = 1_000_000

# Names of a line's fields. A list under ``n`` is kept as ``n_list``, a number under ``card`` as ``missed_card``.
KEYS: Final = ("type", *(name for name in (*NUMBERS, *TEXTS) if name not in ("n_list", "missed_card", "inferred")))


class Form(NamedTuple):
    """What a field may hold; ``says`` is how a person is told."""

    what: int
    says: str
    low: int = 0
    high: int = 0
    words: tuple[str, ...] = ()
    required: bool = False


def _whole(low: int, high: int = MOST) -> Form:
    return Form(WHOLE, f"a whole number from {low} to {high}", low, high)


def _choice(words: tuple[str, ...], says: str = "") -> Form:
    return Form(CHOICE, says or f"one of {', '.join(words)}", words=words)


def _must(form: Form) -> Form:
    return form._replace(required=True)


_NOTHING: Final = Form(NOTHING, "nothing")
_TEXT: Final = Form(TEXT, "text")
_NAME: Final = Form(NAME, "text that is not empty")
_TRUTH: Final = Form(TRUTH, "true or false")
_TIME: Final = Form(TIME, "a time from 1970 on with its offset, such as 2026-11-16T14:05:07.250+08:00")
_SEAT: Final = _whole(1, ops.MAX_SEAT)
_BETTOR: Final = _whole(1, ops.MAX_BETTOR)
_HAND: Final = _whole(1, ops.MAX_HAND)
_COUNT: Final = _whole(0)
_CENTS: Final = _whole(-MOST)
_CARD: Final = _choice(cards.NAMES[1:], f"a card such as 7S (rank of {cards.RANKS}, suit of {cards.SUITS})")
_FACE: Final = _choice(("down", "up"))
_DECKS: Final = _whole(0, 255)
_PEOPLE: Final = Form(PEOPLE, "text or a list of texts")
_RULINGS: Final = Form(RULINGS, f"one or a list of {', '.join(ops.RULINGS)}", words=ops.RULINGS)

# What a field holds where the type of line does not say otherwise: kept if it fits, ignored if not.
_USUAL: Final[dict[str, Form]] = {
    "type": _must(_choice(TYPES)),
    "seq": _must(_COUNT),
    "ts": _must(_TIME),
    "table": _must(_TEXT),
    "round": _NOTHING,  # a line outside rounds is in none, whatever it says
    "seat": _SEAT,
    "bettor": _BETTOR,
    "hand": _HAND,
    "for_bettor": _whole(0, ops.MAX_BETTOR),
    "cents": _CENTS,
    "paid_cents": _CENTS,
    "taken_cents": _CENTS,
    "prize_cents": _CENTS,
    "meter_cents": _CENTS,
    "order": _whole(1, MOST_ORDER),
    "exposed": _TRUTH,
    "sideways": _TRUTH,
    "until": _TIME,
    "confidence": Form(SHARE, "a number from 0 to 1"),
    "by": _PEOPLE,
    "ruling": _RULINGS,
    "bettors": Form(MEMBERS, f"a list of bettors from 1 to {ops.MAX_BETTOR}", 1, ops.MAX_BETTOR),
    "refused_by": Form(MEMBERS, f"a list of seats from 1 to {ops.MAX_SEAT}", 1, ops.MAX_SEAT),
}
_PLACE: Final = {"round": _must(_NAME), "seat": _must(_SEAT), "bettor": _BETTOR, "hand": _HAND}
_KIND: Final = _must(_choice(ops.KINDS))
_SHOE: Final = {"shoe": _TEXT}
_DEVICE: Final = {"device": _must(_choice(ops.DEVICES)), "kind": _TEXT}

# Fields of a type: a line in which one of them does not fit is refused.
_OWN: Final[dict[str, dict[str, Form]]] = {
    "open": {"decks": _DECKS, "dealer": _TEXT},
    "inspection": {"decks_id": _TEXT, "cards": _whole(0, 65535), "tens_removed": _whole(0, 4095), "by": _PEOPLE},
    "dealer_change": {"dealer": _TEXT},
    "cut": _SHOE | {"by": _PEOPLE, "from_top": _COUNT, "from_bottom": _COUNT},
    "wager": _PLACE
    | {"kind": _must(_choice(ops.KINDS[: ops.SUPER_BONUS])), "cents": _must(_COUNT), "patron": _TEXT}
    | {"for_bettor": _USUAL["for_bettor"]},
    "bets_closed": {"round": _must(_NAME)},
    "offer": {"round": _must(_NAME), "what": _must(_choice(ops.OFFERS)), "state": _must(_choice(("open", "closed")))},
    "decision": _PLACE | {"action": _must(_choice(ops.ACTIONS)), "bettors": _USUAL["bettors"]},
    "assign": _PLACE,
    "withdraw": _PLACE | {"kind": _KIND},
    "settle": _PLACE | {"kind": _KIND, "paid_cents": _CENTS, "taken_cents": _CENTS},
    "irregularity": _SHOE
    | {
        "round": _NAME,
        "code": _must(_choice(tuple(code.name for code in codes.CODES), "a finding code such as 'shoe.ten-found'")),
        "ruling": _RULINGS,
        "by": _PEOPLE,
        "seat": _SEAT,
        "hand": _HAND,
        "bettor": _BETTOR,
        "n": Form(ORDINALS, f"one or a list of whole numbers from 1 to {MOST_ORDINAL}", 1, MOST_ORDINAL),
        "card": Form(WHOLE, "1 or 2, the initial card that was missed", 1, 2),
        "exposed": _TRUTH,
        "refused_by": _USUAL["refused_by"],
    },
    "progressive": {
        "round": _must(_NAME),
        "system": _must(_choice(ops.SYSTEMS)),
        "action": _must(_choice(ops.PROGRESSIVE_ACTIONS)),
        "seat": _SEAT,
        "bettor": _BETTOR,
        "symbol": Form(
            SYMBOL,
            "jackpot, jackpot-secondary, an amount in dollars or community-100",
            words=("jackpot", "jackpot-secondary"),
        ),
        "prize_cents": _COUNT,
        "meter": _choice(("primary", "secondary")),
        "meter_cents": _COUNT,
        "by": _PEOPLE,
    },
    "round_end": {"round": _must(_NAME)},
    "close": {},
    "shoe_loaded": _SHOE
    | {"decks_id": _TEXT, "decks": _DECKS, "cards": _whole(0, 4095), "shuffle": _choice(ops.SHUFFLES)}
    | {"from": _choice(("decks", "discards"))},
    "draw": _SHOE | {"n": _must(_whole(1)), "card": _must(_CARD), "face": _FACE},
    "cut_card": _SHOE | {"n": _must(_COUNT)},
    "shoe_ended": _SHOE | {"remaining": _must(_COUNT)},
    "hole_card_check": {"result": _must(_choice(ops.CHECK_RESULTS))},
    "reader_check": {"result": _must(_choice(("ok", "fault"))), "by": _PEOPLE},
    "fault": _DEVICE,
    "repaired": _DEVICE,
    "seen": {
        "camera": _TEXT,
        "zone": Form(ZONE, "a zone such as seat3.hand1, dealer, discard or burn", words=("dealer", "discard", "burn")),
        "order": _must(_USUAL["order"]),
        "face": _must(_FACE),
        "card": _CARD,
        "confidence": _USUAL["confidence"],
        "sideways": _TRUTH,
        "until": _TIME,
    },
}
# Every line's own.
_HEAD: Final = {name: _USUAL[name] for name in ("type", "table", "seq", "ts")} | {"device": _TEXT}
OWN: Final[dict[str, dict[str, Form]]] = {kind: _HEAD | own for kind, own in _OWN.items()}

_SYMBOLS: Final = re.compile(rf"(?:community-)?\d{{1,{MOST_DIGITS}}}", re.ASCII)
_ZONES: Final = re.compile(r"seat([1-9]\d?)\.hand([1-9]\d{0,2})", re.ASCII)


def form_of(kind: str, name: str) -> Form:
    """What a field may hold on a line of that type."""
    usual = Form(WHOLE, "", 0, MOST) if name in NUMBERS else _TEXT
    return OWN[kind].get(name) or _USUAL.get(name, usual)


def fitted(form: Form, value: Any) -> int | str | None:
    """A value as the columns hold it; None where it does not fit the form."""
    if form.what == TIME:
        return time_ms(value)
    if form.what in (WHOLE, TRUTH, SHARE):
        return _number(form, value)
    if form.what in (MEMBERS, ORDINALS):
        return _numbers(form, value)
    if form.what in (PEOPLE, RULINGS):
        return _texts(form, value)
    return _text(form, value)


def _is_whole(form: Form, value: Any) -> bool:
    return type(value) is int and form.low <= value <= form.high


def _number(form: Form, value: Any) -> int | None:
    if form.what == TRUTH:
        return int(value) if isinstance(value, bool) else None
    if form.what == SHARE:
        return round(value * MILLION) if type(value) in (int, float) and 0 <= value <= 1 else None
    return value if _is_whole(form, value) else None


def _numbers(form: Form, value: Any) -> int | str | None:
    if form.what == ORDINALS and not isinstance(value, list):
        return value if _is_whole(form, value) else None
    values = value if isinstance(value, list) else [value]
    return listed(values) if all(_is_whole(form, each) for each in values) else None


def _texts(form: Form, value: Any) -> str | None:
    if form.what == PEOPLE and isinstance(value, str) and not value.startswith("["):
        return value  # what begins with a bracket could be taken for a list
    values = value if isinstance(value, list) else [value]
    known = all(isinstance(each, str) and (each in form.words or not form.words) for each in values)
    return listed(values) if known else None


def _text(form: Form, value: Any) -> str | None:
    if form.what == SYMBOL and type(value) is int:
        value = str(value)
    if not isinstance(value, str):
        return None
    fits = {
        NOTHING: False,
        TEXT: True,
        NAME: value != "",
        CHOICE: value in form.words,
        SYMBOL: value in form.words or _SYMBOLS.fullmatch(value) is not None,
        ZONE: value in form.words or _is_hand(value),
    }
    return value if fits[form.what] else None


def _is_hand(zone: str) -> bool:
    found = _ZONES.fullmatch(zone)
    return found is not None and int(found[1]) <= ops.MAX_SEAT and int(found[2]) <= ops.MAX_HAND
