"""Papers: PDF/A files that look the same wherever and whenever they are made."""

import tempfile
from collections.abc import Mapping
from datetime import datetime
from importlib import resources
from pathlib import Path
from typing import Final

import typst

STANDARD: Final = "a-2a"
# Of each face one file: the fonts' folder has several forms of it, and which one is found first is not certain.
_FONTS: Final = "font_source_sans_pro"
_FACES: Final = ("Regular", "It", "Semibold", "Bold")
_TEMPLATE: Final = "paper.typ"


def typeset(template: bytes, files: Mapping[str, bytes], made: datetime) -> bytes:
    """The PDF that a Typst template makes of the files beside it, dated with a time."""
    with tempfile.TemporaryDirectory(prefix="audit21-paper-") as name:
        folder = Path(name)
        (folder / "fonts").mkdir()
        fonts = Path(str(resources.files(_FONTS) / "files"))
        for face in _FACES:
            font = f"SourceSansPro-{face}.ttf"
            (folder / "fonts" / font).symlink_to(fonts / font)
        for path, content in {_TEMPLATE: template, **files}.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(content)
        known = typst.Fonts(include_system_fonts=False, font_paths=[str(folder / "fonts")])
        compiler = typst.Compiler(str(folder / _TEMPLATE), root=str(folder), font_paths=known)
        pdf = compiler.compile(format="pdf", pdf_standards=[STANDARD], timestamp=int(made.timestamp()))
        assert isinstance(pdf, bytes)
        return pdf
