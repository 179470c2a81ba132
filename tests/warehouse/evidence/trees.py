"""The tree over the lines of a text, for tests."""

from warehouse.evidence.merkle import U8, LineHasher, LineTree


def line_tree(data: U8 | bytes) -> LineTree:
    """Return the number of lines and the root of the tree over them."""
    hasher = LineHasher()
    hasher.feed(data)
    return hasher.tree()
