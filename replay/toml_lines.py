"""Line numbers of keys in a TOML text: tomllib tells values, not lines."""

import re
import tomllib
from collections.abc import Sequence
from typing import Any, Final

_HEADER: Final = re.compile(r"\s*\[\[?.*\]\]?\s*(#.*)?$")
_KEY: Final = re.compile(
    r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*="""
)


def line_of(text: str, path: Sequence[str]) -> int:
    """The line, from 1, of the longest beginning of a path of keys that the text writes; 1 where it writes none."""
    found, longest = 1, 0
    table: tuple[str, ...] = ()
    in_text = False
    for number, line in enumerate(text.split("\n"), 1):
        was_in_text, in_text = in_text, in_text ^ (line.count('"""') % 2 == 1)
        if was_in_text:
            continue
        if _HEADER.match(line) and (keys := _keys(line.partition("#")[0])):
            here = table = keys
        elif match := _KEY.match(line):
            here = table + _keys(f"{match[1]} = 0")
        else:
            continue
        if len(here) > longest and here == tuple(path[: len(here)]):
            found, longest = number, len(here)
    return found


def _keys(line: str) -> tuple[str, ...]:
    """The keys of a header, or of what a line sets; none where it is part of a value."""
    try:
        at: Any = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return ()
    keys = []
    while isinstance(at, (dict, list)) and at:
        if isinstance(at, list):
            at = at[0]
            continue
        (key, at), *_ = at.items()
        keys.append(key)
    return tuple(keys)
