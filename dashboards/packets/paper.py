"""The paper: a PDF/A that looks the same wherever and whenever it is made."""

import json
import tempfile
from datetime import datetime
from importlib import resources
from pathlib import Path
from typing import Any, Final

import typst

from dashboards.packets.stills import Still
from dashboards.packets.view import View

STANDARD: Final = "a-2a"
VERIFY: Final = "verify.sh"
# Of each face one file: the fonts' folder has several forms of it, and which one is found first is not certain.
_FONTS: Final = "font_source_sans_pro"
_FACES: Final = ("Regular", "It", "Semibold", "Bold")


def print_packet(packet: dict[str, Any], felt: str, stills: list[Still], made: datetime) -> bytes:
    """The PDF of a packet, dated with the time at which its facts were published."""
    with tempfile.TemporaryDirectory(prefix="audit21-packet-") as name:
        folder = Path(name)
        (folder / "fonts").mkdir()
        fonts = Path(str(resources.files(_FONTS) / "files"))
        for face in _FACES:
            font = f"SourceSansPro-{face}.ttf"
            (folder / "fonts" / font).symlink_to(fonts / font)
        (folder / "view.json").write_text(json.dumps(View(packet).data()), encoding="utf-8")
        (folder / "felt.svg").write_text(felt, encoding="utf-8")
        (folder / VERIFY).write_bytes(verify_script())
        for still in stills:
            (folder / still.name).parent.mkdir(exist_ok=True)
            (folder / still.name).write_bytes(still.png)
        template = folder / "packet.typ"
        template.write_bytes((resources.files("dashboards.packets") / "packet.typ").read_bytes())
        return _compiled(folder, template, made)


def _compiled(folder: Path, template: Path, made: datetime) -> bytes:
    fonts = typst.Fonts(include_system_fonts=False, font_paths=[str(folder / "fonts")])
    compiler = typst.Compiler(str(template), root=str(folder), font_paths=fonts)
    pdf = compiler.compile(format="pdf", pdf_standards=[STANDARD], timestamp=int(made.timestamp()))
    assert isinstance(pdf, bytes)
    return pdf


def verify_script() -> bytes:
    """The commands with which a bundle is checked without this software."""
    return (resources.files("dashboards.packets") / VERIFY).read_bytes()
