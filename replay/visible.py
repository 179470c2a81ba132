"""Text of the evidence, shown and never obeyed by the terminal that it is written to."""

import re
from typing import Final

PLAIN_WIDTH: Final = 100  # columns, where nothing tells how wide the console is
# Controls of a terminal, what turns the direction of text around it, and halves of surrogate pairs.
_OBEYED: Final = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_OBEYED_BUT_LINES: Final = re.compile(f"(?![\n\t]){_OBEYED.pattern}")
_PICTURES: Final = 0x2400  # of the controls up to 0x1f: ␛ for the one that begins a sequence


def visible(text: str) -> str:
    """A text of one line with a sign for every character that a terminal would obey."""
    return _OBEYED.sub(_sign, text)


def visible_lines(text: str) -> str:
    """The same for a text whose line breaks are its own."""
    return _OBEYED_BUT_LINES.sub(_sign, text)


def escaped(json_text: str) -> str:
    """The same for JSON, in JSON's own escapes."""
    return _OBEYED_BUT_LINES.sub(lambda found: f"\\u{ord(found[0]):04x}", json_text)


def _sign(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(_PICTURES + code)
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"
