"""The fast reader makes of any bytes what the careful one makes of them."""

import json
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.ingest.scan import MOST_BYTES, scan
from pipelines.ingest.words import new_words
from replay import cards, codes, ops
from replay.contract.stored import KEYS
from tests.pipelines.ingest.rows import assert_same
from tests.pipelines.ingest.test_careful import CASES, TS, line

LINES = {source: [line(kind, fields)[:-1] for own, kind, fields, _ in CASES if own == source] for source, *_ in CASES}
VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 3, 15, 16, 31, 32, 250, 251, 255, 256, 4095, 4096, 65536, 1 << 40, (1 << 40) + 1),
    *(1 << 53, (1 << 53) + 1, -(1 << 53), 10**17, 10**18, 0.5, 1.0, 1.5, -0.5, 0.123456, 0.1234567, 1e-7, 1e300),
    *(
        "",
        "x",
        "é",
        "7S",
        "up",
        "[a",
        "dealer",
        "burn",
        "1000",
        "community-100",
        "community-",
        "1" * 13,
        "a\nb",
        "\x7f",
    ),
    *("seat1.hand1", "seat32.hand1", "seat3.hand251", "seat03.hand1", "seat3.hand", "main", "jackpot", "secondary"),
    *([], [1], [1, 2], [0], [16], [True], [1.5], ["a"], ["a", "é"], ["continue"], ["continue", "refuse"], [None], {}),
    *(TS, "2026-01-06T00:21:49.1234-05:00", "2026-02-29T00:00:00Z", *ops.KINDS, *ops.ACTIONS, *ops.RULINGS),
    *(codes.CODES[0].name, cards.NAMES[1]),
]
FRAGMENTS = [
    *(
        b'"',
        b"\\",
        b",",
        b":",
        b"{",
        b"}",
        b"[",
        b"]",
        b"null",
        b"true",
        b"false",
        b"ftrue",
        b"alse",
        b"-",
        b"-0",
        b"00",
    ),
    *(
        b".",
        b"e5",
        b"1E2",
        b" ",
        b"\t",
        b"\r",
        b"\n",
        b"\0",
        b"\xc3\xa9",
        b"\xff",
        b"\xed\xa0\x80",
        b"\xf0\x9f\x82\xa1",
    ),
    *(
        b"\\u0041",
        b'"seat":3,',
        b'"x":1,',
        b'"x":2,',
        b'"hand":3,',
        b"9" * 20,
        b"1.5",
        b"[]",
        b'""',
        b"T2",
        b"23:59:60",
    ),
    *(b"+24:00", b"Z", b".123456789", b'"n":[1,2],', b'"by":["a","b"],', b'"ruling":"continue",', b"-0.5", b"0."),
]


def mutated(raw: bytes, rng: Random) -> bytes:
    """A line with some bytes changed, put in, taken out or doubled."""
    found = bytearray(raw)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(found) + 1)
        end = min(len(found), at + rng.randrange(12))
        found[at:end] = rng.choice(
            (
                b"",
                rng.choice(FRAGMENTS),
                rng.randbytes(1),
                bytes(found[at:end] * 2),
                rng.choice(b'09-"{}[]:,.e \\ZT').to_bytes(),
            )
        )
    return bytes(found)


def rewritten(raw: bytes, rng: Random) -> bytes:
    """A line with its fields in another order, other values, and fields more."""
    event = json.loads(raw) | {rng.choice((*KEYS, "note", "é")): rng.choice(VALUES) for _ in range(rng.randrange(4))}
    items = rng.sample(list(event.items()), len(event))
    separators = rng.choice(((",", ":"), (", ", ": "), (" ,\t", "\r: ")))
    return json.dumps(dict(items), ensure_ascii=rng.random() < 0.3, separators=separators).encode()


@pytest.mark.parametrize("source", list(LINES))
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 1 << 60))
def test_of_mutated_lines_the_fast_reader_makes_what_the_careful_one_does(source: str, seed: int) -> None:
    rng = Random(seed)
    lines = []
    for _ in range(20):
        raw = rng.choice(LINES[source])
        raw = rewritten(raw, rng) if rng.random() < 0.6 else raw
        lines.append(mutated(raw, rng) if rng.random() < 0.5 else raw)
    assert_same(b"\n".join(lines) + rng.choice((b"", b"\n", b"\r\n")), source)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200) | st.lists(st.sampled_from(FRAGMENTS), max_size=30).map(b"".join))
def test_of_any_bytes_too(text: bytes) -> None:
    assert_same(text, "shoe")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from(VALUES)), max_size=4), st.sampled_from(CASES))
def test_of_any_values_too(given_values: list[tuple[str, Any]], case: Any) -> None:
    source, kind, fields, _ = case
    assert_same(line(kind, fields | dict(given_values)), source)


@settings(max_examples=100, deadline=None)
@given(st.binary(min_size=1, max_size=6))
def test_texts_are_utf8_or_the_line_is_not_good(name: bytes) -> None:
    assert_same(line("open", {"dealer": "?"}).replace(b"?", name))


def read_fast(text: bytes, source: str) -> list[bool]:
    found = scan(np.frombuffer(text, np.uint8), source, "T1")
    return [bool(each) for each in found.rows.is_read]


@pytest.mark.parametrize("source", list(LINES))
def test_plain_lines_do_not_need_the_careful_reader(source: str) -> None:
    text = b"\n".join(LINES[source]) + b"\n"
    careful = [raw for raw, fast in zip(LINES[source], read_fast(text, source), strict=True) if not fast]
    # An escaped text, a list of several rulings, and what a list or a text should be but is a number.
    assert len(careful) == (3 if source == "terminal" else 0)
    spaced = b"".join(json.dumps(json.loads(raw), ensure_ascii=False).encode() + b"\r\n" for raw in LINES["camera"])
    assert all(read_fast(spaced, "camera"))


def test_a_line_beyond_all_measure_is_left_to_the_careful_reader() -> None:
    text = line("open", {"dealer": "x" * MOST_BYTES})
    assert read_fast(text, "terminal") == [False]
    assert len(assert_same(text).columns.line) == 1


def test_more_words_than_there_is_room_for() -> None:
    room = len(new_words(0, "T1").starts) + 1024
    texts = ({"dealer": f"D{n}", "patron": f"P{n}", "shoe": f"S{n}"} for n in range(room))
    text = b"".join(line("open", fields, seq=n) for n, fields in enumerate(texts))
    fast = read_fast(text, "terminal")
    assert fast[0] and not all(fast)
    assert len(assert_same(text).columns.line) == room
