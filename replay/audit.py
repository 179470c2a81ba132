"""One table's events from the log to verdicts: what ``explain``, a dispute and the tests call."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import repeat
from typing import Final

import numpy as np
import numpy.typing as npt

from replay import cards, codes, meters, ops, situations
from replay.bulk import Verdicts, judge_all
from replay.carry import NOTHING, Carry, Decks
from replay.compile_rules import compile_rules
from replay.encode import encode_events
from replay.engine import layout as L
from replay.engine import shoes
from replay.finding import CitedClause, Finding, with_ids
from replay.floor import Floor, NotPermitted, Table
from replay.rules import ODDS, Rules, record
from replay.tape import Encoded, Event, Tape
from replay.wording import KIND_NAMES

_COLLECTION: Final = "settlement.missing/collection"
_TOO_MANY: Final = "dealer.drew-"  # a card too many, which may as well have gone elsewhere
_NOTHING_ELSE: Final[Mapping[str, str]] = {}


@dataclass(frozen=True)
class Settlement:
    """The settlement of a wager: expected and actual amounts."""

    round: str
    seat: int
    bettor: int
    for_bettor: int | None
    patron: str | None
    kind: str
    hand: int
    stake_cents: int
    expected_paid_cents: int
    expected_taken_cents: int
    actual_paid_cents: int
    actual_taken_cents: int
    variance_cents: int
    clause: str  # id in the rulebook; empty where none applies
    reason: str  # slot that decided it
    odds: str | None  # row of the odds table
    verdict: str


@dataclass(frozen=True)
class Judged:
    """The engine's verdicts on one table's events; columns are named in ``replay.engine.layout``."""

    table: Table
    encoded: Encoded
    rules: Rules
    contexts: L.I64  # by round: the table's state as it began
    verdicts: Verdicts
    around: L.I64  # findings between rounds
    drifts: tuple[meters.Drift, ...]
    carry: Carry  # what the day changed
    certainty: npt.NDArray[np.float64] | None = None  # by finding, 0 where it is not said; all are certain without it
    said_around: npt.NDArray[np.bool_] | None = None  # by finding between rounds; all are said without it
    also: Mapping[str, str] = field(default_factory=dict)  # by round: what else its misdeal may have been


@dataclass(frozen=True, kw_only=True)
class Audit(Judged):
    """The same for people."""

    settlements: tuple[Settlement, ...]
    findings: tuple[Finding, ...]


def audit(
    floor: Floor, table_id: str, day: date, events: Iterable[Event], trace: bool = False, before: Carry = NOTHING
) -> Audit:
    """Judge one table's day of events, given in the order of corrected time."""
    judged = judge(floor, floor.table(table_id, day), encode_events(events), before, trace=trace)
    reporter = Reporter(judged.table, judged.encoded)
    return Audit(
        **vars(judged),
        settlements=tuple(reporter.settlement(line) for line in judged.verdicts.settlements),
        findings=tuple(reporter.findings(judged, day)),
    )


def judge(
    floor: Floor,
    table: Table,
    encoded: Encoded,
    before: Carry = NOTHING,
    context: L.I64 | None = None,
    trace: bool = False,
) -> Judged:
    """Judge one table's day; ``context`` has bits by round that the evidence adds (``ops.NO_SHOE``)."""
    rules = compile_rules(table)
    row = record(rules)
    out = np.zeros((shoes.MOST_PER_ROW * len(encoded.table.op) + 1, L.F_COLUMNS), np.int64)
    decks = np.array([before.decks.get(name, Decks()) for name in encoded.sets], np.int64).reshape(
        -1, len(Decks._fields)
    )
    size = len(encoded.rounds), len(encoded.shoes)
    contexts, found = shoes.walk(encoded.table, encoded.table_ms, row, *size, decks, out)
    below = np.array([(table.id, name) in before.players for name in encoded.patrons], np.int64)
    shoes.mark_wagers(encoded.tape, encoded.offsets, contexts, row, below)
    if context is not None:
        contexts |= context
    verdicts = _together(list(judge_all(encoded.tape, encoded.offsets, contexts, rules, threads=1, trace=trace)))
    drifts, due = _drifts(floor, table, encoded, before)
    after = Carry(
        {name: Decks(*map(int, line)) for name, line in zip(encoded.sets[1:], decks[1:], strict=True)},
        frozenset((table.id, name) for name, is_below in zip(encoded.patrons, below, strict=True) if is_below),
        due,
    )
    return Judged(table, encoded, rules, contexts, verdicts, out[:found], tuple(drifts), after)


