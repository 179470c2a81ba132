"""SHA-256 for compiled code (FIPS 180-4), and with it the leaves and nodes of a Merkle tree over lines (RFC 9162).

A digest is 32 bytes; whoever calls brings the scratch memory: ``state`` uint32[8], ``block`` uint8[64], ``schedule``
uint32[64].
"""

from math import isqrt
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from replay.compiled import compiled, entry, inlined
from warehouse.evidence import sha_instructions

U8 = npt.NDArray[np.uint8]
U32 = npt.NDArray[np.uint32]
I64 = npt.NDArray[np.int64]

NEWLINE: Final = 10
LEAF, NODE = 0, 1

# Where a tree stands between two pieces of its text: entries of ``counts``.
LINES, OPEN = 0, 1
CLOSED: Final = -1  # in OPEN: no line is open; else the open line's length so far

_u32 = np.uint32
_u64 = np.uint64


def _cube_root(number: int) -> int:
    root = 1 << -(-number.bit_length() // 3)
    while (smaller := (2 * root + number // root**2) // 3) < root:
        root = smaller
    return root


# The standard's constants: the first 32 bits of the fractions of the primes' cube and square roots.
_PRIMES: Final = [p for p in range(2, 312) if all(p % q for q in range(2, isqrt(p) + 1))]
CONSTANTS: Final = tuple(_cube_root(p << 96) & 0xFFFFFFFF for p in _PRIMES)
_K: Final = np.array(CONSTANTS, dtype=np.uint32)
_START: Final = np.array([isqrt(p << 64) & 0xFFFFFFFF for p in _PRIMES[:8]], dtype=np.uint32)


@inlined
def _turned(x: Any, n: int) -> Any:
    return _u32((x >> _u32(n)) | (x << _u32(32 - n)))


@inlined
def _round(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, keyed: Any) -> Any:
    mixed = _u32(h + (_turned(e, 6) ^ _turned(e, 11) ^ _turned(e, 25)) + (g ^ (e & (f ^ g))) + keyed)
    return _u32(d + mixed), _u32(mixed + (_turned(a, 2) ^ _turned(a, 13) ^ _turned(a, 22)) + ((a & b) | (c & (a | b))))


@inlined
def _schedule(block: U8, schedule: U32) -> None:
    for i in range(16):
        at = _u64(4 * i)
        high = (_u32(block[at]) << _u32(24)) | (_u32(block[at + _u64(1)]) << _u32(16))
        schedule[_u64(i)] = high | (_u32(block[at + _u64(2)]) << _u32(8)) | _u32(block[at + _u64(3)])
    for i in range(16, 64):
        x, y = schedule[_u64(i - 15)], schedule[_u64(i - 2)]
        x = _turned(x, 7) ^ _turned(x, 18) ^ (x >> _u32(3))
        y = _turned(y, 17) ^ _turned(y, 19) ^ (y >> _u32(10))
        schedule[_u64(i)] = _u32(schedule[_u64(i - 16)] + schedule[_u64(i - 7)] + x + y)


@compiled
def take_in_plainly(state: U32, block: U8, schedule: U32) -> None:
    """Take one block into the state, with what every processor has."""
    _schedule(block, schedule)
    a, b, c, d = state[0], state[1], state[2], state[3]
    e, f, g, h = state[4], state[5], state[6], state[7]
    for i in range(0, 64, 8):
        # Eight rounds to a turn, so that the words change names instead of places.
        t = _u64(i)
        d, h = _round(a, b, c, d, e, f, g, h, _u32(_K[t] + schedule[t]))
        c, g = _round(h, a, b, c, d, e, f, g, _u32(_K[t + _u64(1)] + schedule[t + _u64(1)]))
        b, f = _round(g, h, a, b, c, d, e, f, _u32(_K[t + _u64(2)] + schedule[t + _u64(2)]))
        a, e = _round(f, g, h, a, b, c, d, e, _u32(_K[t + _u64(3)] + schedule[t + _u64(3)]))
        h, d = _round(e, f, g, h, a, b, c, d, _u32(_K[t + _u64(4)] + schedule[t + _u64(4)]))
        g, c = _round(d, e, f, g, h, a, b, c, _u32(_K[t + _u64(5)] + schedule[t + _u64(5)]))
        f, b = _round(c, d, e, f, g, h, a, b, _u32(_K[t + _u64(6)] + schedule[t + _u64(6)]))
        e, a = _round(b, c, d, e, f, g, h, a, _u32(_K[t + _u64(7)] + schedule[t + _u64(7)]))
    for i, word in enumerate((a, b, c, d, e, f, g, h)):
        state[i] = _u32(state[i] + word)


if sha_instructions.available():
    _instructed = sha_instructions.block_function(CONSTANTS)

    @inlined
    def take_in(state: U32, block: U8, schedule: U32) -> None:
        """Take one block into the state, with the processor's own instructions."""
        _instructed(state, block)

else:
    take_in = take_in_plainly


@inlined
def _begin(state: U32, block: U8, prefix: int) -> None:
    for i in range(8):
        state[i] = _START[i]
    block[0] = prefix


@compiled
def _write(state: U32, block: U8, schedule: U32, fill: int, data: U8, start: int, end: int) -> int:
    """Add data[start:end] to a message whose block is filled up to ``fill``; gives the new fill, below 64."""
    while start < end:
        count = min(64 - fill, end - start)
        for i in range(count):
            block[_u64(fill + i)] = data[_u64(start + i)]
        start += count
        fill += count
        if fill == 64:
            take_in(state, block, schedule)
            fill = 0
    return fill


@compiled
def _finish(state: U32, block: U8, schedule: U32, fill: int, size: int, digest: U8) -> None:
    """Close a message of ``size`` bytes: padding, length in bits, digest."""
    block[_u64(fill)] = 0x80
    fill += 1
    if fill > 56:
        for i in range(fill, 64):
            block[_u64(i)] = 0
        take_in(state, block, schedule)
        fill = 0
    for i in range(fill, 56):
        block[_u64(i)] = 0
    for i in range(8):
        block[_u64(56 + i)] = ((size * 8) >> (56 - 8 * i)) & 255
    take_in(state, block, schedule)
    for i in range(8):
        for j in range(4):
            digest[_u64(4 * i + j)] = (state[_u64(i)] >> _u32(24 - 8 * j)) & _u32(255)


@inlined
def _copy(source: U8, target: U8) -> None:
    for i in range(32):
        target[_u64(i)] = source[_u64(i)]


@compiled
def _node(left: U8, right: U8, digest: U8, state: U32, block: U8, schedule: U32) -> None:
    """The hash of a node; ``digest`` may be one of its children."""
    _begin(state, block, NODE)
    fill = _write(state, block, schedule, 1, left, 0, 32)
    fill = _write(state, block, schedule, fill, right, 0, 32)
    _finish(state, block, schedule, fill, 65, digest)


@compiled
def _push(stack: U8, lines: int, state: U32, block: U8, schedule: U32) -> None:
    """Put the leaf in the stack's last row on the frontier: row i holds the root of a full subtree of 2**i lines."""
    leaf, level = stack[63], 0
    while lines & 1:
        _node(stack[level], leaf, leaf, state, block, schedule)
        lines >>= 1
        level += 1
    _copy(leaf, stack[level])


@compiled
def _line_end(data: U8, start: int) -> int:
    end = start
    while end < data.size and data[_u64(end)] != NEWLINE:
        end += 1
    return end


@entry
def absorb(data: U8, stack: U8, counts: I64, state: U32, block: U8) -> None:
    """Take a piece of text into a tree; a line may begin in one piece and end in another."""
    schedule = np.empty(64, np.uint32)
    start, lines, length = 0, counts[LINES], counts[OPEN]
    while start < data.size:
        if length == CLOSED:
            _begin(state, block, LEAF)
            length = 0
        end = _line_end(data, start)
        fill = _write(state, block, schedule, (length + 1) & 63, data, start, end)
        length += end - start
        if end < data.size:
            _finish(state, block, schedule, fill, length + 1, stack[63])
            _push(stack, lines, state, block, schedule)
            lines += 1
            length = CLOSED
        start = end + 1
    counts[LINES] = lines
    counts[OPEN] = length


@entry
def close(stack: U8, counts: I64, state: U32, block: U8, root: U8) -> None:
    """End the text: the open line is a line too. Spoils the arrays but for the root and the number of lines."""
    schedule = np.empty(64, np.uint32)
    if counts[OPEN] != CLOSED:
        length = counts[OPEN]
        _finish(state, block, schedule, (length + 1) & 63, length + 1, stack[63])
        _push(stack, counts[LINES], state, block, schedule)
        counts[LINES] += 1
    lines, level, empty = counts[LINES], 0, True
    while lines:
        if lines & 1:
            if empty:
                _copy(stack[level], root)
            else:
                _node(stack[level], root, root, state, block, schedule)
            empty = False
        lines >>= 1
        level += 1
    if empty:
        _begin(state, block, LEAF)
        _finish(state, block, schedule, 0, 0, root)


@entry
def leaves(data: U8, digests: U8) -> int:
    """The leaf hash of every line, as far as ``digests`` (n, 32) has room; gives the number of lines."""
    state, block, schedule = np.empty(8, np.uint32), np.empty(64, np.uint8), np.empty(64, np.uint32)
    start, lines = 0, 0
    while start < data.size:
        end = _line_end(data, start)
        if lines < digests.shape[0]:
            _begin(state, block, LEAF)
            fill = _write(state, block, schedule, 1, data, start, end)
            _finish(state, block, schedule, fill, end - start + 1, digests[lines])
        lines += 1
        start = end + 1
    return lines


@entry
def parents(level: U8, above: U8) -> None:
    """The nodes above a level's (n, 32) hashes; the last of an odd number moves up as it is."""
    state, block, schedule = np.empty(8, np.uint32), np.empty(64, np.uint8), np.empty(64, np.uint32)
    pairs = level.shape[0] // 2
    for i in range(pairs):
        _node(level[2 * i], level[2 * i + 1], above[i], state, block, schedule)
    if level.shape[0] & 1:
        _copy(level[level.shape[0] - 1], above[pairs])
