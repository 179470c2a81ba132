"""Sign-off of a gaming day: two people's signatures in the case database, then an entry in the evidence log."""

from dataclasses import dataclass
from datetime import date

from sqlalchemy.orm import Session

from dashboards.audit.ledger import Entry, ledger
from dashboards.lake.pinned import Pinned
from dashboards.settings import Settings
from warehouse import signing
from warehouse.cases import signoffs
from warehouse.cases.models import SignOffRecord
from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.log import FOLDER, EvidenceLog
from warehouse.lake import Lake, LakeError


@dataclass(frozen=True)
class Standing:
    """State of a gaming day's sign-off, as published in ``snapshot``."""

    day: date
    snapshot: int
    signed: list[SignOffRecord]  # of that snapshot
    earlier: list[SignOffRecord]  # of the day as it was published before
    entry: Entry | None  # in the evidence log, for the two signatures
    others: list[Entry]  # other sign-offs in the log: entered at a terminal, or earlier

    @property
    def is_complete(self) -> bool:
        """Return whether two people have signed."""
        return len(self.signed) >= signoffs.NEEDED

    @property
    def is_pending(self) -> bool:
        """Return whether a complete sign-off is not in the evidence log yet."""
        return self.is_complete and self.entry is None

    @property
    def word(self) -> str:
        """The state in a word or two."""
        if self.is_complete:
            return "signed, not yet in the log" if self.is_pending else "signed off"
        return "one signature" if self.signed else "open"

    def has_signed(self, account_id: int) -> bool:
        """Return whether an account has signed the day as currently published."""
        return any(row.account_id == account_id for row in self.signed)


def standing(session: Session, lake: Pinned, day: date) -> Standing:
    """Return the state of a day's sign-off in a snapshot."""
    published = lake.snapshot.days[day].snapshot
    rows = signoffs.of_day(session, day)
    signed = [row for row in rows if row.snapshot == published]
    entry = _entry(lake.lake, day, published, names(signed), notes(signed))
    others = [each for each in ledger(lake.lake.path).entries(day, "signoff") if each != entry]
    return Standing(day, published, signed, [row for row in rows if row.snapshot != published], entry, others)


def _entry(lake: Lake, day: date, snapshot: int, by: str, note: str) -> Entry | None:
    """The entry of the evidence log that says so."""
    logged = ledger(lake.path).entries(day, "signoff")
    return next((each for each in logged if (each.snapshot, each.by, each.note) == (snapshot, by, note)), None)


def names(signed: list[SignOffRecord]) -> str:
    """Return the signers' full names and account names, as the evidence log has them."""
    return " and ".join(f"{row.account.full_name or row.account.name} ({row.account.name})" for row in signed)


def notes(signed: list[SignOffRecord]) -> str:
    """Return the signers' notes in one line, each after its account name."""
    return "; ".join(f"{row.account.name}: {row.note}" for row in signed)


def write_into_log(settings: Settings, found: Standing) -> str | None:
    """Write a complete sign-off into the lake's evidence log; where that cannot be done now, why.

    Nobody waits for a pipeline that is running: the sign-off stays as it is, and this can be called again.
    """
    lake = Lake.open(settings.lake)
    try:
        with signing.one_request(), lake.lock():
            by, note = names(found.signed), notes(found.signed)
            if _entry(lake, found.day, found.snapshot, by, note) is None:  # another request may have been quicker
                log = EvidenceLog(lake.path / FOLDER)
                signing.sign_off(lake, log, settings.now, found.day, by, note, found.snapshot)
    except (LakeError, EvidenceError) as error:
        return str(error)
    return None
