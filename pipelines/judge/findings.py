"""Everything irregular at a table on a day, as rows of ``findings``."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Final, NamedTuple

import polars as pl

from pipelines.judge.day import JudgedDay
from replay import codes
from replay.audit import Finding, Reporter
from replay.columns import ABSENT
from replay.floor import Table
from warehouse.schemas import DATASETS

# What a finding is about: its id is a hash of this, so that a rerun keeps it.
_SUBJECT: Final = ("code", "gaming_day", "table", "round_id", "shoe", "card", "seat", "bettor", "kind", "hand")

# What only the shoe's record shows: a camera may have missed a card that was burned and put away at once.
_BY_SHOE: Final = frozenset({"shoe.burn-missed"})


class Note(NamedTuple):
    """Something irregular about the evidence, or that the camera shows; what the engine finds comes from itself."""

    code: str
    message: str
    round: str | None = None
    path: str | None = None
    source: str | None = None  # which source or device it is about
    seat: int | None = None
    hand: int | None = None
    n: int | None = None  # the card's ordinal in its shoe
    at_ms: int | None = None
    clause: str | None = None  # in the rulebook's own numbering
    handling: str | None = None
    bettor: int | None = None
    kind: str | None = None
    line: int | None = None  # in the file


# What was logged too late to count, by round, box, bettor, wager and hand.
TooLate = Mapping[tuple[str, int, int, str, int], str]
_OPEN_MONEY: Final = frozenset({"settlement.missing", "settlement.underpaid", "settlement.overpaid"})


def findings(
    day: JudgedDay, notes: Iterable[Note], evidence: Sequence[str], paths: Sequence[str], too_late: TooLate
) -> pl.DataFrame:
    """The engine's findings and the notes on the evidence; ``evidence`` has for each round what it rests on."""
    number = {name: n for n, name in enumerate(day.encoded.rounds)}
    reporter = Reporter(day.judged.table, day.encoded)
    rows = []
    for found in reporter.findings(day.judged):
        at = number.get(found.round or "", -1)
        if found.code in _BY_SHOE and at >= 0 and "shoe" not in evidence[at]:
            continue
        row = _found(day, found, paths) | _of_round(day, found.code, found.round, at, evidence)
        subject = (found.round or "", found.seat or 1, found.bettor or 1, found.kind or "", found.hand or 1)
        if found.code in _OPEN_MONEY and subject in too_late:
            row["message"] = f"{row['message']}; {too_late[subject]}"
        rows.append(row | {"evidence": "inferred"} if found.inferred else row)
    for note in notes:
        at = number.get(note.round or "", -1)
        started = int(day.rounds.started[at]) if at >= 0 else None
        clause = None if note.clause is None else f"{day.judged.table.book.id} {note.clause}"
        told = _noted(note, started) | {"clause": clause}
        rows.append(told | _of_round(day, note.code, note.round, at, evidence))
    return frame(rows)


def silent(day: date, table: Table, notes: Iterable[Note] = ()) -> pl.DataFrame:
    """The finding about a table that sent nothing on a day when others did, and those about what it did send."""
    first = Note("evidence.source-missing", "nothing came from this table all day", source="table")
    return frame([_noted(note, None) | _place(day, table, note.code) for note in (first, *notes)])


def frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Rows with their ids; of several about the same the first, the second..."""
    seen: Counter[str] = Counter()
    for row in rows:
        subject = "\x1f".join(str(row.get(name)) for name in _SUBJECT)
        row["finding_id"] = hashlib.sha256(f"{subject}\x1f{seen[subject]}".encode()).hexdigest()[:32]
        seen[subject] += 1
    types = DATASETS["findings"].types
    return pl.DataFrame(rows, schema={**types, "at": pl.Int64()}, orient="row").cast({"at": types["at"]})


def _found(day: JudgedDay, found: Finding, paths: Sequence[str]) -> dict[str, Any]:
    columns, event = day.lines.columns, found.event
    card = ABSENT if event is None else int(columns.number("n")[event])
    return {
        "shoe": found.shoe,
        "path": None,
        "card": None if card == ABSENT else card,
        "seat": found.seat,
        "bettor": found.bettor,
        "kind": found.kind,
        "hand": found.hand,
        "variance_cents": found.variance_cents,
        "clause": f"{day.judged.table.book.id} {found.clause}" if found.clause else None,
        "handling": found.handling,
        "certainty": found.certainty,
        "message": found.message,
        "at": None if event is None else int(day.corrected[event]),
        "event_path": None if event is None or columns.file[event] < 0 else paths[columns.file[event]],
        "event_line": None if event is None or columns.file[event] < 0 else int(columns.line[event]),
    }


def _noted(note: Note, started: int | None) -> dict[str, Any]:
    return {
        "shoe": None,
        "path": note.path,
        "card": note.n if note.source is None else note.source,
        "seat": note.seat,
        "bettor": note.bettor,
        "kind": note.kind,
        "hand": note.hand,
        "variance_cents": 0,
        "handling": note.handling,
        "certainty": 1.0,
        "message": note.message,
        "at": started if note.at_ms is None else note.at_ms,
        "event_path": note.path,
        "event_line": note.line,
    }


def _of_round(day: JudgedDay, code: str, name: str | None, at: int, evidence: Sequence[str]) -> dict[str, Any]:
    row = _place(day.day, day.judged.table, code)
    if name is not None:
        row["round_id"] = day.round_id(name)
    if at >= 0:
        row["evidence"] = evidence[at]
        row["dealer"] = day.encoded.dealers[day.rounds.dealer[at]] or None
    return row


def _place(day: date, table: Table, code: str) -> dict[str, Any]:
    known = codes.CODES[codes.NUMBER[code]]
    return {
        "gaming_day": day,
        "table": table.id,
        "code": code,
        "severity": known.severity,
        "round_id": None,
        "currency": table.currency,
        "evidence": known.evidence,
        "dealer": None,
    }
