"""Merkle trees as in RFC 9162, section 2.1: a leaf is SHA-256(0x00, data), a node SHA-256(0x01, left, right).

A text's tree has its lines as leaves: the bytes between newlines, without the newline. A last line without newline is a
line too, and so is an empty one.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from warehouse.evidence import sha256

U8 = npt.NDArray[np.uint8]

HASH_BYTES = 32
EMPTY_ROOT = hashlib.sha256().digest()


class LineTree(NamedTuple):
    """How many lines a text has, and the root of the tree over them."""

    lines: int
    root: bytes


class LineHasher:
    """The tree over a text that comes in pieces, in the memory of its frontier: one node for each power of two."""

    def __init__(self) -> None:
        self._stack = np.zeros((64, HASH_BYTES), np.uint8)
        self._counts = np.array([0, sha256.CLOSED], np.int64)
        self._state = np.zeros(8, np.uint32)
        self._block = np.zeros(64, np.uint8)

    def feed(self, piece: U8 | bytes) -> None:
        """Take in the next piece of the text, which may end anywhere."""
        with np.errstate(over="ignore"):  # 32-bit sums wrap around, also where they run uncompiled
            sha256.absorb(_read_only(piece), self._stack, self._counts, self._state, self._block)

    def tree(self) -> LineTree:
        """The tree of what came so far; more may come."""
        stack, counts, root = self._stack.copy(), self._counts.copy(), np.empty(HASH_BYTES, np.uint8)
        with np.errstate(over="ignore"):
            sha256.close(stack, counts, self._state.copy(), self._block.copy(), root)
        return LineTree(int(counts[sha256.LINES]), root.tobytes())


def line_tree(data: U8 | bytes) -> LineTree:
    """The tree over a text's lines."""
    hasher = LineHasher()
    hasher.feed(data)
    return hasher.tree()


def line_hashes(data: U8 | bytes) -> U8:
    """The leaf hash of every line: an array (lines, 32)."""
    text = _read_only(data)
    with np.errstate(over="ignore"):
        hashes = np.empty((sha256.leaves(text, np.empty((0, HASH_BYTES), np.uint8)), HASH_BYTES), np.uint8)
        sha256.leaves(text, hashes)
    return hashes


def line_proof(data: U8 | bytes, line: int) -> list[bytes]:
    """The path that proves one line alone; lines count from 1, so check it with the index ``line - 1``."""
    return inclusion_path(line_hashes(data), line - 1)


def hashes(joined: bytes) -> U8:
    """Hashes that stand one after the other, as an array (n, 32)."""
    return np.frombuffer(joined, np.uint8).reshape(-1, HASH_BYTES)


def leaf_hash(data: bytes) -> bytes:
    """The hash of a leaf."""
    return hashlib.sha256(b"\0" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node over two others."""
    return hashlib.sha256(b"\1" + left + right).digest()


def root(leaves: Sequence[bytes] | U8) -> bytes:
    """The root of the tree over leaf hashes."""
    top = EMPTY_ROOT
    for level in _levels(_rows(leaves)):
        top = level[0].tobytes()
    return top


def inclusion_path(leaves: Sequence[bytes] | U8, index: int) -> list[bytes]:
    """The hashes that lead from the leaf at ``index`` (from 0) to the root, nearest first."""
    return inclusion_paths(leaves, [index])[0]


def inclusion_paths(leaves: Sequence[bytes] | U8, indices: Sequence[int]) -> list[list[bytes]]:
    """The same for several leaves of one tree, which is built once."""
    rows = _rows(leaves)
    for index in indices:
        if not 0 <= index < len(rows):
            raise ValueError(f"leaf {index} is not in a tree of {len(rows)}: expected 0 to {len(rows) - 1}")
    levels = list(_levels(rows))
    return [
        [level[index >> up ^ 1].tobytes() for up, level in enumerate(levels) if index >> up ^ 1 < len(level)]
        for index in indices
    ]


def check_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Whether the leaf hash stands at ``index`` of the tree of ``size`` leaves with that root (section 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    here, last, node = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return False
        if here & 1 or here == last:
            node = node_hash(sibling, node)
            while not here & 1 and here:
                here, last = here >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        here, last = here >> 1, last >> 1
    return last == 0 and node == root


def consistency_path(leaves: Sequence[bytes] | U8, old_size: int) -> list[bytes]:
    """The hashes that prove that the tree over the first ``old_size`` leaves grew into the tree over all of them."""
    rows = _rows(leaves)
    if not 0 < old_size <= len(rows):
        raise ValueError(f"a tree of {len(rows)} leaves cannot have grown from {old_size}: expected 1 to {len(rows)}")
    return _subproof(rows, old_size, whole=True)


def check_consistency(old_size: int, old_root: bytes, size: int, root: bytes, path: Sequence[bytes]) -> bool:
    """Whether the old tree is the beginning of the new one (section 2.1.4.2)."""
    if not 0 < old_size <= size:
        return False
    if old_size == size:
        return old_root == root and not path
    nodes = list(path)
    if old_size & (old_size - 1) == 0:
        nodes.insert(0, old_root)
    if not nodes:
        return False
    here, last = old_size - 1, size - 1
    while here & 1:
        here, last = here >> 1, last >> 1
    old_node = node = nodes[0]
    for sibling in nodes[1:]:
        if last == 0:
            return False
        if here & 1 or here == last:
            old_node, node = node_hash(sibling, old_node), node_hash(sibling, node)
            while not here & 1 and here:
                here, last = here >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        here, last = here >> 1, last >> 1
    return last == 0 and old_node == old_root and node == root


def _subproof(rows: U8, old_size: int, whole: bool) -> list[bytes]:
    if old_size == len(rows):
        return [] if whole else [root(rows)]
    left = 1 << (len(rows) - 1).bit_length() - 1  # the largest power of two below the size
    if old_size <= left:
        return [*_subproof(rows[:left], old_size, whole), root(rows[left:])]
    return [*_subproof(rows[left:], old_size - left, whole=False), root(rows[:left])]


def _levels(rows: U8) -> Iterator[U8]:
    """The tree's levels from the leaves up to the root."""
    if len(rows):
        yield rows
    while len(rows) > 1:
        above = np.empty(((len(rows) + 1) // 2, HASH_BYTES), np.uint8)
        with np.errstate(over="ignore"):
            sha256.parents(_read_only(rows), above)
        rows = above
        yield rows


def _rows(leaves: Sequence[bytes] | U8) -> U8:
    if isinstance(leaves, np.ndarray):
        return leaves
    return hashes(b"".join(leaves))


def _read_only(data: U8 | bytes) -> U8:
    """A view that is never writable, so that one compiled form serves all."""
    view = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data.view()
    view.flags.writeable = False
    return view
