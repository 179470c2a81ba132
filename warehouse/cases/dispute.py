"""A dispute, wherever it is kept. It stands apart, so that a packet made of a file needs no database."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Dispute:
    """The facts of a dispute; None where one is not known."""

    received: date | None = None
    complaint: str | None = None
    patron: str | None = None  # number of the complainant's card, as logged
    patron_name: str | None = None
    seat: int | None = None
    requested_by: str | None = None
    outcome: str | None = None
    outcome_on: date | None = None