def contexts(cards_from: Iterable[str | None]) -> L.I64:
    """Return the context bits of rounds that follow from the source of their cards."""
    return np.array([ops.NO_SHOE if source is None else 0 for source in cards_from], np.int64)


def _together(parts: list[Verdicts]) -> Verdicts:
    if len(parts) == 1:
        return parts[0]
    if not parts:
        empty = np.zeros((0, 32), np.int64)
        return Verdicts(0, empty, empty, empty, empty, empty, np.zeros((0, 4), np.uint8), np.zeros(0, np.int32))
    return Verdicts(0, *(np.concatenate([part[n] for part in parts]) for n in range(1, len(Verdicts._fields))))


def _drifts(floor: Floor, table: Table, encoded: Encoded, before: Carry) -> tuple[list[meters.Drift], dict[str, int]]:
    """Drifts of a table's meters, and what its own ones show in the end."""
    wanted = {}
    for system, name in enumerate(ops.SYSTEMS):
        settings = table.progressive.get(name, {})
        for secondary, key in ((False, "meter"), (True, "secondary_meter")):
            if settings.get(key) in floor.meters:
                wanted[(system, secondary)] = floor.meters[settings[key]]
    if not wanted:
        return [], {}
    shared = _shared_meters(floor)
    own = {meter.id for meter in wanted.values()} - shared
    due = {name: shown for name, shown in before.meters.items() if name in own}
    drifts = meters.reconcile(encoded.tape, encoded.offsets, wanted, shared, due)
    return drifts, {name: shown for name, shown in due.items() if name in own}


def _shared_meters(floor: Floor) -> frozenset[str]:
    """Meters that several tables feed."""
    feeders: dict[str, set[str]] = {}
    for table in floor.tables:
        for settings in table.progressive.values():
            for key in ("meter", "secondary_meter"):
                feeders.setdefault(str(settings.get(key)), set()).add(table.id)
    return frozenset(meter for meter, tables in feeders.items() if len(tables) > 1)


