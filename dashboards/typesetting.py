"""Papers: PDF/A files that look the same wherever and whenever they are made."""

import json
import tempfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import typst

from dashboards.printable import FALLBACK, font_files, printable, told

STANDARD: Final = "a-2a"
_TEMPLATE: Final = "paper.typ"
_WORDS: Final = "view.json"


def typeset(template: bytes, words: Mapping[str, Any], files: Mapping[str, bytes], made: datetime) -> bytes:
    """The PDF that a Typst template makes of words and the files beside it, dated with a time.

    The template finds the words in ``view.json``, with two more: ``fallback``, the fonts for what its own lack, and
    ``replaced``, a sentence on the characters that no font has.
    """
    shown, replaced = printable(dict(words))
    shown |= {"fallback": [family for family, _ in FALLBACK], "replaced": told(replaced)}
    with tempfile.TemporaryDirectory(prefix="audit21-paper-") as name:
        folder = Path(name)
        (folder / "fonts").mkdir()
        for font in font_files():
            (folder / "fonts" / font.name).symlink_to(font)
        for path, content in {_TEMPLATE: template, _WORDS: json.dumps(shown).encode(), **files}.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(content)
        fonts = typst.Fonts(
            include_system_fonts=False, include_embedded_fonts=False, font_paths=[str(folder / "fonts")]
        )
        compiler = typst.Compiler(str(folder / _TEMPLATE), root=str(folder), font_paths=fonts)
        pdf = compiler.compile(format="pdf", pdf_standards=[STANDARD], timestamp=int(made.timestamp()))
        assert isinstance(pdf, bytes)
        return pdf
