"""Answers that are kept for the next who asks."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from dashboards.kept import Kept, frozen


def test_a_value_is_made_once_however_many_wait_for_it() -> None:
    kept, made, go = Kept[int](10), [], threading.Event()

    def make() -> int:
        go.wait()
        made.append(1)
        return 7

    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(kept.get, "round", make) for _ in range(8)]
        go.set()
        assert {each.result() for each in asked} == {7}
    assert made == [1]


def test_the_oldest_go_when_the_weight_is_too_much() -> None:
    kept, made = Kept[str](6, len), list[str]()

    def ask(key: str, value: str) -> str:
        def make() -> str:
            made.append(key)
            return value

        return kept.get(key, make)

    for key in ("a", "b", "a", "c", "a", "b"):  # b is the oldest when c comes, and c when b comes again
        ask(key, "xxx")
    assert made == ["a", "b", "c", "b"]
    assert ask("huge", "x" * 99) == "x" * 99
    ask("a", "xxx")
    assert made[-2:] == ["huge", "a"]


def test_a_value_that_is_no_longer_right_is_made_anew() -> None:
    kept, films = Kept[int](10), [1, 2]
    assert kept.get("round", lambda: films[0], lambda value: value == films[0]) == 1
    films.pop(0)
    assert kept.get("round", lambda: films[0], lambda value: value == films[0]) == 2
    assert kept.get("round", lambda: 3) == 2


def test_a_failure_reaches_everybody_who_waits_and_is_not_kept() -> None:
    kept, go = Kept[int](10), threading.Event()

    def fail() -> int:
        go.wait()
        raise ValueError("no such round")

    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(kept.get, "round", fail) for _ in range(4)]
        go.set()
        for each in asked:
            with pytest.raises(ValueError, match="no such round"):
                each.result()
    assert kept.get("round", lambda: 1) == 1


def test_lists_in_a_query_are_part_of_its_key() -> None:
    assert frozen(["a", ["b"]]) == ("a", ("b",))
