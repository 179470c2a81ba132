"""Every key of a rulebook, misspelt: the rulebook must be refused, and the key named."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

from replay.rulebook_checks import problems

_OWN: Final = ("clauses",)  # the document's own numbering: another spelling is another clause

Path = tuple[str, ...]


def keys(row: Mapping[str, Any], path: Path = ()) -> Iterator[tuple[Path, int]]:
    """The path of every key that has a meaning, and its place in its table."""
    for place, (key, value) in enumerate(row.items()):
        if path != _OWN:
            yield (*path, key), place
        if isinstance(value, Mapping):
            yield from keys(value, (*path, key))


def unnoticed(data: Mapping[str, Any]) -> list[Path]:
    """Keys that can be misspelt without a problem that names them, or the table in which they are.

    Keys of different tables of the same depth are misspelt together: a table's first keys, then its second ones.
    """
    groups: dict[tuple[str, int, int], set[Path]] = defaultdict(set)
    for path, place in keys(data):
        groups[path[0] if len(path) > 1 else "", len(path), place].add(path)
    found: list[Path] = []
    for paths in groups.values():
        named = {problem.path for problem in problems(_misspelt(data, paths))}
        found += [path for path in paths if not named & {(*path[:-1], misspelt(path[-1])), _table_of(path)}]
    return found


def _table_of(path: Path) -> Path:
    """The path that a problem names for a key in a value with several fields: the value's."""
    return path[:-1] if path[-3:-2] == ("sets",) else (*path, "")


def _misspelt(row: Mapping[str, Any], paths: set[Path], path: Path = ()) -> dict[str, Any]:
    return {
        misspelt(key) if (*path, key) in paths else key: _misspelt(value, paths, (*path, key))
        if isinstance(value, Mapping)
        else value
        for key, value in row.items()
    }


def misspelt(key: str) -> str:
    """Another spelling: two neighbouring letters exchanged."""
    for at in range(len(key) - 1):
        if key[at] != key[at + 1]:
            return key[:at] + key[at + 1] + key[at] + key[at + 2 :]
    return f"{key}{key[0]}"
