"""The rulebooks of the package."""

from typing import Final

from replay.library import PACKAGE

IDS: Final = PACKAGE.ids()
