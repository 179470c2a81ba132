"""Opens a dispute bundle that anybody may have made: whatever is no bundle is refused, in bounded memory."""

import hashlib
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, NamedTuple

from warehouse.evidence.bundle_files import BESIDE, MANIFEST, NEEDED, Bundle, BundleError, Digest, is_read
from warehouse.evidence.manifest import NAME
from warehouse.evidence.report import Report

_MOST_FILES: Final = 10_000
_MOST_BYTES: Final = 1 << 30
_MOST_READ: Final = 8 << 20  # of one file whose content is read
_MOST_READ_IN_ALL: Final = 64 << 20
_MOST_LINES: Final = 200_000  # in one of them
_PIECE: Final = 1 << 20
_DIRECTORY_END: Final = struct.Struct("<4s4H2LH")
_HEADER: Final = struct.Struct("<4s5H3L2H")
_FIELD: Final = struct.Struct("<2H")
_FIELDS: Final = frozenset({0x5455, 0x7855, 0x7875, 0x000A})  # times and owners; others may give a file another name
_UTF8: Final = 1 << 11
_BROKEN: Final = (
    *(OSError, zipfile.BadZipFile, zlib.error, EOFError, struct.error),
    *(NotImplementedError, RuntimeError, ValueError, IndexError, OverflowError),
)


class _Member(NamedTuple):
    """A file of a bundle: its name, its size, and how to open it."""

    name: str
    size: int
    open: Callable[[], IO[bytes]]


def opened(path: Path) -> Bundle:
    """A bundle, zipped or unpacked; BundleError for anything else."""
    try:
        with _members(path) as members:
            digests, files = _read(path, members)
    except BundleError:
        raise
    except FileNotFoundError:
        raise BundleError(f"{path}: no such file") from None
    except _BROKEN as error:
        raise BundleError(f"{path}: not a readable bundle: {str(error) or type(error).__name__!r:.200}") from None
    if missing := sorted({*NEEDED, *BESIDE} - set(digests)):
        older = "; one without a manifest was made by an older version, or is forged" if MANIFEST in missing else ""
        raise BundleError(f"{path}: no dispute bundle, it lacks {', '.join(missing)}{older}")
    return Bundle(digests, files, Report(is_bundle=True))


def _read(path: Path, members: list[_Member]) -> tuple[dict[str, Digest], dict[str, bytes]]:
    """Hash every file, and keep the content of those that are read."""
    names = [member.name for member in members]
    for name in names:
        if not NAME.fullmatch(name):
            raise BundleError(f"{path}: found the file name {name!r:.80}, which no dispute bundle has")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise BundleError(f"{path}: has two files named {twice}, expected one")
    wanted = [member for member in members if is_read(member.name)]
    for member in wanted:
        if member.size > _MOST_READ:
            raise BundleError(f"{path}: {member.name} has more than {_MOST_READ >> 20} MB; this is no dispute bundle")
    for most, those in ((_MOST_BYTES, members), (_MOST_READ_IN_ALL, wanted)):
        if sum(member.size for member in those) > most:
            raise BundleError(f"{path}: more than {most >> 20} MB unpacked; this is no dispute bundle")
    digests, files = {}, {}
    for member in members:
        digests[member.name], content = _hashed(path, member)
        if content is not None:
            files[member.name] = content
    return digests, files


def _hashed(path: Path, member: _Member) -> tuple[Digest, bytes | None]:
    digest, size, pieces, lines = hashlib.sha256(), 0, [], 0
    keeps = is_read(member.name)
    with member.open() as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
            size += len(piece)
            if size > member.size:
                raise BundleError(f"{path}: {member.name} is longer than it says; this is no dispute bundle")
            if keeps:
                pieces.append(piece)
                lines += piece.count(b"\n")
    if lines > _MOST_LINES:
        raise BundleError(f"{path}: {member.name} has more than {_MOST_LINES:,} lines; this is no dispute bundle")
    return Digest(size, digest.hexdigest()), b"".join(pieces) if keeps else None


@contextmanager
def _members(path: Path) -> Iterator[list[_Member]]:
    if path.is_dir():
        yield list(_unpacked(path))
        return
    with path.open("rb") as file:
        _check_directory(path, file)
        with zipfile.ZipFile(file) as bundle:
            yield [_zipped(path, bundle, info) for info in bundle.infolist() if not _is_folder(path, info)]
            _check_layout(path, file, bundle)


