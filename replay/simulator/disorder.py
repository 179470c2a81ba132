"""A mess made of finished landing files: what networks, disks and foreign devices do to them.

Nothing is lost but the line that a truncation cuts: garbage is added, files are moved, copied or divided.
"""

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import polars as pl

from replay.simulator.landing import ENDINGS

LATE: Final = ".late"  # folder of what is to be copied in later
RECORD: Final = "disorder.parquet"
SCHEMA: Final[dict[str, Any]] = {"what": pl.String, "path": pl.String, "origin": pl.String, "lines": pl.List(pl.Int64)}

_DAYS: Final = "[0-9]*-[0-9]*-[0-9]*"
_MOST_REPEATED: Final = 20  # lines of an overlap


class DisorderError(ValueError):
    """Disorder that cannot be made; says what and why."""


class DamagedFile(NamedTuple):
    """Damage to a file: its kind, the damaged file (under ``out``), the original file, and the lines affected."""

    what: str
    path: str
    origin: str
    lines: list[int]


def apply(out: Path, wanted: Mapping[str, int], rng: Random) -> pl.DataFrame:
    """Do so many acts of each kind (see ``ACTS``), each to a file of its own, and record them beside the floor."""
    unknown = set(wanted) - set(ACTS)
    if unknown:
        raise DisorderError(f"disorder: found {', '.join(sorted(unknown))}, expected one of {', '.join(ACTS)}")
    files = sorted(path for path in out.glob(f"{_DAYS}/*/*") if path.name.endswith(tuple(ENDINGS.values())))
    acts = []
    for what, (suits, act) in ACTS.items():
        for _ in range(wanted.get(what, 0)):
            path = next(filter(suits, rng.sample(files, len(files))), None)
            if path is None:
                raise DisorderError(f"disorder: no file is left that {what} suits; there are too few")
            files.remove(path)
            left, lines = act(out, path, rng)
            acts.append(DamagedFile(what, left.relative_to(out).as_posix(), path.relative_to(out).as_posix(), lines))
    frame = pl.DataFrame(acts, schema=SCHEMA, orient="row")
    frame.write_parquet(out / RECORD)
    return frame


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def _named(path: Path, suffix: str) -> Path:
    """Return the path with a suffix added to the file name before its endings."""
    stem, dot, endings = path.name.partition(".")
    return path.with_name(f"{stem}-{suffix}{dot}{endings}")


# Which files an act suits.


def _any(_: Path) -> bool:
    return True


def _has_lines(path: Path) -> bool:
    return path.suffix == ENDINGS[""] and len(_lines(path)) > 1


def _ends_with_close(path: Path) -> bool:
    if not path.name.startswith("terminal") or not _has_lines(path):
        return False
    return bool(json.loads(_lines(path)[-1]).get("type") == "close")


# Acts: the file that they leave, and its odd lines.


def _late(out: Path, path: Path, _: Random) -> tuple[Path, list[int]]:
    """Kept back, to be copied in another time."""
    target = out / LATE / path.relative_to(out)
    target.parent.mkdir(parents=True, exist_ok=True)
    path.rename(target)
    return target, []


def _repeated(_: Path, path: Path, __: Random) -> tuple[Path, list[int]]:
    """Sent again under another name."""
    again = _named(path, "again")
    shutil.copyfile(path, again)
    return again, []


def _overlapping(_: Path, path: Path, rng: Random) -> tuple[Path, list[int]]:
    """Sent in two parts, the second of which begins with the last lines of the first."""
    lines = _lines(path)
    cut = rng.randrange(1, len(lines))
    common = rng.randint(1, min(cut, _MOST_REPEATED))
    second = _named(path, "b")
    _named(path, "a").write_bytes(b"".join(lines[:cut]))
    second.write_bytes(b"".join(lines[cut - common :]))
    path.unlink()
    return second, list(range(1, common + 1))


def _truncated(_: Path, path: Path, rng: Random) -> tuple[Path, list[int]]:
    """Cut off in the middle of the last line."""
    lines = _lines(path)
    lines[-1] = lines[-1][: rng.randrange(1, len(lines[-1].rstrip()))]
    path.write_bytes(b"".join(lines))
    return path, [len(lines)]


def _garbage(_: Path, path: Path, rng: Random) -> tuple[Path, list[int]]:
    """One line of each kind that cannot be read: no JSON, wrong types, an unknown type, bytes that are not UTF-8."""
    lines = _lines(path)
    event = json.loads(rng.choice(lines))
    alien = {name: event[name] for name in ("table", "seq", "ts", "type")} | {"seq": 0}
    added = [
        rng.choice((b"#", b"{", b"\x00\x00", b"Connection reset by peer", b'{"table":"')),
        _encoded(alien | {"seq": "zero", "ts": 17, "round": {"number": []}}),
        _encoded(alien | {"type": rng.choice(("heartbeat", "diagnostics", "dr\u00e4w"))}),
        b'{"table":"\xff\xfe\xc3\x28","seq":0}\n',
    ]
    added[0] += b"\n"
    return path, _insert(path, lines, added, rng)


def _foreign(_: Path, path: Path, rng: Random) -> tuple[Path, list[int]]:
    """Lines of a table that the floor does not have, in between."""
    lines = _lines(path)
    chosen = [json.loads(line) for line in rng.choices(lines, k=rng.randint(1, 3))]
    return path, _insert(path, lines, [_encoded(event | {"table": f"{event['table']}-X"}) for event in chosen], rng)


def _encoded(event: Mapping[str, Any]) -> bytes:
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _insert(path: Path, lines: list[bytes], added: list[bytes], rng: Random) -> list[int]:
    """Put lines among others; returns their numbers, from 1."""
    places = sorted(rng.randint(0, len(lines)) for _ in added)
    for place, line in reversed(list(zip(places, added, strict=True))):
        lines.insert(place, line)
    path.write_bytes(b"".join(lines))
    return [place + n + 1 for n, place in enumerate(places)]


_Suits = Callable[[Path], bool]
_Does = Callable[[Path, Path, Random], tuple[Path, list[int]]]
# Those that few files suit choose first.
ACTS: Final[dict[str, tuple[_Suits, _Does]]] = {
    "truncated": (_ends_with_close, _truncated),
    "garbage": (_has_lines, _garbage),
    "foreign": (_has_lines, _foreign),
    "overlapping": (_has_lines, _overlapping),
    "repeated": (_any, _repeated),
    "late": (_any, _late),
}
