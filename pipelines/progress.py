"""Progress of long work."""

from datetime import date
from typing import Final, Protocol


class Progress(Protocol):
    """Is told how the work goes on."""

    def begins(self, day: date, stage: str, total: int) -> None:
        """A stage of a day begins; it has so many bytes or rounds or whatever it counts."""

    def goes_on(self, amount: int, about: str = "") -> None:
        """So much more is done, about a table or file."""


class _Silent:
    def begins(self, day: date, stage: str, total: int) -> None:
        pass

    def goes_on(self, amount: int, about: str = "") -> None:
        pass


SILENT: Final[Progress] = _Silent()
