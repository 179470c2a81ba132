"""Characters that the PDFs' fonts can print, and the sign that replaces the others."""

import random
import unicodedata
from datetime import UTC, datetime

import pytest
import typst

from dashboards import printable, typesetting
from dashboards.printable import SIGN, font_files, told

MADE = datetime(2026, 1, 5, tzinfo=UTC)
TEMPLATE = b"""
#let data = json("view.json")
#set document(title: data.texts.first())
#for text-of in data.texts [
  #text(font: ("Source Sans Pro", "DejaVu Sans Mono", ..data.fallback), text-of) \\
  #text(font: ("DejaVu Sans Mono", "Source Sans Pro", ..data.fallback), weight: 600, style: "italic", text-of) \\
]
"""


def typeset(texts: list[str]) -> bytes:
    return typesetting.typeset(TEMPLATE, {"texts": texts}, {}, MADE)


def shown(text: str) -> tuple[str, set[str]]:
    (found,), replaced = printable.printable([text])
    return found, replaced


def covered() -> list[str]:
    return [chr(point) for point in sorted(frozenset().union(*printable._coverage()))]


@pytest.mark.parametrize(
    "text",
    [
        "plain, naïve, Ω, Ж, ♥ 7 × 3 …",
        "陈伟强 龍門臺 㐂 䶮",
        "நான் நின்றேன் க்ஷ ஸ்ரீ",
        "ยี่สิบเอ็ดแต้ม น้ำ",
        "저는 멈췄습니다",
        "मैं रुका क्षत्रिय श्री क्‍ष",
        "😀 👍🏽 👩‍💻 🇸🇬 1️⃣ ♥️",
        "line\nline",
        "e\u0301 a\u0302\u0301",
    ],
)
def test_what_a_font_covers_stays_as_it_is(text: str) -> None:
    assert shown(text) == (text, set())


def test_decomposed_letters_are_composed_where_only_that_form_has_a_glyph() -> None:
    for text in (unicodedata.normalize("NFD", "멈췄습니다"), "\uf900"):
        assert unicodedata.normalize("NFC", shown(text)[0]) == unicodedata.normalize("NFC", text)
        assert not shown(text)[1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ሰ", SIGN),  # Ethiopic
        ("ab שלום 1", f"ab {SIGN * 4} 1"),  # no font here for Hebrew
        ("سلام", SIGN * 4),  # one has it, but it would change the order of the text beside it
        ("1\u202e00.5\u202c", f"1{SIGN}00.5{SIGN}"),
        ("\u2066a\u2069\u200f\u061c", f"{SIGN}a{SIGN * 3}"),
        ("a\x1b[31m\x00\x7f\x85\u2028\u2029", f"a{SIGN}[31m{SIGN * 5}"),
        ("\ue000\ud800\ufeff\u00ad\uffff", SIGN * 5),
        ("ж\u0bbe", f"ж{SIGN}"),  # two scripts in one letter: no font has both
        ("\u200d", SIGN),
        ("5ש\u0338", f"5{SIGN * 2}"),  # a mark must not strike out the digit before its letter
        ("\u0338", SIGN),
        ("a" + "\u0301" * 8, "a" + "\u0301" * 6 + SIGN * 2),  # no higher than the line
        ("a\r\nb\rc\td", "a\nb\nc d"),
    ],
)
def test_what_cannot_be_printed_is_replaced_by_a_visible_sign(text: str, expected: str) -> None:
    found, replaced = shown(text)
    assert found == expected
    gone = {letter for letter in text if letter not in expected and letter not in "\r\t"}
    assert gone <= replaced <= set(text) and bool(replaced) == (SIGN in expected)


def test_names_and_numbers_in_nested_data_are_kept() -> None:
    words = {"a\x00": [1, None, True, {"b": ("ሰ", 2.5)}]}
    assert printable.printable(words) == ({"a\x00": [1, None, True, {"b": [SIGN, 2.5]}]}, {"ሰ"})


def test_replaced_characters_are_named() -> None:
    assert told(set()) == ""
    assert told({"ሰ", "\x1b"}) == f"Each {SIGN} replaces a character that cannot be printed here: U+001B, U+1230."
    assert told({chr(0x1200 + n) for n in range(20)}).endswith("U+120B and 8 more.")


def test_every_character_in_the_maps_of_the_fonts_is_printed() -> None:
    """A character that the maps promise and the fonts lack would be an error of PDF/A."""
    letters = [letter for letter in covered() if shown(letter) == (letter, set())]
    assert len(letters) > 45_900, "all but marks without a letter, controls and right-to-left scripts"
    assert typeset(["".join(letters[at : at + 50]) for at in range(0, len(letters), 50)]).startswith(b"%PDF")


def test_each_font_has_what_it_is_there_for() -> None:
    _, mono, *fallback = printable._coverage()
    ranges = ((0x4E00, 0x9FA5), (0xAC00, 0xD7A3), (0xB95, 0xB95), (0xE01, 0xE3A), (0x904, 0x939), (0x1F600, 0x1F64F))
    for points, (first, last) in zip(fallback, ranges, strict=True):
        assert points.issuperset(range(first, last + 1))
    assert {ord(letter) for letter in f"♠♥♦♣{SIGN}"} <= mono
    assert all(path.is_file() for path in font_files())


def test_a_character_without_a_glyph_is_an_error_of_the_typesetter(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason for all of this; without it the tests here would show nothing."""
    monkeypatch.setattr(typesetting, "printable", lambda words: (words, set()))
    for text in ("ሰ", "\x1b", "\ue000", "\x00"):
        with pytest.raises(typst.TypstError, match="PDF/A-2a error"):
            typeset([text])


def test_any_mixture_of_characters_is_printed() -> None:
    draw, letters = random.Random(16), covered()
    marks = [chr(point) for point in range(0x110000) if unicodedata.category(chr(point)).startswith("M")]
    special = list("\u200b\u200c\u200d\ufe0f\u202e\u2066\x00\x1b\x85\u2028\ufeff\u00ad🏽👩💻🇸🇬♥1 \t\n\r\ud800\ue000")
    kinds = (letters, marks, special, [chr(point) for point in range(0, 0x110000, 7)])
    texts = ["".join(draw.choice(draw.choice(kinds)) for _ in range(draw.randint(1, 12))) for _ in range(2000)]
    assert typeset(texts).startswith(b"%PDF")
