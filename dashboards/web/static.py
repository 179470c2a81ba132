"""Our own scripts and styles, and the font of the felt.

Their address has a hash of their content in it, so that browsers keep them and need not ask again.
"""

import hashlib
from pathlib import Path
from typing import Final

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER: Final = Path(__file__).parents[1] / "static"
_KEEP: Final = "public, max-age=31536000, immutable"
_ASK: Final = "no-cache"


class Files(StaticFiles):
    """Files below ``/static/VERSION/``, which never change, and below ``/static/``, where browsers ask if they did.

    Scripts import each other by relative addresses, so one version stands for all files.
    """

    def __init__(self) -> None:
        super().__init__(directory=FOLDER, packages=[("font_source_sans_pro", "files")])
        self.version = _version()

    def url(self, name: str) -> str:
        """The address of a file for a page: ``/static/3f2a9c0d51e8/app.css``."""
        return f"/static/{self.version}/{name}"

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file."""
        name = path.removeprefix(f"{self.version}/")
        response = await super().get_response(name, scope)
        response.headers["Cache-Control"] = _ASK if name == path else _KEEP
        return response


def _version() -> str:
    """A short hash of all files and their names."""
    found = hashlib.sha256()
    for path in sorted(each for each in FOLDER.rglob("*") if each.is_file()):
        content = path.read_bytes()
        found.update(f"{path.relative_to(FOLDER)} {len(content)}\n".encode() + content)
    return found.hexdigest()[:12]
