"""One round of the notation in a day of ordinary ones, and what is said of it once its stories are weighed."""

from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from typing import Any, Final

import numpy as np

from pipelines.align.ordered import OrderedLines
from pipelines.stories import sentences
from pipelines.stories.doubt import as_far_as_certain
from pipelines.stories.prices import costs
from pipelines.stories.stories import Told, tell
from pipelines.stories.trial import Court
from pipelines.stories.weigh import Weighed
from replay import codes, floor, notation
from replay.audit import Judged, Reporter, Settlement, judge
from replay.columns import I64, NUMBER_OF
from replay.encode import encode
from replay.finding import Finding
from replay.tape import Event
from tests.pipelines.align import zones

MOST_STORIES: Final = 5  # that are listed of a round
_START_MS: Final = 1_767_621_600_000
_GAP_MS: Final = (1_000, 2_500)  # from one line to the next
_CARD_MS: Final = (600, 1_600)  # from the line or card before it to a card
_ORDINARY: Final = 40  # rounds before and after the round that is asked about

# Ordinary rounds, by whether the dealer takes a hole card: 19 and 20 against the dealer's 17.
_BETS: Final = "bet 1 20\nbet 2 10\nno more bets\n"
_PLAYED: Final = "1 stand\n2 hit 7C\n2 stand\n"
_SETTLED: Final = "pay 2 10\npay 1 20\nend\n"
_HOLE: Final = (
    f"{_BETS}deal KS 9H 8H 9C 4D 9D\n{_PLAYED}{_SETTLED}",
    f"{_BETS}deal KS 9H 8H 9C 4D 4S\n{_PLAYED}dealer 2S 3H\n{_SETTLED}",
)
_NO_HOLE: Final = (
    f"{_BETS}deal KS 9H 8H 9C 4D\n{_PLAYED}dealer 9D\n{_SETTLED}",
    f"{_BETS}deal KS 9H 8H 9C 4D\n{_PLAYED}dealer 4S 2S 3H\n{_SETTLED}",
)
_HEADER: Final = ("rulebook", "decks", "currency", "option", "boxes", "limits", "reading", "day", "table")
ASKED: Final = "asked"  # name of the round


@dataclass(frozen=True)
class Said:
    """Result of an audit for the round under test."""

    told: Told
    judged: Judged
    weighed: Weighed | None  # None where the round did not have to be inferred
    findings: list[Finding]
    settlements: list[Settlement]

    @property
    def is_ambiguous(self) -> bool:
        return self.weighed is not None and self.weighed.open

    @property
    def money_findings(self) -> list[tuple[str, int | None]]:
        """Findings that somebody was paid wrongly, with their boxes."""
        return [(f.code, f.seat) for f in self.findings if f.code.startswith("settlement.") or f.variance_cents]

    @property
    def listed(self) -> list[tuple[list[tuple[str, int | None]], str, float]]:
        """The stories that are listed: misdeals with their boxes, sentence and weight."""
        if self.weighed is None:
            return []
        return [
            (
                [(codes.CODES[line.code].name, line.seat or None) for line in story.candidate.supposed],
                sentences.supposes(story),
                story.weight,
            )
            for story in self.weighed.stories[:MOST_STORIES]
        ]

    def names(self, code: str, seat: int | None) -> bool:
        """Return whether a misdeal is an inferred finding."""
        return any(f.code == code and f.seat == seat and f.inferred for f in self.findings)

    def lists(self, code: str, seat: int | None) -> bool:
        """Return whether a misdeal is among the stories that are listed."""
        return any((code, seat) in supposed for supposed, _, _ in self.listed)

    def __str__(self) -> str:
        found = [(f.code, f.seat, f.handling, round(f.certainty, 3)) for f in self.findings]
        listed = "\n".join(f"  {weight:.4f} {sentence}" for _, sentence, weight in self.listed)
        return f"findings {found}, ambiguous {self.is_ambiguous}\n{listed}"


def ask(text: str, uncertainty_ms: int = 100, audit: dict[str, Any] | None = None, **at_ms: int) -> Said:
    """Ask what happened in the round of a text, in a day of ordinary rounds.

    ``at_ms`` moves lines of the round in time: ``draw9=-1200`` moves the ninth card.
    """
    script = notation.load(_day(text))
    plan = floor.parse({**script.floor, "audit": audit or {}})
    table = plan.tables[0]
    events = _stamped(list(script.events), at_ms)
    given = zones.from_events([(event["source"], event) for event in events])
    ms = given.lines.columns.numbers[NUMBER_OF["ts"]]
    ordered = OrderedLines(given.lines, np.argsort(ms, kind="stable"), ms.copy())
    judged = judge(plan, table, encode(*ordered))
    slack = _slack(events, 2 * uncertainty_ms)
    told = tell(Court(judged, ordered.corrected, slack, costs(plan.audit.chances)), audit=plan.audit)
    changed = told.applied(ordered)
    judged = judged if changed is None else judge(plan, table, encode(*changed))
    judged = as_far_as_certain(judged, told.rounds)
    reporter = Reporter(table, judged.encoded)
    return Said(
        told,
        judged,
        told.rounds.get(judged.encoded.rounds.index(ASKED)),
        [found for found in reporter.findings(judged, table.since) if found.round == ASKED],
        [s for s in map(reporter.settlement, judged.verdicts.settlements) if s.round == ASKED],
    )


def _day(text: str) -> str:
    """The text's header, ordinary rounds, the round itself, and ordinary rounds again."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    header = [line for line in lines if line.split()[0] in _HEADER]
    body = [line for line in lines if line not in header and not line.startswith("round ")]
    is_md = any(line.startswith("rulebook md-") for line in header)
    ordinary = _HOLE if is_md else _NO_HOLE
    before = [f"round b{n}\n{ordinary[n % 2]}" for n in range(_ORDINARY)]
    after = [f"round a{n}\n{ordinary[n % 2]}" for n in range(_ORDINARY)]
    return "\n".join([*header, *before, f"round {ASKED}", *body, *after])


def _stamped(events: list[Event], moves: dict[str, int]) -> list[dict[str, Any]]:
    """Give events their times and numbers, and the shoe's cards one numbering through the day."""
    rng = Random(1)
    found, ms = [], _START_MS
    seq = {"terminal": 0, "shoe": 0}
    inside = False
    counted: dict[str, int] = {}
    for event in events:
        inside = (inside or event.get("round") == ASKED) and event.get("round", ASKED) == ASKED
        ms += rng.randint(*(_CARD_MS if event["type"] == "draw" else _GAP_MS))
        moved = ms
        if inside:
            counted[event["type"]] = counted.get(event["type"], 0) + 1
            moved += moves.get(f"{event['type']}{counted[event['type']]}", 0)
        seq[event["source"]] += 1
        stamp = datetime.fromtimestamp(moved / 1000, UTC).isoformat(timespec="milliseconds")
        found.append({**event, "table": "T1", "seq": seq[event["source"]], "ts": stamp})
    return found


def _slack(events: list[dict[str, Any]], ms: int) -> I64:
    """By line: within how many ms its order is open; the shoe's are unsure, the terminal's are exact."""
    return np.array([ms if event["source"] == "shoe" else 0 for event in events], np.int64)
