"""Reading worked rounds: a title, a round in the notation, and ``expect`` lines.

``expect PLACE KIND AMOUNT CLAUSE [because CLAUSE]`` is about a wager, and
``expect finding CODE PLACE CLAUSE HANDLING [cost AMOUNT]`` about a finding. Every finding must be listed. A text
without pay, take and push lines does not log its settlements.
"""

from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from replay import floor, notation
from replay.audit import Audit, Settlement, audit
from replay.finding import Finding

HERE = Path(__file__).parent
SETTLING = ("pay ", "take ", "push ")


@dataclass(frozen=True)
class WagerExpectation:
    place: str
    kind: str
    amount: str
    clause: str
    because: str | None


@dataclass(frozen=True, order=True)
class FindingExpectation:
    code: str
    place: str
    clause: str
    handling: str
    cost: str


@dataclass
class Worked:
    """One worked round."""

    file: str
    title: str
    lines: list[str] = field(default_factory=list)
    wagers: list[WagerExpectation] = field(default_factory=list)
    findings: list[FindingExpectation] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def logs_settlements(self) -> bool:
        return any(line.strip().startswith(SETTLING) for line in self.lines)


def read(path: Path) -> list[Worked]:
    """The worked rounds of one file."""
    rounds: list[Worked] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        bare = line.partition("#")[0].strip()
        if line.startswith("==="):
            file = path.relative_to(HERE) if path.is_relative_to(HERE) else path.name
            rounds.append(Worked(str(file), line.lstrip("= ").strip()))
        elif bare.startswith("expect finding "):
            rounds[-1].findings.append(_finding(bare.split()[2:]))
        elif bare.startswith("expect "):
            rounds[-1].wagers.append(_wager(bare.split()[1:]))
        elif rounds:
            rounds[-1].lines.append(line)
    return rounds


def _wager(words: list[str]) -> WagerExpectation:
    because = None
    if "because" in words:
        at = words.index("because")
        words, because = words[:at], words[at + 1]
    place, kind, amount = words[:3]
    return WagerExpectation(place, kind, amount, " ".join(words[3:]) or "-", because)


def _finding(words: list[str]) -> FindingExpectation:
    cost = ""
    if "cost" in words:
        at = words.index("cost")
        words, cost = words[:at], words[at + 1]
    return FindingExpectation(words[0], words[1], " ".join(words[2:-1]), words[-1], cost)


def every_round() -> list[Worked]:
    """All worked rounds, in the order of their files."""
    return [worked for path in sorted(HERE.rglob("*.txt")) for worked in read(path)]


def run(worked: Worked) -> Audit:
    """The engine's view of a worked round."""
    script = notation.load(worked.text)
    plan = floor.parse(script.floor)
    table = plan.tables[0]
    return audit(plan, table.id, max(table.since, date(2000, 1, 1)), script.events)


def problems(worked: Worked, result: Audit) -> list[str]:
    """Return the discrepancies between the engine and the worked round."""
    found: list[str] = []
    for expected in worked.wagers:
        found += _wager_problems(expected, result)
    found += _finding_problems(worked, result)
    return found


def _wager_problems(expected: WagerExpectation, result: Audit) -> list[str]:
    matches = [s for s in result.settlements if _is_at(s, expected.place) and s.kind == expected.kind]
    if not matches:
        return [f"{expected.place} {expected.kind}: no such wager"]
    wager = matches[0]
    seen = amount_of(wager)
    told = f"{expected.place} {expected.kind}"
    wrong = []
    if parse_amount(expected.amount) != seen:
        wrong.append(
            f"{told}: expected {expected.amount}, engine {write_amount(seen)} ({wager.clause}, {wager.reason})"
        )
    elif expected.clause != "-" and not same_clause(expected.clause, wager.clause):
        wrong.append(f"{told}: expected clause {expected.clause}, engine {wager.clause} ({wager.reason})")
    because = result.table.book.cited_by.get(wager.reason)
    if expected.because and (because is None or result.table.book.clauses[because].id != expected.because):
        cited = None if because is None else result.table.book.clauses[because].id
        wrong.append(f"{told}: expected because {expected.because}, engine {cited} ({wager.reason})")
    return wrong


def _finding_problems(worked: Worked, result: Audit) -> list[str]:
    left = list(worked.findings)
    wrong = []
    for finding in result.findings:
        if finding.code == "settlement.missing" and not worked.logs_settlements:
            continue
        match = next((e for e in left if _agrees(e, finding)), None)
        if match is None:
            wrong.append(f"unexpected finding: {describe(finding)}")
        else:
            left.remove(match)
    return wrong + [f"missing finding: {e.code} {e.place} {e.clause} {e.handling} {e.cost}".strip() for e in left]


def _agrees(expected: FindingExpectation, finding: Finding) -> bool:
    return (
        expected.code == finding.code
        and (expected.place == "-" or _is_at(finding, expected.place))
        and (expected.clause == "-" or same_clause(expected.clause, finding.clause.number if finding.clause else ""))
        and expected.handling == (finding.handling or "-")
        and (not expected.cost or parse_cents(expected.cost) == finding.variance_cents)
    )


def describe(finding: Finding) -> str:
    place = f"{finding.seat or '-'}.{finding.hand or ''}/{finding.bettor or ''}"
    cost = f" cost {finding.variance_cents / 100}" if finding.variance_cents else ""
    return f"{finding.code} {place} {finding.clause or '-'} {finding.handling or '-'}{cost} [{finding.slot}]"


def same_clause(expected: str, actual: str) -> bool:
    """A clause with our suffix must be that part; without one, the number is enough."""
    return expected == actual or ("/" not in expected and expected == actual.partition("/")[0])


def _is_at(row: Settlement | Finding, place: str) -> bool:
    where, _, bettor = place.partition("/")
    seat, _, hand = where.partition(".")
    same_hand = not hand or (row.hand or 1) == int(hand)
    return row.seat == int(seat) and same_hand and (row.bettor or 1) == int(bettor or 1)


def parse_cents(text: str) -> int:
    dollars, _, cents = text.replace(",", "").lstrip("+-").partition(".")
    value = int(dollars) * 100 + int(cents.ljust(2, "0") or 0)
    return -value if text.startswith("-") else value


def parse_amount(text: str) -> tuple[int, int] | None:
    """``+75``, ``-25``, ``+100-1.10``, ``0`` as paid and taken; None for ``?``."""
    if text == "?":
        return None
    paid, taken = 0, 0
    for sign, value in _signed(text):
        if sign == "-":
            taken += parse_cents(value)
        else:
            paid += parse_cents(value)
    return paid, taken


def _signed(text: str) -> list[tuple[str, str]]:
    parts: list[tuple[str, str]] = []
    for character in text:
        if character in "+-":
            parts.append((character, ""))
        elif parts:
            parts[-1] = (parts[-1][0], parts[-1][1] + character)
        else:
            parts.append(("+", character))
    return parts


def amount_of(wager: Settlement) -> tuple[int, int] | None:
    if wager.verdict == "undetermined":
        return None
    return wager.expected_paid_cents, wager.expected_taken_cents


def write_amount(amount: tuple[int, int] | None) -> str:
    return "?" if amount is None else f"+{amount[0] / 100:g}-{amount[1] / 100:g}"
