"""A finding: what was irregular, what it is about, by which clause, at what cost, and how certain it is."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final, NamedTuple

from replay import finding_sentences
from replay.floor import Table
from replay.severity import severity

# Columns that a finding's id is made of, beside its code. A file counts only where no device is named.
_ABOUT: Final = ("round", "shoe", "card", "seat", "bettor", "kind", "hand", "device", "detail")


class CitedClause(NamedTuple):
    """A clause, in the rulebook's own numbering."""

    rulebook: str
    number: str

    def __str__(self) -> str:
        return f"{self.rulebook} {self.number}"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """An irregularity; attributes that do not apply are None."""

    code: str
    round: str | None = None
    shoe: str | None = None
    card: int | None = None  # ordinal in its shoe
    seat: int | None = None
    bettor: int | None = None
    kind: str | None = None
    hand: int | None = None
    device: str | None = None  # source, with the device's name where there are several
    path: str | None = None  # landing file that it is about
    line: int | None = None  # line in that file
    detail: str | None = None  # tells findings apart that are about the same file
    slot: str = ""  # situation of the rulebook; none for what the engine does not judge
    clause: CitedClause | None = None
    handling: str | None = None
    variance_cents: int = 0
    certainty: float = 1.0  # share of the weight of all stories in which it holds
    inferred: bool = False  # nobody logged it: a story supposes it
    event: int | None = None  # index of the event at which it showed
    at_ms: int | None = None  # when it showed, on the common clock, where no event tells
    form: str = ""  # which of its code's sentences; the code's own where empty
    said: Mapping[str, Any] = field(default_factory=dict)  # arguments of the sentence
    also: str = ""  # what else it may have been, behind its sentence
    id: str = ""
    severity: str = ""  # low, medium or high; it comes with the id

    @property
    def message(self) -> str:
        """The finding in a sentence."""
        form = self.form or self.code
        return finding_sentences.sentence(form, self.seat, self.hand, self.bettor, self.kind, self.said) + self.also


def with_ids(findings: Iterable[Finding], table: Table, day: date) -> Iterator[Finding]:
    """Give each finding of a table's day its severity, and its id: a hash of its code and what it is about.

    Several with the same code about the same thing are told apart by their order.
    """
    seen: Counter[tuple[object, ...]] = Counter()
    for finding in findings:
        about = tuple(getattr(finding, name) for name in _ABOUT)
        where = (finding.path, finding.line) if finding.device is None else (None, None)
        subject = (finding.code, day.isoformat(), table.id, *about, *where)
        text = "\x1f".join(map(str, (*subject, seen[subject])))
        seen[subject] += 1
        finding_id = hashlib.sha256(text.encode()).hexdigest()[:32]
        grave = severity(finding.code, finding.variance_cents, table.severity_limits)
        yield replace(finding, id=finding_id, severity=grave)
