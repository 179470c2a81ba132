"""Short videos of things to watch, some of them made wrong on purpose."""

import struct
from collections.abc import Iterable, Sequence
from pathlib import Path

import cv2
import numpy as np

from vision.watching.video import Picture

SIZE = (320, 180)
FPS = 10.0
_PARENTS = (b"moov", b"trak", b"mdia", b"minf", b"stbl")


def grey(level: int, size: tuple[int, int] = SIZE) -> Picture:
    return np.full((size[1], size[0], 3), level, np.uint8)


def write(path: Path, pictures: Iterable[Picture], fps: float = FPS, code: str = "mp4v") -> Path:
    """A video of pictures that have the same size."""
    listed = list(pictures)
    height, width = listed[0].shape[:2]
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*code), fps, (width, height))
    assert writer.isOpened()
    for picture in listed:
        writer.write(picture)
    writer.release()
    return path


def at_times(path: Path, times_ms: Sequence[int]) -> Path:
    """The same video with frames shown at other times: the table of durations in its header is written anew."""
    data = path.read_bytes()
    begin = data.index(b"mdhd") + 4
    scale = struct.unpack(">I", data[begin + 12 : begin + 16])[0]
    lasts = [round(ms * scale / 1000) for ms in np.diff([*times_ms, times_ms[-1] + 100])]
    rows = b"".join(struct.pack(">II", 1, each) for each in lasts)
    table = struct.pack(">I4sII", 16 + len(rows), b"stts", 0, len(lasts)) + rows
    at = data.index(b"stts") - 4
    old = struct.unpack(">I", data[at : at + 4])[0]
    changed = bytearray(data[:at] + table + data[at + old :])
    for name in _PARENTS:
        place = data.index(name) - 4
        size = struct.unpack(">I", data[place : place + 4])[0]
        changed[place : place + 4] = struct.pack(">I", size + len(table) - old)
    path.write_bytes(bytes(changed).replace(b"edts", b"free"))  # what else says how long it lasts
    return path


def turned(path: Path) -> Path:
    """The same video with a header that says: show it turned by a quarter."""
    data = bytearray(path.read_bytes())
    at = data.index(b"tkhd") + 4 + 40
    one = 1 << 16
    data[at : at + 36] = struct.pack(">9i", 0, one, 0, -one, 0, 0, 0, 0, 1 << 30)
    path.write_bytes(bytes(data))
    return path
