"""Characters of a font file: which ones it has, and their widths."""

import struct
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

SANS: Final = Path(str(resources.files("font_source_sans_pro") / "files"))
_FACES: Final = {False: "SourceSansPro-Regular.ttf", True: "SourceSansPro-Semibold.ttf"}
_LETTER_EM: Final = 0.6  # of a character that the font lacks: another font draws it


def width_em(text: str, *, bold: bool = False) -> float:
    """Return the width of a text in Source Sans Pro at size 1."""
    known = _advances(_FACES[bold])
    return sum(known.get(ord(letter), _LETTER_EM) for letter in text)


@cache
def _advances(name: str) -> dict[int, float]:
    """Return the advance width of each character of Latin scripts, by code point, at size 1."""
    font = (SANS / name).read_bytes()
    tables = _tables(font)
    (units,) = struct.unpack_from(">H", font, tables[b"head"] + 18)
    (count,) = struct.unpack_from(">H", font, tables[b"hhea"] + 34)
    widths = [struct.unpack_from(">H", font, tables[b"hmtx"] + 4 * n)[0] for n in range(count)]
    return {point: widths[min(glyph, count - 1)] / units for point, glyph in glyphs(font) if point < 0x2300}


def glyphs(font: bytes) -> Iterator[tuple[int, int]]:
    """Yield a font's code points with their glyphs, from its character map (table ``cmap``, formats 4 and 12)."""
    cmap = _tables(font)[b"cmap"]
    (maps,) = struct.unpack_from(">H", font, cmap + 2)
    places = {cmap + struct.unpack_from(">HHI", font, cmap + 4 + 8 * n)[2] for n in range(maps)}
    for place in places:
        (form,) = struct.unpack_from(">H", font, place)
        if form == 12:
            yield from _groups(font, place)
        elif form == 4:
            yield from _segments(font, place)


def _tables(font: bytes) -> Mapping[bytes, int]:
    """Return where each table of the file begins."""
    (count,) = struct.unpack_from(">H", font, 4)
    rows = range(12, 12 + 16 * count, 16)
    return {font[at : at + 4]: struct.unpack_from(">I", font, at + 8)[0] for at in rows}


def _groups(font: bytes, place: int) -> Iterator[tuple[int, int]]:
    (count,) = struct.unpack_from(">I", font, place + 12)
    for first, last, glyph in struct.iter_unpack(">III", font[place + 16 : place + 16 + 12 * count]):
        skipped = int(glyph == 0)
        yield from ((point, glyph + point - first) for point in range(first + skipped, last + 1))


def _segments(font: bytes, place: int) -> Iterator[tuple[int, int]]:
    (double,) = struct.unpack_from(">H", font, place + 6)
    count = double // 2
    ends, starts, deltas, offsets = (
        struct.unpack_from(f">{count}H", font, place + 14 + shift)
        for shift in (0, double + 2, 2 * double + 2, 3 * double + 2)
    )
    for n in range(count):
        for point in range(starts[n], ends[n] + 1):
            at = place + 16 + 3 * double + 2 * n + offsets[n] + 2 * (point - starts[n])
            glyph = struct.unpack_from(">H", font, at)[0] if offsets[n] else point
            if glyph or not offsets[n]:
                glyph = (glyph + deltas[n]) % 0x10000
            if glyph:
                yield point, glyph
