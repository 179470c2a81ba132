"""The files of a table's day merged: every event once, with the lost and repeated sequence numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pipelines.ingest.merge import merged_words, placed, same_content
from pipelines.ingest.read import FileLines
from pipelines.ingest.sequence import duplicate_finding, gap_finding
from replay.columns import I32, I64, SOURCES, TYPE_OF, Lines
from replay.finding import Finding

_OF_A_DEVICE: Final = (TYPE_OF["fault"], TYPE_OF["repaired"])
_DEVICELESS: Final = 0

Flags = npt.NDArray[np.bool_]


class Landed(NamedTuple):
    """A landing file of a table's day, read."""

    path: str
    sha256: str
    content: FileLines


class FileCount(NamedTuple):
    """Counts of a file's lines by outcome: lines = accepted + repeated + quarantined."""

    path: str
    lines: int
    accepted: int
    repeated: int
    quarantined: int


@dataclass(frozen=True)
class TableDay:
    """A table's day: its accepted lines by source, device and ``seq``; ``Columns.file`` is a place in ``files``."""

    lines: Lines
    files: list[FileCount]
    findings: list[Finding]


class _Keys(NamedTuple):
    """Identity of the day's good lines, a row each, sorted by source, device, seq, file and line."""

    source: I64
    stream: I64  # a word
    seq: I64
    file: I64  # place in the order of paths
    row: I64  # of the file's columns
    line: I64

    def take(self, rows: I64 | Flags) -> "_Keys":
        return _Keys(*(column[rows] for column in self))


def gather(files: Sequence[Landed]) -> TableDay:
    """Put a table's files of a day together, given in the order of their paths.

    Of lines with the same source, device and ``seq`` the first stands, by path and line. A file that comes again, and
    lines that another file has too, count once and say nothing. A line that comes twice within a file, or with other
    content, is noted. Content means the values in the columns, not the spelling of the JSON.
    """
    paths = [file.path for file in files]
    assert paths == sorted(paths), f"files come in the order {paths}, expected the order of their paths"
    words, numbers_of = merged_words([file.content.words for file in files], [file.content.columns for file in files])
    keys = _sorted_keys(files, numbers_of)
    is_first = _changes(keys.source, keys.stream, keys.seq)
    is_counted = ~_is_copy(files)[keys.file]
    # A copy comes after the file that it copies, so that no first line is a copy's.
    assert is_counted[is_first].all(), "a line of a file that came again stands before the file's own"
    accepted = keys.take(is_first)
    columns = placed([file.content.columns for file in files], numbers_of, accepted.file, accepted.row, accepted.stream)
    findings = [
        *_gaps(accepted, paths, words),
        *_duplicates(keys, is_first, is_counted, files, numbers_of, words),
    ]
    return TableDay(Lines(columns, words), _counts(files, accepted.file), sorted(findings, key=_order))


def _is_copy(files: Sequence[Landed]) -> Flags:
    """Files whose bytes an earlier one of their source has; one without good lines was read under a wrong name."""
    seen: set[tuple[str, int]] = set()
    copies = np.zeros(len(files), np.bool_)
    for place, file in enumerate(files):
        for source in file.content.columns.source[:1].tolist():
            copies[place] = (file.sha256, source) in seen
            seen.add((file.sha256, source))
    return copies


