"""Rounds in the notation, settled: for scripts and notebooks.

>>> import replay
>>> verdict = replay.settle('''
... rulebook md-pontoon21
... decks 6
... round 12
... bet 1 25
... no more bets
... deal AS 7H KD KC
... pay 1 50
... end
... ''')
>>> verdict.settlements.select("seat", "kind", "expected_paid_cents", "actual_paid_cents", "clause").row(0)
(1, 'main', 3750, 5000, 'md-pontoon21 12.A(2)')
>>> verdict.findings["message"].to_list()
['Box 1, main wager: overpaid 12.50']
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import polars as pl

from replay import floor, library, narrative, notation, rulebook_file
from replay.audit import Audit, Settlement, audit
from replay.contract.read import FieldError
from replay.encode import encode_events
from replay.finding import Finding
from replay.narrative import RoundAccount
from replay.narrative.told import Narration

_FIRST_DAY: Final = date(2000, 1, 1)
_SETTLEMENT_TYPES: Final = {
    field.name: pl.Int64 if "int" in str(field.type) else pl.String for field in fields(Settlement)
}
_FINDING_TYPES: Final = {
    "round": pl.String,
    "code": pl.String,
    "severity": pl.String,
    "seat": pl.Int64,
    "bettor": pl.Int64,
    "kind": pl.String,
    "hand": pl.Int64,
    "shoe": pl.String,
    "card": pl.Int64,
    "variance_cents": pl.Int64,
    "clause": pl.String,
    "handling": pl.String,
    "message": pl.String,
}


class RoundsError(ValueError):
    """Rounds that cannot be settled; the message names the file, and the line where there is one."""


class UnknownRound(RoundsError):
    """A round that is not among those settled."""


@dataclass(frozen=True)
class Verdict:
    """The verdicts on rounds: as typed objects in ``audit``, and as Polars frames."""

    audit: Audit

    @property
    def rounds(self) -> list[str]:
        """Names of the rounds, in order."""
        return list(self.audit.encoded.rounds)

    @cached_property
    def settlements(self) -> pl.DataFrame:
        """Return a row per wager: stake, expected and actual amounts in cents, variance, clause, verdict."""
        book = self.audit.table.book.id
        rows = [
            {**asdict(each), "clause": f"{book} {each.clause}" if each.clause else None}
            for each in self.audit.settlements
        ]
        return pl.DataFrame(rows, schema=_SETTLEMENT_TYPES)

    @cached_property
    def findings(self) -> pl.DataFrame:
        """Return a row per irregularity: code, severity, place, variance in cents, clause, handling, sentence."""
        return pl.DataFrame([_row(each) for each in self.audit.findings], schema=_FINDING_TYPES)

    @cached_property
    def accounts(self) -> list[RoundAccount]:
        """Return every round step by step, with its settlements and findings explained."""
        return narrative.accounts(self.audit)

    def explain(self, name: str | None = None) -> Narration:
        """Tell all rounds, or the one of that name, step by step: text in a terminal, HTML in a notebook."""
        if name is not None and name not in self.rounds:
            raise UnknownRound(f"no round {name}; there are {', '.join(self.rounds)}")
        return Narration(self.audit, [each for each in self.accounts if name in (None, each.round)])

    def _repr_html_(self) -> str:
        return self.explain()._repr_html_()


def _row(finding: Finding) -> dict[str, Any]:
    clause = None if finding.clause is None else str(finding.clause)
    return {**{name: getattr(finding, name) for name in _FINDING_TYPES}, "clause": clause}


def settle(rounds: str | Path, rulebooks: Sequence[Path] = ()) -> Verdict:
    """Settle rounds by the rulebook that they name: a text in the notation, or a file of it.

    A text has several lines; anything else is the path of a file. ``rulebooks`` names folders of further rulebooks.
    Raises ``RoundsError`` with the file and the line.
    """
    if isinstance(rounds, str) and "\n" in rounds:
        return Verdict(_judge(rounds, "notation", rulebooks))
    path = Path(rounds)
    return Verdict(_judge(_read(path), str(path), rulebooks))


def explain(rounds: str | Path, name: str | None = None, rulebooks: Sequence[Path] = ()) -> Narration:
    """Settle rounds and tell them, or the one of that name, step by step."""
    return settle(rounds, rulebooks).explain(name)


def _read(path: Path) -> str:
    if path.is_dir():
        raise RoundsError(f"{path}: a directory, expected a file of rounds in the notation")
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise RoundsError(f"{path}: no such file") from None
    except OSError as error:
        raise RoundsError(f"{path}: cannot be read, {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        found = f"{error.object[error.start]:#04x}"
        raise RoundsError(f"{path}:{line}: expected text in UTF-8, found byte {found}") from None


def _judge(text: str, where: str, rulebooks: Sequence[Path]) -> Audit:
    try:
        script = notation.load(text)
        plan = floor.parse(script.floor, library.library(rulebooks))
        table = plan.tables[0]
        return audit(plan, table.id, max(table.since, _FIRST_DAY), script.events, trace=True)
    except notation.NotationError as error:
        raise RoundsError(f"{where}:{error.line}: {error.message}") from None
    except FieldError as error:
        raise RoundsError(f"{where}:{_line_of(text)}: {error}") from None
    except (floor.FloorError, rulebook_file.RulebookError) as error:
        raise RoundsError(f"{where}: {error}") from None


def _line_of(text: str) -> int:
    """Return the line that makes a text's events impossible: the shortest beginning of it that cannot be encoded."""
    lines = text.split("\n")
    low, high = 1, len(lines)
    while low < high:
        middle = (low + high) // 2
        try:
            encode_events(notation.load("\n".join(lines[:middle])).events)
            low = middle + 1
        except notation.NotationError:
            low = middle + 1
        except FieldError:
            high = middle
    return low
