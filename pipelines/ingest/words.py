"""The table of words of a file, for the compiled reader: a text is looked up by its bytes and gets a number."""

from typing import Final, NamedTuple

import numpy as np

from replay.columns import I32, I64, SEED_OF, SEEDS, U8
from replay.compiled import compiled, inlined

NO_WORD: Final = -1  # no UTF-8, or no room: the careful reader's business

_SEEDS: Final = tuple(word.encode() for word in SEEDS)
_MOST_PROBES: Final = 64
_MASK: Final = (1 << 31) - 1
_FACTOR: Final = 0x3C6EF35


class Words(NamedTuple):
    """An open hash table. The first words are seeds, whose bytes stand in ``seeds``; the others' stand in the file."""

    slots: I32  # hash -> word + 1, or 0
    starts: I64  # by word, as the next two
    lengths: I64
    hashes: I64
    used: I64  # one element
    seeds: U8
    seed_count: I64  # one element


def new_words(room: int, table: str) -> Words:
    """A table with the seeds, the name of the file's table (unless it is a seed), and room for so many words more."""
    seeds = _SEEDS if table in SEED_OF else (*_SEEDS, table.encode())
    most = len(seeds) + room
    slots = 1 << (2 * most).bit_length()
    starts, lengths = np.zeros(most, np.int64), np.zeros(most, np.int64)
    lengths[: len(seeds)] = [len(seed) for seed in seeds]
    starts[1 : len(seeds)] = np.cumsum(lengths[: len(seeds) - 1])
    text = np.frombuffer(b"".join(seeds) + b"\0", np.uint8).copy()
    numbers = np.array([0]), np.array([len(seeds)])
    return Words(np.zeros(slots, np.int32), starts, lengths, np.zeros(most, np.int64), numbers[0], text, numbers[1])


@inlined
def byte(data: U8, at: int) -> int:
    """A byte, at a place that is not negative: compiled, an unsigned index is not checked for counting from the end."""
    found: int = data[np.uint64(at)] + np.int64(0)
    return found


@inlined
def _mixed(code: int, four: int) -> int:
    """A hash with four bytes more."""
    code = (code ^ four) * _FACTOR
    return (code ^ (code >> 29)) & _MASK


@inlined
def _hash(data: U8, start: int, length: int) -> int:
    code, at, end = length, start, start + length
    while at + 4 <= end:
        four = byte(data, at) | byte(data, at + 1) << 8 | byte(data, at + 2) << 16
        code = _mixed(code, four | byte(data, at + 3) << 24)
        at += 4
    rest = 0
    while at < end:
        rest = rest << 8 | byte(data, at)
        at += 1
    return _mixed(code, rest)


@inlined
def same(data: U8, start: int, other: U8, other_start: int, length: int) -> bool:
    """Return whether two texts have the same bytes."""
    for n in range(length):  # noqa: SIM110 - compiled code has no generators
        if byte(data, start + n) != byte(other, other_start + n):
            return False
    return True


@compiled
def seed(words: Words) -> None:
    """Put the seeds into the table."""
    for word in range(words.seed_count[0]):
        code = _hash(words.seeds, words.starts[word], words.lengths[word])
        slot = code & (len(words.slots) - 1)
        while words.slots[slot]:
            slot = (slot + 1) & (len(words.slots) - 1)
        words.slots[slot] = word + 1
        words.hashes[word] = code
    words.used[0] = words.seed_count[0]


@compiled
def find(words: Words, data: U8, start: int, length: int, add: bool) -> int:
    """The number of a text; a new one is added if wanted and if it is UTF-8. ``NO_WORD`` where there is none."""
    code = _hash(data, start, length)
    slot = code & (len(words.slots) - 1)
    for _ in range(_MOST_PROBES):
        word: int = words.slots[slot] - 1
        if word < 0:
            return _added(words, data, start, length, code, slot) if add else NO_WORD
        if words.hashes[word] == code and words.lengths[word] == length:
            place = words.starts[word]
            if word < words.seed_count[0]:
                if same(data, start, words.seeds, place, length):
                    return word
            elif same(data, start, data, place, length):
                return word
        slot = (slot + 1) & (len(words.slots) - 1)
    return NO_WORD


@compiled
def _added(words: Words, data: U8, start: int, length: int, code: int, slot: int) -> int:
    word: int = words.used[0]
    if word == len(words.starts) or not _is_utf8(data, start, length):
        return NO_WORD
    words.slots[slot] = word + 1
    words.starts[word] = start
    words.lengths[word] = length
    words.hashes[word] = code
    words.used[0] = word + 1
    return word


@compiled
def _is_utf8(data: U8, start: int, length: int) -> bool:
    at, end = start, start + length
    while at < end:
        first = byte(data, at)
        at += 1
        if first < 0x80:
            continue
        if first < 0xC2 or first > 0xF4:
            return False
        more = 1 + (first >= 0xE0) + (first >= 0xF0)
        if at + more > end:
            return False
        code = first & (0x3F >> more)
        for n in range(more):
            follower = byte(data, at + n)
            if follower & 0xC0 != 0x80:
                return False
            code = code << 6 | (follower & 0x3F)
        at += more
        if more == 2 and (code < 0x800 or 0xD800 <= code < 0xE000):
            return False
        if more == 3 and not 0x10000 <= code < 0x110000:
            return False
    return True
