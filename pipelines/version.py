"""The version of what turns lines into verdicts: a change in it is a reason to audit a day again."""

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).parent.parent
# What the verdicts depend on; the simulator and the narrative only tell of the same rules.
_SOURCES: Final = (
    *("replay/*.py", "replay/engine/*.py", "replay/rulebooks/*.toml", "pipelines/table.py", "warehouse/schemas.py"),
    *("pipelines/ingest/*.py", "pipelines/align/*.py", "pipelines/judge/*.py", "pipelines/reconcile/*.py"),
)


@cache
def engine_version() -> str:
    """The package's version and a hash of its sources."""
    digest = hashlib.sha256()
    for pattern in _SOURCES:
        for path in sorted(_ROOT.glob(pattern)):
            digest.update(path.read_bytes())
    return f"{version('audit21')}+{digest.hexdigest()[:12]}"
