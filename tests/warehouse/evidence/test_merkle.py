"""Merkle trees: against hashlib, against the definitions of RFC 9162 written out, and against forged proofs."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.warehouse.evidence.trees import line_tree
from warehouse.evidence import merkle

texts = st.one_of(
    st.binary(max_size=300),
    st.lists(st.binary(max_size=200), max_size=40).map(b"\n".join),
    st.integers(0, 200).map(lambda n: b"x" * n + b"\n" + b"y" * (n // 2)),
)
leaf_lists = st.integers(0, 70).map(lambda n: [merkle.leaf_hash(bytes([i])) for i in range(n)])


def lines_of(text: bytes) -> list[bytes]:
    lines = text.split(b"\n")
    return lines if lines[-1] else lines[:-1]


def defined_root(leaves: list[bytes]) -> bytes:
    """MTH of section 2.1.1, as it is written there."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return hashlib.sha256(b"\1" + defined_root(leaves[:k]) + defined_root(leaves[k:])).digest()


def hashed(lines: list[bytes]) -> list[bytes]:
    return [hashlib.sha256(b"\0" + line).digest() for line in lines]


@given(texts)
def test_line_tree_follows_the_definition(text: bytes) -> None:
    lines = lines_of(text)
    assert line_tree(text) == (len(lines), defined_root(hashed(lines)))
    assert merkle.line_hashes(text) == hashed(lines)


@given(texts, st.lists(st.integers(0, 400), max_size=5))
def test_line_tree_is_the_same_in_pieces(text: bytes, cuts: list[int]) -> None:
    hasher = merkle.LineHasher()
    ends = [*sorted(min(cut, len(text)) for cut in cuts), len(text)]
    for start, end in zip([0, *ends], ends, strict=False):
        hasher.feed(text[start:end])
        assert hasher.tree() == line_tree(text[:end])


@pytest.mark.parametrize(
    ("text", "lines"), [(b"", 0), (b"\n", 1), (b"\n\n", 2), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"a\n\nb\n", 3)]
)
def test_what_a_line_is(text: bytes, lines: int) -> None:
    assert line_tree(text).lines == lines


def test_an_empty_file_has_the_root_of_the_empty_tree() -> None:
    assert line_tree(b"").root == merkle.root([]) == hashlib.sha256(b"").digest()


def test_a_writable_array_gives_the_same_tree() -> None:
    text = np.frombuffer(b"one\ntwo\nthree", np.uint8).copy()
    assert line_tree(text) == line_tree(b"one\ntwo\nthree")
    assert text.flags.writeable


@given(leaf_lists)
def test_root_follows_the_definition(leaves: list[bytes]) -> None:
    assert merkle.root(leaves) == defined_root(leaves)


@given(leaf_lists.filter(bool), st.data())
def test_inclusion_holds_for_the_leaf_and_for_nothing_else(leaves: list[bytes], data: st.DataObject) -> None:
    size, root = len(leaves), merkle.root(leaves)
    index = data.draw(st.integers(0, size - 1))
    path = merkle.inclusion_path(leaves, index)
    assert merkle.check_inclusion(leaves[index], index, size, path, root)
    other = data.draw(st.integers(-1, size))
    assert merkle.check_inclusion(leaves[index], other, size, path, root) == (other == index)
    assert not merkle.check_inclusion(merkle.leaf_hash(b"forged"), index, size, path, root)
    assert not merkle.check_inclusion(leaves[index], index, size, [*path, root], root)
    if path:
        assert not merkle.check_inclusion(leaves[index], index, size, path[:-1], root)


@given(leaf_lists.filter(bool), st.data())
def test_consistency_holds_for_the_beginning_and_for_nothing_else(leaves: list[bytes], data: st.DataObject) -> None:
    size, root = len(leaves), merkle.root(leaves)
    old = data.draw(st.integers(1, size))
    path, old_root = merkle.consistency_path(leaves, old), merkle.root(leaves[:old])
    assert merkle.check_consistency(old, old_root, size, root, path)
    forged = merkle.root([merkle.leaf_hash(b"forged"), *leaves[1:old]])
    assert not merkle.check_consistency(old, forged, size, root, path)
    assert not merkle.check_consistency(old, old_root, size, forged, path)
    assert not merkle.check_consistency(old, old_root, size, root, [*path, root])
    if path:
        assert not merkle.check_consistency(old, old_root, size, root, path[:-1])


@given(st.lists(st.binary(max_size=80).filter(lambda line: b"\n" not in line), min_size=1, max_size=50), st.data())
def test_one_line_can_be_proved_alone(lines: list[bytes], data: st.DataObject) -> None:
    text = b"".join(line + b"\n" for line in lines)
    line = data.draw(st.integers(1, len(lines)))
    size, root = line_tree(text)
    path = merkle.inclusion_path(merkle.line_hashes(text), line - 1)
    assert merkle.check_inclusion(merkle.leaf_hash(lines[line - 1]), line - 1, size, path, root)
    assert not merkle.check_inclusion(merkle.leaf_hash(lines[line - 1] + b"0"), line - 1, size, path, root)


def test_what_is_not_in_the_tree_cannot_be_asked_for() -> None:
    with pytest.raises(ValueError, match="leaf 3 is not in a tree of 3"):
        merkle.inclusion_path(merkle.line_hashes(b"a\nb\nc\n"), 3)
    with pytest.raises(ValueError, match="cannot have grown from 2"):
        merkle.consistency_path([merkle.leaf_hash(b"a")], 2)
