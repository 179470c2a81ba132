"""The versions of what turns lines into verdicts and films into lines: a change is a reason to audit a day again."""

import hashlib
import json
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

_ROOT: Final = Path(__file__).parent.parent
# What the verdicts depend on; the simulator and the narrative only tell of the same rules.
_SOURCES: Final = (
    *("replay/*.py", "replay/engine/*.py", "replay/rulebooks/*.toml", "pipelines/day/table.py", "warehouse/schemas.py"),
    *("pipelines/custody/files.py", "pipelines/custody/parquet.py", "pipelines/watch/films.py"),
    *("pipelines/watch/findings.py", "pipelines/ingest/*.py", "pipelines/align/*.py", "pipelines/stories/*.py"),
    *("pipelines/judge/*.py", "pipelines/reconcile/*.py"),
)
# What a film's sightings depend on: the code that reads, and its weights.
_READER: Final = (
    *("vision/calibration/*.py", "vision/reading/*.py", "vision/reading/weights/*", "vision/watching/*.py"),
    "pipelines/watch/look.py",
)
_EYES: Final = ("opencv-python-headless", "onnxruntime")


@cache
def engine_version() -> str:
    """The package's version and a hash of its sources."""
    return f"{version('audit21')}+{_hashed(_SOURCES)[:12]}"


@cache
def reader_version() -> str:
    """The package's version and a hash of what reads films."""
    return f"{version('audit21')}+{_hashed(_READER, *(version(name) for name in _EYES))[:12]}"


def _hashed(patterns: tuple[str, ...], *others: str) -> str:
    digest = hashlib.sha256(" ".join(others).encode())
    for pattern in patterns:
        for path in sorted(_ROOT.glob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def hashed(data: Any) -> str:
    """A short hash of plain data."""
    text = json.dumps(data, sort_keys=True, default=str, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:24]
