"""Merkle trees as in RFC 9162, section 2.1: a leaf is SHA-256(0x00, data), a node SHA-256(0x01, left, right).

A text's tree has its lines as leaves: the bytes between newlines, without the newline. A last line without newline is a
line too, and so is an empty one.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

U8 = npt.NDArray[np.uint8]

HASH_BYTES = 32
EMPTY_ROOT = hashlib.sha256().digest()


class LineTree(NamedTuple):
    """The number of lines in a text, and the root of the tree over them."""

    lines: int
    root: bytes


class LineHasher:
    """The tree over a text that arrives in pieces. Keeps one hash for each power of two in the number of lines."""

    def __init__(self) -> None:
        self._lines = 0
        self._full: list[bytes] = []  # by power of two: the root of the full subtree of as many lines, or empty
        self._open: hashlib._Hash | None = None  # of the line that has begun and not ended

    def feed(self, piece: U8 | bytes) -> None:
        """Add the next piece of the text, which may end anywhere."""
        lines = bytes(piece).split(b"\n")
        rest = lines.pop()
        begun = self._open
        if begun is not None and lines:
            begun.update(lines[0])
            self._open = None
            self._add([begun.digest(), *map(leaf_hash, lines[1:])])
        else:
            self._add([hashlib.sha256(b"\0" + line).digest() for line in lines])
        if rest:
            if self._open is None:
                self._open = hashlib.sha256(b"\0")
            self._open.update(rest)

    def _add(self, leaves: list[bytes]) -> None:
        self._lines += len(leaves)
        nodes, power = leaves, 0
        while nodes:
            if power == len(self._full):
                self._full.append(b"")
            if self._full[power]:
                nodes = [self._full[power], *nodes]
            self._full[power] = nodes[-1] if len(nodes) & 1 else b""
            nodes = _parents(nodes)
            power += 1

    def tree(self) -> LineTree:
        """The tree of the text so far; more may follow."""
        roots = [root for root in self._full if root]
        if self._open is not None:
            roots.insert(0, self._open.digest())
        if not roots:
            return LineTree(0, EMPTY_ROOT)
        top, *larger = roots
        for left in larger:
            top = node_hash(left, top)
        return LineTree(self._lines + (self._open is not None), top)


def line_hashes(data: U8 | bytes) -> list[bytes]:
    """The leaf hash of every line."""
    lines = bytes(data).split(b"\n")
    return [leaf_hash(line) for line in (lines if lines[-1] else lines[:-1])]


def hashes(joined: bytes) -> list[bytes]:
    """Split hashes that stand one after the other."""
    return [joined[at : at + HASH_BYTES] for at in range(0, len(joined), HASH_BYTES)]


def leaf_hash(data: bytes) -> bytes:
    """The hash of a leaf."""
    return hashlib.sha256(b"\0" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node over two others."""
    return hashlib.sha256(b"\1" + left + right).digest()


def root(leaves: Sequence[bytes]) -> bytes:
    """The root of the tree over leaf hashes."""
    top = EMPTY_ROOT
    for level in _levels(leaves):
        top = level[0]
    return top


def inclusion_path(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """The hashes that lead from the leaf at ``index`` (from 0) to the root, nearest first."""
    return inclusion_paths(leaves, [index])[0]


def inclusion_paths(leaves: Sequence[bytes], indices: Sequence[int]) -> list[list[bytes]]:
    """The same for several leaves of one tree, which is built once."""
    for index in indices:
        if not 0 <= index < len(leaves):
            raise ValueError(f"leaf {index} is not in a tree of {len(leaves)}: expected 0 to {len(leaves) - 1}")
    levels = list(_levels(leaves))
    return [
        [level[index >> up ^ 1] for up, level in enumerate(levels) if index >> up ^ 1 < len(level)] for index in indices
    ]


def check_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Verify that the leaf hash is at ``index`` of the tree of ``size`` leaves with that root (section 2.1.3.2)."""
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


def consistency_path(leaves: Sequence[bytes], old_size: int) -> list[bytes]:
    """The hashes that prove that the tree over the first ``old_size`` leaves grew into the tree over all of them."""
    size = len(leaves)
    if not 0 < old_size <= size:
        raise ValueError(f"a tree of {size} leaves cannot have grown from {old_size}: expected 1 to {size}")
    return _subproof(leaves, old_size, whole=True)


def check_consistency(old_size: int, old_root: bytes, size: int, root: bytes, path: Sequence[bytes]) -> bool:
    """Verify that the old tree is the beginning of the new one (section 2.1.4.2)."""
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


def _subproof(leaves: Sequence[bytes], old_size: int, whole: bool) -> list[bytes]:
    if old_size == len(leaves):
        return [] if whole else [root(leaves)]
    left = 1 << (len(leaves) - 1).bit_length() - 1  # the largest power of two below the size
    if old_size <= left:
        return [*_subproof(leaves[:left], old_size, whole), root(leaves[left:])]
    return [*_subproof(leaves[left:], old_size - left, whole=False), root(leaves[:left])]


def _levels(leaves: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """The tree's levels from the leaves up to the root; the last of an odd number moves up as it is."""
    level = leaves
    if level:
        yield level
    while len(level) > 1:
        level = _parents(level) + list(level[len(level) & ~1 :])
        yield level


def _parents(nodes: Sequence[bytes]) -> list[bytes]:
    """The nodes above pairs of nodes; the last of an odd number has none."""
    return [hashlib.sha256(b"\1" + left + right).digest() for left, right in zip(nodes[::2], nodes[1::2], strict=False)]
