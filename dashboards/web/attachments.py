"""Names of files in answers, whatever letters are in them."""

import re
from typing import Final
from urllib.parse import quote

# A header has Latin letters only, a file's name no path: other characters are replaced.
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9 ._~+,=@-]")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f/\\]")
_LONGEST: Final = 150


def disposition(filename: str, kind: str = "attachment") -> dict[str, str]:
    """The header that names a file: in plain letters for old programs, and as it is (RFC 6266)."""
    stem, dot, ending = filename.rpartition(".")
    name = (stem[:_LONGEST] + dot + ending) if dot else ending[:_LONGEST]
    name = _CONTROL.sub("_", name.encode(errors="replace").decode())
    plain = _UNSAFE.sub("_", name)
    also = "" if plain == name else f"; filename*=UTF-8''{quote(name, safe='')}"
    return {"Content-Disposition": f'{kind}; filename="{plain}"{also}'}
