"""Links in a lake: what is checked in one place could be changed in another, and what is written could go elsewhere."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from warehouse.evidence.report import Report
from warehouse.lake.errors import LakeError

_WRITTEN: Final = ("", "evidence", ".staged")  # folders in which files are written under names known beforehand


def refuse(lake: Path) -> None:
    """``LakeError`` where a link would lead elsewhere what is written into the lake."""
    for folder in _WRITTEN:
        for path in _linked(lake / folder):
            raise LakeError(f"{path}: found a link, expected a file of the lake; remove it, then run audit21 verify")


def check(lake: Path, report: Report) -> None:
    """Report every file that is a link, and folders deeper than those of the lake itself, which may lie elsewhere."""
    with os.scandir(lake) as entries:
        folders = [Path(entry.path) for entry in entries if entry.is_dir()]
    for path in sorted([*_linked(lake), *(link for folder in folders for link in _links_below(folder))]):
        report.differ(path.relative_to(lake).as_posix(), "a file of the lake", f"a link to {path.readlink()}")


def _linked(folder: Path) -> Iterator[Path]:
    """Links in a folder that do not lead to a folder."""
    if folder.is_dir():
        with os.scandir(folder) as entries:
            yield from (Path(entry.path) for entry in entries if entry.is_symlink() and not entry.is_dir())


def _links_below(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        yield from (path for name in (*folders, *names) if (path := Path(place, name)).is_symlink())
