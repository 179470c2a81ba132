"""Malformed rounds: a finding, an undetermined verdict or an error that names field and value; nothing else.

Compiled code has no bounds checks, so the volume runs compiled and a part of it uncompiled, where numpy has them; both
in processes of their own (``python -m tests.replay.test_fuzz KIND COUNT``), which may neither crash nor hang.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from replay import ops
from replay.audit import Audit
from replay.bulk import Verdicts, judge_all
from replay.contract.read import FieldError, shown
from replay.encode import encode_events
from replay.engine import layout as L
from replay.notation import NotationError, load
from replay.tape import I64, Tape, TapeError
from tests import generator
from tests.generator import BOOKS, Event, Setup

Case = tuple[str, Callable[[], list[str]]]  # a name, and what finds the problems

ROOT = Path(__file__).parents[2]
JUNK: tuple[Any, ...] = (
    None,
    -1,
    0,
    300,
    1 << 60,
    1.5,
    True,
    "",
    "XX",
    "TX",
    [],
    [0],
    [[1]],
    {},
    {"a": 1},
    "\x00",
    b"7S",
)
OPTIONAL = (
    "ts",
    "bettors",
    "for_bettor",
    "patron",
    "ruling",
    "n",
    "refused_by",
    "symbol",
    "meter_cents",
    "decks",
    "from",
)
BARE = """
rulebook md-pontoon21
decks 6
round 1
bet 1 20
no more bets
deal KS 9H 8D 8C
1 stand
pay 1 20
end
"""


def bare_round() -> tuple[Setup, list[Event]]:
    script = load(BARE)
    return generator.from_data(script.floor), [dict(event) for event in script.events]


def only(events: list[Event], *types: str) -> list[Event]:
    return [event for event in events if event["type"] not in types]


def line(type_: str, **fields: Any) -> Event:
    return {"source": "terminal", "type": type_, "round": "1", **fields}


def put(events: list[Event], at: int, *more: Event) -> list[Event]:
    return [*events[:at], *more, *events[at:]]


def change(events: list[Event], type_: str, **fields: Any) -> list[Event]:
    return [{**event, **fields} if event["type"] == type_ else event for event in events]


FINDINGS: dict[str, tuple[Callable[[list[Event]], list[Event]], set[str]]] = {
    "no cards at all": (lambda e: only(e, "draw"), {"deal.count-mismatch", "play.out-of-turn"}),
    "no card for the dealer": (lambda e: put(only(e, "draw"), 2, e[2]), {"deal.count-mismatch"}),
    "no wager": (lambda e: only(e, "wager"), {"settlement.unexpected"}),
    "a hand that does not exist": (
        lambda e: put(e, 6, line("decision", seat=1, hand=9, action="hit")),
        {"play.illegal-hit"},
    ),
    "a box that does not exist": (
        lambda e: put(e, 6, line("decision", seat=6, hand=1, action="stand")),
        {"play.out-of-turn"},
    ),
    "a decision after the end": (lambda e: [*e, line("decision", seat=1, hand=1, action="hit")], {"play.out-of-turn"}),
    "a payment to nobody": (
        lambda e: put(e, 7, line("settle", seat=5, kind="main", hand=1, paid_cents=500)),
        {"settlement.unexpected"},
    ),
    "a card more than anybody needs": (
        lambda e: put(e, 7, {**e[2], "n": 5}),
        {"dealer.drew-on-standing-total"},
    ),
}


@pytest.mark.parametrize("name", FINDINGS)
def test_a_round_that_does_not_fit_is_a_finding(name: str) -> None:
    setup, events = bare_round()
    alter, codes = FINDINGS[name]
    result = setup.audit(alter(events))
    assert codes & {finding.code for finding in result.findings}
    assert problems(result) == []


def test_a_round_that_never_ended_is_undetermined() -> None:
    setup, events = bare_round()
    result = setup.audit(only(events, "round_end", "settle"))
    assert {wager.verdict for wager in result.settlements} == {"undetermined"}


REFUSED: tuple[tuple[str, str, Any], ...] = (
    ("wager", "cents", -1),
    ("wager", "cents", 19.5),
    ("wager", "seat", 0),
    ("wager", "seat", 300),
    ("wager", "bettor", 16),
    ("wager", "kind", "side"),
    ("wager", "kind", ["main"]),
    ("draw", "card", "1X"),
    ("draw", "card", None),
    ("draw", "face", "sideways"),
    ("draw", "n", 0),
    ("decision", "hand", 0),
    ("decision", "action", "fold"),
    ("decision", "bettors", 70),
    ("decision", "bettors", [0]),
    ("settle", "paid_cents", 1 << 60),
    ("settle", "kind", 3),
)


@pytest.mark.parametrize(("type_", "name", "value"), REFUSED)
def test_a_value_that_no_round_can_hold_is_refused_by_name(type_: str, name: str, value: Any) -> None:
    setup, events = bare_round()
    with pytest.raises(FieldError) as error:
        setup.audit(change(events, type_, **{name: value}))
    assert str(error.value).startswith(f"{name}:")
    assert shown(value).strip("[]") in str(error.value)


@pytest.mark.parametrize(
    "statement", ["bet 0 20", "bet 1 -20", "deal 1X", "1 fold", "pay 1", "round", "bet 99999999999999999999 5"]
)
def test_a_statement_that_means_nothing_is_refused_with_its_line(statement: str) -> None:
    with pytest.raises(NotationError, match=r"\b6\b"):
        load(BARE.replace("no more bets", statement))


# Volume.


def problems(result: Audit) -> list[str]:
    """Return violations of the invariants that hold for every round, however odd."""
    found = [f"{wager}" for wager in result.settlements if not 0 <= wager.expected_taken_cents <= wager.stake_cents]
    drawn = result.encoded.tape.op == ops.DRAW
    roles = result.verdicts.zones[drawn, 0]
    if np.any(roles == L.UNPLACED) or np.any(roles > L.LEFT_OVER):
        found.append(f"cards went nowhere: {roles}")
    told = sum(finding.variance_cents for finding in result.findings)
    if told != sum(wager.variance_cents for wager in result.settlements):
        found.append(f"findings explain {told} cents of variance")
    return found


def irregular(count: int) -> Iterator[Case]:
    """Rounds with up to forty events dropped, repeated, moved, changed or put in."""
    for seed in range(count):
        rng = Random(f"irregular {seed}")
        setup = generator.random_setup(BOOKS[seed % len(BOOKS)], rng)
        settled = generator.settle_all(setup, list(generator.rounds(setup, rng, 3)), rng)
        events = generator.mutated([event for part in settled for event in part], rng, rng.randint(1, 40))
        yield f"irregular {seed}", partial(judge_events, setup, events)


def corrupt(count: int) -> Iterator[Case]:
    """Rounds with values of any type in any field: refused, or judged like any other."""
    for seed in range(count):
        rng = Random(f"corrupt {seed}")
        setup = generator.random_setup(BOOKS[seed % len(BOOKS)], rng)
        events = generator.mutated(generator.play_round(setup, rng, generator.shuffled(setup, rng)).events(), rng, 3)
        for _ in range(rng.randint(1, 3)):
            event = rng.choice(events)
            event[rng.choice([*event, *OPTIONAL])] = rng.choice(JUNK)
        yield f"corrupt {seed}", partial(refuse_or_judge, setup, events)


def judge_events(setup: Setup, events: list[Event]) -> list[str]:
    return problems(setup.audit(events, trace=True))


def refuse_or_judge(setup: Setup, events: list[Event]) -> list[str]:
    try:
        return problems(setup.audit(events))
    except FieldError as error:
        return [] if ": " in str(error) else [f"an error that does not say which field: {error}"]


def bytes_of(count: int) -> Iterator[Case]:
    """Tapes with random values in every column, within what fits the column or within what a round may hold."""
    for seed in range(count):
        rng = Random(f"bytes {seed}")
        setup = generator.random_setup(BOOKS[seed % len(BOOKS)], rng)
        played = [round_.events() for round_ in generator.rounds(setup, rng, 2)]
        encoded = encode_events(event for events in played for event in events)
        tape = scrambled(encoded.tape, np.random.default_rng(seed), rng)
        yield f"bytes {seed}", partial(judge_tape, setup, tape, encoded.offsets)


_TOPS = {"op": 19, "seat": ops.MAX_SEAT, "bettor": ops.MAX_BETTOR, "hand": ops.MAX_HAND, "kind": 9, "card": 52}


def scrambled(tape: Tape, numbers: np.random.Generator, rng: Random) -> Tape:
    """Some cells of some columns replaced, at times by anything that the column can hold."""
    columns = {}
    for name, column in tape._asdict().items():
        top = np.iinfo(column.dtype).max if rng.random() < 0.1 else _TOPS.get(name, 70000)
        low = -5 if column.dtype.kind == "i" else 0
        random = numbers.integers(
            low, min(int(top), np.iinfo(column.dtype).max), len(column), dtype=column.dtype, endpoint=True
        )
        columns[name] = np.where(numbers.random(len(column)) < rng.choice((0, 0.05, 0.5)), random, column)
    return Tape(**columns)


def judge_tape(setup: Setup, tape: Tape, offsets: I64) -> list[str]:
    contexts = np.zeros(len(offsets) - 1, np.int64)
    try:
        parts = list(judge_all(tape, offsets, contexts, setup.rules))
    except TapeError:
        return []
    return [problem for part in parts for problem in unsound(part)]


def unsound(part: Verdicts) -> list[str]:
    """Numbers that stand for nothing, in what the engine wrote."""
    found = []
    s, f = part.settlements, part.findings
    if np.any(s[:, L.S_KIND] >= len(ops.KINDS)) or np.any(s[:, L.S_VERDICT] >= len(ops.VERDICTS)):
        found.append("a settlement of no kind")
    if np.any(f[:, L.F_HANDLING] >= len(ops.HANDLINGS)):
        found.append("a finding with no handling")
    if s[:, L.S_VARIANCE].sum() != f[:, L.F_COST].sum():
        found.append("a variance that no finding explains")
    return found


KINDS = {"irregular": irregular, "corrupt": corrupt, "bytes": bytes_of}


def main(kind: str, count: int) -> None:
    """Run that many cases of one kind and print those that went wrong."""
    for name, case in KINDS[kind](count):
        try:
            found = case()
        except Exception as error:
            found = [f"{type(error).__name__}: {error}"]
        if found:
            print(name, *found, sep="\n  ", flush=True)


@pytest.mark.parametrize(("kind", "count"), [("irregular", 400), ("corrupt", 600), ("bytes", 400)])
def test_fuzz_compiled(kind: str, count: int) -> None:
    assert fuzz(kind, count, {}) == ""


@pytest.mark.parametrize(("kind", "count"), [("irregular", 120), ("corrupt", 300), ("bytes", 150)])
def test_fuzz_uncompiled(kind: str, count: int) -> None:
    assert fuzz(kind, count, {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "error"}) == ""


def fuzz(kind: str, count: int, env: dict[str, str]) -> str:
    command = [sys.executable, "-m", "tests.replay.test_fuzz", kind, str(count)]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **env}, capture_output=True, text=True, timeout=400, check=False
    )
    return done.stdout + (f"\nexit {done.returncode}\n{done.stderr}" if done.returncode else "")


# Rounds beyond all measure.


def test_a_million_cards_in_one_round() -> None:
    setup, events = bare_round()
    tape = encode_events(events).tape
    rows = np.concatenate([np.arange(6), np.full(1_000_000, 5), np.arange(6, len(tape.op))])
    long = Tape._make(np.ascontiguousarray(column[rows]) for column in tape)
    (part,) = judge_all(long, np.array([0, len(rows)]), np.zeros(1, np.int64), setup.rules)
    assert np.count_nonzero(part.zones[:, 0] == L.LEFT_OVER) == 1_000_000
    assert part.settlements[0, L.S_PAID] == 2000


def test_more_findings_than_rows() -> None:
    """Each of these wagers is late, too small, in a full box and by somebody who sat out the round before."""
    setup = generator.plain_setup("ma-pontoon21", mid_shoe_entry="forbid", boxes_per_player=1)
    first = [line("wager", seat=1, kind="main", cents=1000), line("bets_closed"), *bare_round()[1][2:5]]
    places = [(2 + n % 29, 4 + n % 11) for n in range(300)]
    late = [line("wager", seat=seat, bettor=bettor, kind="main", cents=100) for seat, bettor in places]
    second = [{**event, "round": "2"} if "round" in event else event for event in [*first, *late, line("round_end")]]
    assert len(setup.audit([*first, line("round_end"), *second]).findings) > 1200
    traced = setup.audit([*first, line("round_end"), *second], trace=True)
    assert np.count_nonzero(traced.verdicts.steps[:, L.T_WHAT] == L.STEP_FINDING) > 1200


def test_three_hundred_splits_of_one_hand() -> None:
    """Cards of a hand whose number is too large for a zone must not go to another hand."""
    setup, events = bare_round()
    split = [line("decision", seat=1, hand=1, action="split"), {**events[2], "card": "8C"}]
    result = setup.audit([*change(events[:6], "draw", card="8S"), *split * 300, events[-1]])
    assert problems(result) == []
    zones, hands = result.verdicts.zones, result.verdicts.hands
    cards = np.bincount(zones[zones[:, 0] == L.TO_BOX, 2], minlength=256)
    known = hands[hands[:, L.O_HAND] <= ops.MAX_HAND]
    assert cards[known[:, L.O_HAND]].tolist() == known[:, L.O_CARDS].tolist()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