def _unpacked(path: Path) -> Iterator[_Member]:
    """The files below a folder; links and devices are refused."""
    folders, count = [path], 0
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                count += 1
                place = Path(entry.path)
                if count > _MOST_FILES:
                    raise BundleError(f"{path}: more than {_MOST_FILES:,} files; this is no dispute bundle")
                if entry.is_dir(follow_symlinks=False):
                    folders.append(place)
                elif entry.is_file(follow_symlinks=False):
                    name = place.relative_to(path).as_posix()
                    yield _Member(name, entry.stat(follow_symlinks=False).st_size, _opener(place))
                else:
                    raise BundleError(f"{path}: {entry.name!r:.80} is a link or a device, expected files and folders")


def _opener(place: Path) -> Callable[[], IO[bytes]]:
    return lambda: place.open("rb")


def _check_directory(path: Path, file: IO[bytes]) -> None:
    """Refuse an archive by its last record, before its directory is read into memory."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 20 - _DIRECTORY_END.size))
    tail = file.read()
    record, before = tail[-_DIRECTORY_END.size :], tail[: -_DIRECTORY_END.size]
    if len(record) < _DIRECTORY_END.size or not (record.startswith(b"PK\5\6") and record.endswith(b"\0\0")):
        raise BundleError(f"{path}: not a readable bundle: this is no zip archive, or something follows its end")
    disk, first, here, files, length = _DIRECTORY_END.unpack(record)[1:6]
    if before.startswith(b"PK\6\7") or files > _MOST_FILES or length > _MOST_FILES << 10:
        raise BundleError(f"{path}: more than {_MOST_FILES:,} files or 4 GB; this is no dispute bundle")
    if (disk, first, here) != (0, 0, files):
        raise BundleError(f"{path}: not a readable bundle: the archive has several parts")


def _check_layout(path: Path, file: IO[bytes], bundle: zipfile.ZipFile) -> None:
    """Refuse an archive that says one thing in its directory and another in its files.

    Some programs unpack by the directory and others from the beginning: all have to find the same files.
    """
    at = 0
    names = bundle.namelist()
    for info in sorted(bundle.infolist(), key=lambda each: each.header_offset):
        if info.header_offset != at:
            raise BundleError(f"{path}: has something before {info.filename!r:.80} that its directory does not list")
        file.seek(at)
        mark, _, flags, method, _, _, crc, packed, size, name_bytes, more_bytes = _HEADER.unpack(
            file.read(_HEADER.size)
        )
        name = file.read(name_bytes).decode("utf-8" if flags & _UTF8 else "cp437")
        told = (mark, flags, method, crc, packed, size, name)
        listed = (info.flag_bits, info.compress_type, info.CRC, info.compress_size, info.file_size, info.orig_filename)
        if told != (b"PK\3\4", *listed) or not _fields(info.extra) | _fields(file.read(more_bytes)) <= _FIELDS:
            raise BundleError(f"{path}: says two different things of {info.filename!r:.80}; this is no dispute bundle")
        if info.is_dir() and not any(each != info.filename and each.startswith(info.filename) for each in names):
            raise BundleError(f"{path}: found the empty folder {info.filename!r:.80}, which no dispute bundle has")
        at += _HEADER.size + name_bytes + more_bytes + packed
    if at != bundle.start_dir:
        raise BundleError(f"{path}: has something before its directory that this does not list")


def _fields(extra: bytes) -> set[int]:
    """The kinds of further fields that a header has."""
    found = set()
    while extra:
        kind, size = _FIELD.unpack_from(extra)
        found.add(kind)
        extra = extra[_FIELD.size + size :]
    return found


def _is_folder(path: Path, info: zipfile.ZipInfo) -> bool:
    if info.is_dir() and (info.file_size or not NAME.fullmatch(info.filename.rstrip("/"))):
        raise BundleError(f"{path}: found the folder {info.filename!r:.80}, which no dispute bundle has")
    return info.is_dir()


def _zipped(path: Path, bundle: zipfile.ZipFile, info: zipfile.ZipInfo) -> _Member:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise BundleError(f"{path}: {info.filename!r:.80} is a link or a device, expected files")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.flag_bits & 1:
        raise BundleError(f"{path}: {info.filename!r:.80} is encrypted or packed in another way than bundles are")
    if info.orig_filename != info.filename:
        raise BundleError(f"{path}: found the file name {info.orig_filename!r:.80}, which no dispute bundle has")
    return _Member(info.filename, info.file_size, lambda: bundle.open(info))
