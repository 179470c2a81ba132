"""The plain-text notation: of any script that it can say nothing is lost."""

from datetime import date
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from replay import cards, ops
from replay import notation_statements as statements
from replay.notation import Event, NotationError, Script, dump, load
from tests.replay.notation_events import (
    HEADER,
    draw,
    terminal,
)

WORDS = [form.statement for form in statements.PLAIN_FORMS] + [
    "ends",
    "card",
    "by",
    "box",
    "JD",
    "10S",
    "a,b",
    "@1",
    "12",
    "no",
]
TEXTS = st.one_of(st.sampled_from([*WORDS, "", " ", "seat 3", "dana lee", "x by y", "7S AH"]), st.text(max_size=6))
NUMBERS = st.integers(1, 4)
COUNTS = st.integers(0, 400)
CENTS = st.one_of(st.integers(0, 20).map(lambda dollars: dollars * 100), st.integers(0, 10**9))
SIGNED = st.one_of(st.just(0), CENTS, CENTS.map(lambda cents: -cents))
SHOES = st.sampled_from(["S1", "S2", "ends"])
TIMESTAMPS = st.sampled_from(
    [
        f"2026-11-16T14:05:0{n}.{ms}{offset}"
        for n in "78"
        for ms in ("000", "250")
        for offset in ("+00:00", "Z", "+08:00")
    ]
)


def one_of(*choices: str) -> st.SearchStrategy[str]:
    return st.sampled_from(choices)


