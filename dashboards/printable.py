"""Text that the fonts of the papers can print: in PDF/A a character without a glyph is an error."""

import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

from replay.felt.typeface import SANS, glyphs

SIGN: Final = "\N{REPLACEMENT CHARACTER}"
MOST_NAMED: Final = 12
# The order in which a character is looked up, after the font that a text is set in.
FALLBACK: Final = (
    ("Noto Sans SC", "NotoSansSC-Regular.ttf"),
    ("Noto Sans KR", "NotoSansKR-Regular.ttf"),
    ("Noto Sans Tamil", "NotoSansTamil-Regular.ttf"),
    ("Noto Sans Thai", "NotoSansThai-Regular.ttf"),
    ("Noto Sans Devanagari", "NotoSansDevanagari-Regular.ttf"),
    ("Noto Emoji", "NotoEmoji-Regular.ttf"),
)
_MONO: Final = "DejaVuSansMono.ttf"
# Of each face one file: the fonts' folder has several forms of it, and which one is found first is not certain.
_FACES: Final = ("Regular", "It", "Semibold", "Bold")
_MOST_MARKS: Final = 6  # on one letter; more of them would cover the lines above and below
_ZWSP, _ZWNJ, _ZWJ = "\u200b", "\u200c", "\u200d"
_SHAPING: Final = frozenset((_ZWNJ, _ZWJ, *map(chr, range(0xFE00, 0xFE10))))  # unseen: they shape the letter before
_SKIN_TONES: Final = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
_RIGHT_TO_LEFT: Final = frozenset(("R", "AL", "AN"))  # would change the order of adjacent characters


def font_files() -> list[Path]:
    """All files of fonts that papers are set in."""
    ours = Path(str(resources.files("dashboards") / "fonts"))
    faces = [SANS / f"SourceSansPro-{face}.ttf" for face in _FACES]
    return [*faces, ours / _MONO, *(ours / file for _, file in FALLBACK)]


def printable(words: Any) -> tuple[Any, set[str]]:
    """The same data with a visible sign for each character that cannot be printed, and those characters."""
    replaced: set[str] = set()

    def of(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: of(each) for name, each in value.items()}
        if isinstance(value, list | tuple):
            return [of(each) for each in value]
        return _text(value, replaced) if isinstance(value, str) else value

    return of(words), replaced


def told(replaced: set[str]) -> str:
    """Name the replaced characters in a sentence; empty where none was replaced."""
    if not replaced:
        return ""
    names = [f"U+{ord(letter):04X}" for letter in sorted(replaced)]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"Each {SIGN} replaces a character that cannot be printed here: {', '.join(names[:MOST_NAMED])}{more}."


def _text(text: str, replaced: set[str]) -> str:
    if text.isascii() and text.isprintable():
        return text
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ").split("\n")
    return "\n".join("".join(_shown(cluster, replaced) for cluster in _clusters(line)) for line in lines)


def _shown(cluster: str, replaced: set[str]) -> str:
    """Return a letter with its marks in a form that one font has: unchanged, composed, or without missing marks."""
    kept, lost = _split(cluster)
    if not lost:
        return kept
    composed, lacking = _split(unicodedata.normalize("NFC", cluster))
    if not lacking:
        return composed
    replaced.update(lost)
    return kept + SIGN * len(lost)


def _split(cluster: str) -> tuple[str, str]:
    """Split a letter with its marks into the part that one font prints and the rest; marks stay with their letter."""
    fonts, kept, lost, marks = list(_coverage()), "", "", 0
    if cluster[0] in _SHAPING or _is_mark(cluster[0]):
        return "", cluster
    for letter in cluster:
        marks += _is_mark(letter)
        is_unseen = letter in _SHAPING or letter == _ZWSP
        having = fonts if is_unseen else [points for points in fonts if ord(letter) in points and _is_plain(letter)]
        if not having or marks > _MOST_MARKS:
            lost += letter
            if not kept:
                return "", cluster
        else:
            fonts, kept = having, kept + letter
    return kept, lost


def _is_mark(letter: str) -> bool:
    return letter not in _SHAPING and unicodedata.category(letter).startswith("M")


def _is_plain(letter: str) -> bool:
    """Return whether a character may be printed, provided that a font has it: no control, no right-to-left letter."""
    is_control = unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    return not (is_control or unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT)


def _clusters(text: str) -> Iterator[str]:
    """Letters with the marks, joiners and modifiers that follow them."""
    start = 0
    for at in range(1, len(text)):
        letter = text[at]
        if not (letter in _SKIN_TONES or letter in _SHAPING or _is_mark(letter) or text[at - 1] == _ZWJ):
            yield text[start:at]
            start = at
    if text:
        yield text[start:]


@cache
def _coverage() -> tuple[frozenset[int], ...]:
    """Of each font the characters that it has; of Source Sans Pro those that all its faces have."""
    maps = [frozenset(point for point, _ in glyphs(path.read_bytes())) for path in font_files()]
    return (frozenset.intersection(*maps[: len(_FACES)]), *maps[len(_FACES) :])
