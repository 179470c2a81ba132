"""Archives in which programs that unpack by the directory and those that read from the beginning find other files."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Final

_HEADER: Final = struct.Struct("<4s5H3L2H")
_END: Final = struct.Struct("<4s4H2LH")
_FORGED: Final = b"%PDF forged"


def _member(name: bytes = b"packet.pdf") -> bytes:
    """A forged file with its own header, which no directory lists."""
    size = len(_FORGED)
    return _HEADER.pack(b"PK\3\4", 20, 0, 0, 0, 0x21, zlib.crc32(_FORGED), size, size, len(name), 0) + name + _FORGED


def _split(content: bytes) -> tuple[bytes, bytes, list[int]]:
    """Files, directory, and the fields of the last record."""
    _, *fields = _END.unpack(content[-_END.size :])
    return content[: fields[5]], content[fields[5] : -_END.size], fields


def _joined(files: bytes, directory: bytes, fields: list[int], comment: bytes = b"") -> bytes:
    fields[5:] = [len(files), len(comment)]
    return files + directory + _END.pack(b"PK\5\6", *fields) + comment


def before(content: bytes) -> bytes:
    """Put it before the archive, as programs do that unpack themselves."""
    return _member() + content


def first(content: bytes) -> bytes:
    """Put it before the first file, with all places in the directory moved on."""
    files, directory, fields = _split(content)
    moved, at = bytearray(directory), 0
    while at < len(moved):
        name, more, remark = struct.unpack_from("<3H", moved, at + 28)
        (place,) = struct.unpack_from("<L", moved, at + 42)
        struct.pack_into("<L", moved, at + 42, place + len(_member()))
        at += 46 + name + more + remark
    return _joined(_member() + files, bytes(moved), fields)


def last(content: bytes) -> bytes:
    """Put it between the last file and the directory."""
    files, directory, fields = _split(content)
    return _joined(files + _member(), directory, fields)


def remark(content: bytes) -> bytes:
    """Put it into a remark behind the last record."""
    return _joined(*_split(content), _member())


def parts(content: bytes) -> bytes:
    files, directory, fields = _split(content)
    fields[0] = 1
    return _joined(files, directory, fields)


def _patched(content: bytes, at: int, form: str, value: int) -> bytes:
    """Change the own header of the paper, and leave the directory."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        place = archive.getinfo("packet.pdf").header_offset + at
    return content[:place] + struct.pack(form, value) + content[place + struct.calcsize(form) :]


def other_method(content: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        is_packed = archive.getinfo("packet.pdf").compress_type == zipfile.ZIP_DEFLATED
    return _patched(content, 8, "<H", zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED)


def other_size(content: bytes) -> bytes:
    return _patched(content, 18, "<L", 7)


def other_sum(content: bytes) -> bytes:
    return _patched(content, 14, "<L", 7)


def other_flags(content: bytes) -> bytes:
    return _patched(content, 6, "<H", 8)


def other_name(content: bytes) -> bytes:
    """Give a file a second name in a further field, which some programs go by."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for each in old.infolist():
            info = zipfile.ZipInfo(each.filename)
            info.compress_type = zipfile.ZIP_DEFLATED
            if each.filename == "README.txt":
                name = b"packet.pdf"
                about = struct.pack("<BL", 1, zlib.crc32(b"README.txt")) + name
                info.extra = struct.pack("<2H", 0x7075, len(about)) + about
            new.writestr(info, old.read(each))
    return out.getvalue()


def folder(content: bytes) -> bytes:
    """A folder of the paper's name."""
    out = io.BytesIO(content)
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr(zipfile.ZipInfo("packet.pdf/"), b"")
    return out.getvalue()


AMBIGUOUS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "forged file before the archive": before,
    "forged file before the first": first,
    "forged file behind the last": last,
    "forged file in a remark": remark,
    "several parts": parts,
    "other packing in the file's header": other_method,
    "other size in the file's header": other_size,
    "other sum in the file's header": other_sum,
    "other flags in the file's header": other_flags,
    "second name of a file": other_name,
    "folder of a file's name": folder,
}