def listed(items: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(items, min_size=1, max_size=3)


def event(source: str, type_: str, optional: dict[str, Any] | None = None, **fields: Any) -> st.SearchStrategy[Event]:
    fixed = {"source": st.just(source), "type": st.just(type_)}
    return st.fixed_dictionaries({**fixed, **fields}, optional=optional or {})


PLACED: dict[str, Any] = {"seat": NUMBERS, "bettor": NUMBERS}
FAULT: dict[str, Any] = {"device": one_of("shoe", "shuffler", "reader", "progressive", "power")}
STAKED = ("main", "match", "pair", "insurance", "bonus-spin", "bsx16")
RULING = one_of(*ops.RULINGS)
LOOSE = st.one_of(
    event("terminal", "open", dealer=TEXTS, decks=COUNTS),
    event("terminal", "inspection", decks_id=TEXTS, cards=COUNTS, tens_removed=COUNTS, by=listed(TEXTS)),
    event("terminal", "dealer_change", dealer=TEXTS),
    event("terminal", "cut", shoe=SHOES, by=TEXTS, from_top=COUNTS, from_bottom=COUNTS),
    event("terminal", "close"),
    event(
        *("shoe", "shoe_loaded", {"cards": COUNTS, "from": one_of("decks", "discards")}),
        shoe=SHOES,
        decks_id=TEXTS,
        decks=st.sampled_from([6, 8]),
        shuffle=one_of("machine", "manual", "preshuffled", "none"),
    ),
    event("shoe", "cut_card", shoe=SHOES, n=COUNTS),
    event("shoe", "shoe_ended", shoe=SHOES, remaining=COUNTS),
    event("shoe", "hole_card_check", result=one_of("blackjack", "no-blackjack", "fault")),
    event("shoe", "reader_check", result=one_of("ok", "fault"), by=TEXTS),
    event("shoe", "fault", {"kind": TEXTS}, **FAULT),
    event("shoe", "repaired", {"kind": TEXTS}, **FAULT),
)
IRREGULARITY = event(
    *("terminal", "irregularity"),
    {
        "by": TEXTS,
        "seat": NUMBERS,
        "hand": NUMBERS,
        "bettor": NUMBERS,
        "shoe": TEXTS,
        "card": st.integers(1, 2),
        "exposed": st.booleans(),
        "inferred": st.booleans(),
        "n": st.one_of(NUMBERS, listed(st.integers(1, 400))),
        "refused_by": listed(NUMBERS),
    },
    code=TEXTS,
    ruling=st.one_of(RULING, listed(RULING)),
)
PROGRESSIVE = event(
    *("terminal", "progressive"),
    {
        "seat": NUMBERS,
        "bettor": NUMBERS,
        "symbol": TEXTS,
        "prize_cents": CENTS,
        "meter": one_of("primary", "secondary"),
        "meter_cents": CENTS,
        "by": TEXTS,
    },
    system=one_of("bonus-spin", "bsx16"),
    action=one_of(*ops.PROGRESSIVE_ACTIONS),
)
EXTRA = {"patron": TEXTS, "for_bettor": NUMBERS}
IN_ROUND = st.one_of(
    event(
        "terminal",
        "wager",
        {**EXTRA, "hand": NUMBERS},
        **PLACED,
        kind=one_of(*STAKED),
        cents=CENTS,
    ),
    event("terminal", "wager", EXTRA, **PLACED, kind=one_of("split", "double"), cents=CENTS, hand=NUMBERS),
    event("terminal", "bets_closed"),
    event("terminal", "offer", what=one_of("insurance", "surrender"), state=one_of("open", "closed")),
    event(
        "terminal", "decision", {"bettors": listed(NUMBERS)}, seat=NUMBERS, hand=NUMBERS, action=one_of(*ops.ACTIONS)
    ),
    event("terminal", "assign", **PLACED, hand=NUMBERS),
    event("terminal", "withdraw", **PLACED, kind=one_of(*ops.KINDS[: ops.SUPER_BONUS]), hand=NUMBERS),
    event(
        *("terminal", "settle"),
        **PLACED,
        kind=one_of(*ops.KINDS),
        hand=NUMBERS,
        paid_cents=SIGNED,
        taken_cents=SIGNED,
    ),
    IRREGULARITY,
    PROGRESSIVE,
)
CARDS = st.sampled_from(sorted(cards.BY_NAME))


@st.composite
def draws(pick: st.DrawFn) -> list[Event]:
    first, shoe_id = pick(st.sampled_from([1, 2, 3, 53])), pick(SHOES)
    names = pick(st.lists(st.tuples(CARDS, one_of("up", "down", "down")), min_size=1, max_size=4))
    return [draw(first + index, card, shoe_id, face) for index, (card, face) in enumerate(names)]


@st.composite
def additional_wagers(pick: st.DrawFn) -> list[Event]:
    """A split or double, mostly with the wager that belongs to it, and cards."""
    seat, hand, kind = pick(st.just(1) | NUMBERS), pick(NUMBERS), pick(one_of("split", "double"))
    bet = terminal("wager", seat=seat, bettor=pick(st.sampled_from([1, 1, 2])), kind=kind, cents=pick(CENTS))
    bet["hand"] = pick(st.sampled_from([2, 2, 3, 4])) if kind == "split" else pick(st.just(hand) | NUMBERS)
    return [bet, terminal("decision", seat=seat, hand=hand, action=kind), *pick(draws())]


def blocks(*choices: st.SearchStrategy[list[Event]]) -> st.SearchStrategy[list[Event]]:
    """One of the choices, each as often as the others (``one_of`` would weigh them by their own alternatives)."""
    return st.sampled_from(choices).flatmap(lambda choice: choice)


def alone(events: st.SearchStrategy[Event]) -> st.SearchStrategy[list[Event]]:
    return events.map(lambda one: [one])


ROUND_BLOCK = blocks(alone(IN_ROUND), additional_wagers(), draws(), alone(LOOSE))
BETWEEN_BLOCK = blocks(draws(), alone(LOOSE), alone(IRREGULARITY))
CARRIES_ROUND = {
    "wager",
    "bets_closed",
    "offer",
    "decision",
    "assign",
    "withdraw",
    "settle",
    "irregularity",
    "progressive",
}


@st.composite
def scripts(pick: st.DrawFn) -> Script:
    events: list[Event] = []
    number_of_rounds = pick(st.integers(0, 3))
    for number in range(number_of_rounds):
        for block in pick(st.lists(BETWEEN_BLOCK, max_size=3)):
            events += block
        name = pick(TEXTS)
        opened = [terminal("bets_closed")]
        for block in pick(st.lists(ROUND_BLOCK, max_size=8)):
            opened += block
        if number < number_of_rounds - 1 or pick(st.booleans()):
            opened.append(terminal("round_end"))
        events += [{**one, "round": name} if one["type"] in {*CARRIES_ROUND, "round_end"} else one for one in opened]
    stamps = pick(st.none() | st.lists(st.none() | TIMESTAMPS, min_size=1, max_size=4))
    if stamps:
        pairs = [(one, stamps[index // 3 % len(stamps)]) for index, one in enumerate(events)]
        events = [one if ts is None else {**one, "ts": ts} for one, ts in pairs]
    return Script(pick(floors()), tuple(events))


SETTINGS = st.dictionaries(TEXTS, st.booleans() | st.integers(-(10**6), 10**6) | TEXTS, min_size=1, max_size=3)
PROGRESSIVE_TABLE = st.fixed_dictionaries(
    {},
    optional={"meter": TEXTS, "secondary_meter": TEXTS, "jackpot_cents": CENTS, "authorise_from_cents": CENTS},
)


@st.composite
def floors(pick: st.DrawFn) -> dict[str, Any]:
    table = st.fixed_dictionaries(
        {
            "id": TEXTS,
            "from": st.just(date(2026, 11, 16)) | st.dates(),
            "rulebook": TEXTS,
            "currency": TEXTS,
            "decks": st.sampled_from([6, 8]),
            "boxes": NUMBERS,
            "min_cents": CENTS,
            "max_cents": CENTS,
            "chip_unit_cents": CENTS,
        },
        optional={
            "options": SETTINGS,
            "readings": SETTINGS,
            "progressive": st.dictionaries(one_of("bonus-spin", "bsx16"), PROGRESSIVE_TABLE, min_size=1),
        },
    )
    meter = st.fixed_dictionaries({"id": TEXTS, "rate_ppm": COUNTS, "reset_cents": CENTS})
    optional = {"property": st.fixed_dictionaries({"name": TEXTS}), "meter": listed(meter)}
    return pick(st.fixed_dictionaries({"table": table.map(lambda one: [one])}, optional=optional))


@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(scripts())
def test_nothing_is_lost(script: Script) -> None:
    text = dump(script)
    assert load(text) == script
    assert dump(load(text)) == text


TOKENS = [*WORDS, *("1", "0", "/", "1.2", "25", "-1", ",", "|", "=", "#", '"', '""', "7S", "@14:05:07")]
STATEMENTS = st.sampled_from(
    ["1 hit", "bet 1", "bet", "pay 1", "deal", "rule", "rule x continue", "shoe", "dealer", "no more"]
)


@settings(deadline=None, max_examples=300)
@given(
    st.lists(st.tuples(STATEMENTS, st.lists(st.sampled_from(TOKENS), max_size=4)).map(lambda one: [one[0], *one[1]]))
)
def test_any_text_loads_or_is_told_why_not(lines: list[list[str]]) -> None:
    text = HEADER + "round 1\n" + "\n".join(" ".join(words) for words in lines)
    try:
        script = load(text)
    except NotationError as error:
        assert str(error).startswith(f"line {error.line}: ")
        assert "\n" not in str(error)
    else:
        assert load(dump(script)) == script
