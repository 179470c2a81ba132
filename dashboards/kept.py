"""Cache of answers: each is made once while others wait for it, and the least recently used are dropped first."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

_V = TypeVar("_V")


class Kept(Generic[_V]):
    """Cache of values by key. The weights add up to no more than ``most``, except where the newest alone exceeds it."""

    def __init__(self, most: int, weigh: Callable[[_V], int] = lambda _value: 1) -> None:
        self._most = most
        self._weigh = weigh
        self._lock = threading.Lock()
        self._made: OrderedDict[Hashable, tuple[_V, int]] = OrderedDict()
        self._making: dict[Hashable, Future[_V]] = {}
        self._weight = 0

    def get(self, key: Hashable, make: Callable[[], _V], is_right: Callable[[_V], bool] = lambda _value: True) -> _V:
        """Return the value of a key, made anew if it is no longer right.

        Callers that ask while it is being made wait for it. A failure is not kept.
        """
        with self._lock:
            if key in self._made and is_right(self._made[key][0]):
                self._made.move_to_end(key)
                return self._made[key][0]
            waiting = self._making.get(key)
            made = self._making[key] = waiting or Future()
        if waiting is not None:
            return waiting.result()
        try:
            value = make()
        except BaseException as error:
            with self._lock:
                del self._making[key]
            made.set_exception(error)
            raise
        self._keep(key, value)
        made.set_result(value)
        return value

    def clear(self) -> None:
        """Empty the cache."""
        with self._lock:
            self._made.clear()
            self._weight = 0

    def _keep(self, key: Hashable, value: _V) -> None:
        weight = self._weigh(value)
        with self._lock:
            del self._making[key]
            self._weight += weight - self._made.pop(key, (value, 0))[1]
            self._made[key] = value, weight
            while self._weight > self._most and len(self._made) > 1:
                self._weight -= self._made.popitem(last=False)[1][1]


def frozen(value: Any) -> Hashable:
    """A value of a query as part of a key."""
    return tuple(map(frozen, value)) if isinstance(value, list | tuple) else value