def _sorted_keys(files: Sequence[Landed], numbers_of: list[I32]) -> _Keys:
    streams = _streams(files, numbers_of)
    parts = [
        _Keys(
            columns.source.astype(np.int64),
            stream.astype(np.int64),
            columns.number("seq"),
            np.full(len(stream), place, np.int64),
            np.arange(len(stream), dtype=np.int64),
            columns.line.astype(np.int64),
        )
        for place, (columns, stream) in enumerate(zip((file.content.columns for file in files), streams, strict=True))
    ]
    parts.sort(key=lambda part: int(part.source[0]) if len(part.source) else 0)
    if not parts:
        empty = np.empty(0, np.int64)
        return _Keys(empty, empty, empty, empty, empty, empty)
    keys = _Keys(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    if _is_ascending(keys):
        return keys
    # Stable: lines with the same number stay in the order of paths and lines.
    return keys.take(np.lexsort((keys.seq, keys.stream, keys.source)).astype(np.int64))


def _is_ascending(keys: _Keys) -> bool:
    source, stream, seq = np.diff(keys.source), np.diff(keys.stream), np.diff(keys.seq)
    later = (source > 0) | ((source == 0) & ((stream > 0) | ((stream == 0) & (seq >= 0))))
    return bool(later.all())


def _streams(files: Sequence[Landed], numbers_of: list[I32]) -> list[I32]:
    """The device whose ``seq`` counts each line. A fault names the device that failed instead.

    It belongs to the device of the other lines of its file, if that is one, else to that of its source's other lines,
    if that is one, else to none.
    """
    streams = [numbers[file.content.columns.stream] for file, numbers in zip(files, numbers_of, strict=True)]
    faults = [np.isin(file.content.columns.type, _OF_A_DEVICE) for file in files]
    own = [set(np.unique(stream[~fault]).tolist()) for stream, fault in zip(streams, faults, strict=True)]
    of_source: dict[int, set[int]] = {}
    for file, found in zip(files, own, strict=True):
        for source in file.content.columns.source[:1].tolist():
            of_source.setdefault(source, set()).update(found)
    for file, stream, fault, found in zip(files, streams, faults, own, strict=True):
        if fault.any():
            others = of_source[int(file.content.columns.source[0])]
            only = found if len(found) == 1 else others if len(others) == 1 else {_DEVICELESS}
            stream[fault] = next(iter(only))
    return streams


def _changes(*columns: npt.NDArray[np.signedinteger]) -> Flags:
    """Rows that differ from the one before in some column."""
    changes = np.ones(len(columns[0]), np.bool_)
    changes[1:] = False
    for column in columns:
        changes[1:] |= column[1:] != column[:-1]
    return changes


def _order(finding: Finding) -> tuple[str, str, str, int]:
    return finding.code, finding.device or "", finding.path or "", finding.line or 0


def _gaps(accepted: _Keys, paths: list[str], words: list[str]) -> list[Finding]:
    """Numbers that are missing between the first and the last of a device; 0 and 1 both begin a count."""
    if not len(accepted.seq):
        return []
    begins = _changes(accepted.source, accepted.stream)
    before = np.where(begins, np.minimum(accepted.seq, 0), np.roll(accepted.seq, 1))
    gaps = np.flatnonzero(accepted.seq - before > 1)
    streams = np.cumsum(begins)[gaps]
    found = []
    for stream in np.unique(streams):
        rows = gaps[streams == stream]
        first = rows[0]
        found.append(
            gap_finding(
                SOURCES[accepted.source[first]],
                words[accepted.stream[first]],
                paths[accepted.file[first]],
                int(accepted.line[first]),
                before[rows] + 1,
                accepted.seq[rows] - 1,
            )
        )
    return found


def _duplicates(
    keys: _Keys,
    is_first: Flags,
    is_counted: Flags,
    files: Sequence[Landed],
    numbers_of: list[I32],
    words: list[str],
) -> list[Finding]:
    again = np.flatnonzero(~is_first & is_counted)
    if not len(again):
        return []
    firsts = np.flatnonzero(is_first)[np.cumsum(is_first) - 1][again]
    columns = [file.content.columns for file in files]
    same = same_content(
        columns, numbers_of, words, keys.file[again], keys.row[again], keys.file[firsts], keys.row[firsts]
    )
    in_one_file = keys.file[again] == keys.file[again - 1]
    odd = keys.take(again[~same | in_one_file])
    found = []
    streams = np.cumsum(_changes(odd.source, odd.stream))
    for stream in np.unique(streams):
        rows = odd.take(streams == stream)
        first = np.lexsort((rows.line, rows.file))[0]
        source, device = SOURCES[rows.source[first]], words[rows.stream[first]]
        path, line = files[rows.file[first]].path, int(rows.line[first])
        found.append(duplicate_finding(source, device, path, line, np.unique(rows.seq)))
    return found


def _counts(files: Sequence[Landed], accepted: I64) -> list[FileCount]:
    counts = np.bincount(accepted, minlength=len(files)).tolist()
    found = []
    for file, count in zip(files, counts, strict=True):
        content = file.content
        good, bad = len(content.columns.line), len(content.quarantined)
        assert content.lines == good + bad and count <= good, (
            f"{file.path}: {content.lines} lines, {good} good, {bad} bad"
        )
        found.append(FileCount(file.path, content.lines, count, good - count, bad))
    return found