class Reporter:
    """Rows of numbers into records for people."""

    def __init__(self, table: Table, encoded: Encoded) -> None:
        self.table = table
        self.encoded = encoded

    def clause(self, index: int) -> str:
        return self.table.book.clauses[index].id if index >= 0 else ""

    def settlement(self, s: L.I64) -> Settlement:
        return Settlement(
            round=self.encoded.rounds[s[L.S_ROUND]],
            seat=int(s[L.S_SEAT]),
            bettor=int(s[L.S_BETTOR]),
            for_bettor=int(s[L.S_FOR]) or None,
            patron=self.encoded.patrons[s[L.S_PATRON]] or None,
            kind=ops.KINDS[s[L.S_KIND]],
            hand=int(s[L.S_HAND]),
            stake_cents=int(s[L.S_STAKE]),
            expected_paid_cents=int(s[L.S_PAID]),
            expected_taken_cents=int(s[L.S_TAKEN]),
            actual_paid_cents=int(s[L.S_ACTUAL_PAID]),
            actual_taken_cents=int(s[L.S_ACTUAL_TAKEN]),
            variance_cents=int(s[L.S_VARIANCE]),
            clause=self.clause(int(s[L.S_CLAUSE])),
            reason=situations.NAMES[s[L.S_REASON]],
            odds=ODDS[s[L.S_ODDS]] if s[L.S_ODDS] >= 0 else None,
            verdict=ops.VERDICTS[s[L.S_VERDICT]],
        )

    def findings(self, judged: Judged, day: date) -> list[Finding]:
        """List everything irregular, the floor's own settings first; ids do not depend on what is left unsaid."""
        around = repeat(True) if judged.said_around is None else judged.said_around.tolist()
        shares = repeat(1.0) if judged.certainty is None else judged.certainty.tolist()
        found = [self.not_permitted(problem) for problem in self.table.not_permitted]
        found += [self.around(line, float(is_said)) for line, is_said in zip(judged.around, around, strict=False)]
        found += [
            self.finding(line, share, judged.also)
            for line, share in zip(judged.verdicts.findings, shares, strict=False)
        ]
        found += [self.drift(drift) for drift in judged.drifts]
        return [finding for finding in with_ids(found, self.table, day) if finding.certainty > 0]

    def finding(self, line: L.I64, certainty: float = 1.0, also: Mapping[str, str] = _NOTHING_ELSE) -> Finding:
        """A finding of the rounds' tape; ``also`` has by round what else a misdeal may have been."""
        row, tape = int(line[L.F_ROW]), self.encoded.tape
        inferred = bool(tape.op[row] == ops.IRREGULARITY and tape.flags[row] & ops.INFERRED)
        found = self._finding(line, tape, int(self.encoded.source[row]))
        tells = inferred or found.code.startswith(_TOO_MANY)
        return replace(found, certainty=certainty, inferred=inferred, also=also.get(found.round or "", "") * tells)

    def described(self, line: L.I64) -> Finding:
        """A finding of a round that is not on this tape."""
        return self._finding(np.where(np.arange(len(line)) == L.F_ROUND, -1, line), None, None)

    def around(self, line: L.I64, certainty: float = 1.0) -> Finding:
        """A finding of the table's tape."""
        event = int(self.encoded.table_source[line[L.F_ROW]])
        return replace(self._finding(line, self.encoded.table, event), certainty=certainty)

    def _finding(self, line: L.I64, tape: Tape | None, event: int | None) -> Finding:
        slot, row, cost = int(line[L.F_SLOT]), int(line[L.F_ROW]), int(line[L.F_COST])
        code = codes.CODES[codes.OF_SLOT[slot]].name
        card = cards.NAMES[line[L.F_CARD]]
        return Finding(
            code=code,
            slot=situations.NAMES[slot],
            round=self.encoded.rounds[line[L.F_ROUND]] if line[L.F_ROUND] >= 0 else None,
            shoe=self.encoded.shoes[line[L.F_SHOE]] or None,
            card=(int(tape.aux[row]) or None) if tape is not None and tape.op[row] == ops.DRAW else None,
            seat=int(line[L.F_SEAT]) or None,
            bettor=int(line[L.F_BETTOR]) or None,
            kind=None if line[L.F_KIND] == L.NO_KIND else ops.KINDS[line[L.F_KIND]],
            hand=int(line[L.F_HAND]) or None,
            variance_cents=cost,
            clause=self._cited(int(line[L.F_CLAUSE])),
            handling=ops.HANDLINGS[line[L.F_HANDLING]] or None,
            event=event,
            form=_COLLECTION if code == "settlement.missing" and cost > 0 else "",
            said={"a": int(line[L.F_A]), "card": card},
        )

    def not_permitted(self, problem: NotPermitted) -> Finding:
        """A setting of floor.toml that the rulebook does not allow."""
        book = self.table.book
        return Finding(
            code="floor.not-permitted",
            slot="floor.not-permitted",
            detail=problem.setting,
            clause=CitedClause(book.id, problem.clause) if problem.clause else None,
            said={
                "setting": problem.setting,
                "found": problem.found,
                "rulebook": book.title,
                "expected": problem.expected,
            },
        )

    def drift(self, drift: meters.Drift) -> Finding:
        """A meter that does not show what the wagers give."""
        return Finding(
            code="progressive.meter-drift",
            slot="progressive.meter-drift",
            round=self.encoded.rounds[drift.round],
            clause=self._cited(self.table.book.clause_for(situations.PROGRESSIVE__METER_DRIFT)),
            event=int(self.encoded.source[drift.row]),
            said={"a": drift.off_cents, "wager": KIND_NAMES[ops.SYSTEMS[drift.system]]},
        )

    def _cited(self, index: int) -> CitedClause | None:
        number = self.clause(index)
        return CitedClause(self.table.book.id, number) if number else None
