"""Loops over data in tests: no data is a failure, not a test that passes."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def some(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items, of which there must be at least one."""
    is_empty = True
    for item in items:
        is_empty = False
        yield item
    assert not is_empty, "the loop had nothing to run over"
