"""Rounds in plain-text notation, judged and shown in the terminal."""

import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any, Final, NamedTuple

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from pipelines.commands.terminal import PLAIN_WIDTH, visible
from replay import codes, floor, library, narrative, notation, rulebook, tape
from replay.audit import Audit, audit
from replay.handlings import matrix
from replay.narrative import (
    Cited,
    Considered,
    Explanation,
    FindingAccount,
    HandAccount,
    RoundAccount,
    RoundStep,
    UsedReading,
    candidates,
    words,
)
from replay.severity import BY_MONEY
from replay.wording import capital, cards_text, money, without_suits

_SEVERITY: Final = {"high": "red", "medium": "yellow", "low": "cyan"}
_ON_A_HAND: Final = ("main", "split", "double", "super-bonus")
_FIRST_DAY: Final = date(2000, 1, 1)


class OddEvidence(NamedTuple):
    """A finding about the evidence of a round, as published."""

    code: str
    severity: str
    message: str


class BadFile(ValueError):
    """A file that cannot be explained; the message names the file and, where there is one, the line."""


def judge(path: Path, folders: Sequence[Path] = ()) -> Audit:
    """The audit of a file of rounds in the notation; raises BadFile for any other file."""
    if path.is_dir():
        raise BadFile(f"{path}: a directory, expected a file of rounds in the notation")
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadFile(f"{path}: no such file") from None
    except OSError as error:
        raise BadFile(f"{path}: cannot be read, {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadFile(f"{path}:{line}: expected text in UTF-8, found byte {error.object[error.start]:#04x}") from None
    try:
        return _judge_text(text, folders)
    except notation.NotationError as error:
        raise BadFile(f"{path}:{error.line}: {str(error).partition(': ')[2]}") from None
    except tape.TapeError as error:
        raise BadFile(f"{path}:{_line_of(text)}: {error}") from None
    except (floor.FloorError, rulebook.RulebookError) as error:
        raise BadFile(f"{path}: {error}") from None


def _judge_text(text: str, folders: Sequence[Path]) -> Audit:
    script = notation.load(text)
    plan = floor.parse(script.floor, library.library(folders))
    table = plan.tables[0]
    return audit(plan, table.id, max(table.since, _FIRST_DAY), script.events, trace=True)


def _line_of(text: str) -> int:
    """The line that makes a text's events impossible: the shortest beginning of it that cannot be encoded."""
    lines = text.split("\n")
    low, high = 1, len(lines)
    while low < high:
        middle = (low + high) // 2
        try:
            tape.encode(notation.load("\n".join(lines[:middle])).events)
            low = middle + 1
        except notation.NotationError:
            low = middle + 1
        except tape.TapeError:
            high = middle
    return low


def as_data(
    judged: Audit,
    rounds: Sequence[RoundAccount],
    considered: Considered | None = None,
    odd_evidence: Sequence[OddEvidence] = (),
) -> dict[str, Any]:
    """The same for machines; the last two are of a single round from a lake."""
    return {
        "rounds": [asdict(account) for account in rounds],
        "table_findings": [asdict(finding) for finding in narrative.table_findings(judged)],
        **({} if considered is None else {"considered": asdict(considered)}),
        **({"evidence_findings": [each._asdict() for each in odd_evidence]} if odd_evidence else {}),
    }


def waiting() -> AbstractContextManager[object]:
    """Says on a terminal's standard error why it takes a while."""
    if not sys.stderr.isatty():
        return nullcontext()
    return Console(stderr=True).status("Judging; the first time after an update the rules are compiled, about a minute")


class Printer:
    """Shows accounts on a console; where it knows letters only, suits are letters."""

    def __init__(self, out: Console) -> None:
        self.out = out
        utf8 = "utf" in out.encoding.lower()
        self.plain: Callable[[str], str] = str if utf8 else without_suits

    def text(self, said: str, style: str = "") -> Text:
        return Text(self.plain(visible(said)), style=style)

    def title(self, said: str) -> None:
        self.out.print()
        self.out.print(self.text(said, "bold"))

    def all(
        self,
        judged: Audit,
        rounds: Iterable[RoundAccount],
        considered: Considered | None = None,
        odd_evidence: Sequence[OddEvidence] = (),
    ) -> None:
        """Print the header, every round, its evidence, what was considered for it, and what belongs to no round."""
        self.header(judged)
        if considered and considered.is_ambiguous:
            self.out.print(self.text(considered.lead, "bold yellow"))
        for account in rounds:
            self.round(account)
        if odd_evidence:
            self.title("Findings about the evidence")
        for code, severity, message in odd_evidence:
            head = Text.assemble(self.text(code, _SEVERITY[severity]), self.text(f" ({severity}): {message}"))
            self.out.print(Padding(head, (0, 0, 0, 2)))
        if considered and considered.candidates:
            self.considered(considered)
        if left := narrative.table_findings(judged):
            self.title("Findings of the table")
            self.findings(left)

    def header(self, judged: Audit) -> None:
        table, book = judged.table, judged.table.book
        self.out.print(self.text(_title(book), "bold"))
        limits = f"{money(table.min_cents)} to {money(table.max_cents)} {table.currency}"
        self.out.print(self.text(f"Table {table.id}: {table.decks} decks, {table.boxes} boxes, wagers of {limits}"))
        for setting in narrative.settings(judged):
            default = "" if setting.default is None else f" (default {words.setting_text(setting.default)})"
            kind = setting.kind.capitalize()
            self.out.print(self.text(f"{kind} {setting.name} = {words.setting_text(setting.value)}{default}"))

    def round(self, account: RoundAccount) -> None:
        """One round: steps, settlement, explanations, findings."""
        self.out.print()
        self.out.rule(self.text(f"Round {account.round}", "bold"), style="dim")
        if account.void:
            self.out.print(self.text("By the rulebook this round is void.", "bold"))
        if account.void_logged and not account.void:
            self.out.print(self.text("The floor called this round void; by the rulebook it stands.", "bold"))
        self.steps(account.steps)
        if account.explanations:
            self.title(f"Settlement, in {account.currency}: above zero goes to the player")
            self.out.print(Padding(self.settlement(account.explanations), (0, 0, 0, 2)))
            self.title("Why")
            for n, explanation in enumerate(account.explanations):
                self.out.print(end="\n" if n else "")
                self.explanation(explanation)
        if account.findings:
            self.title("Findings")
            self.findings(account.findings)

    # Steps.

    def steps(self, steps: Sequence[RoundStep]) -> None:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", expand=False)
        table.add_column("step", justify="right", style="dim")
        table.add_column("", min_width=24)
        table.add_column("hand", max_width=26)
        table.add_column("total", justify="right", no_wrap=True)
        table.add_column("clause", style="dim", no_wrap=True)
        turn = ""
        for step in steps:
            if step.turn != turn:
                turn = step.turn
                table.add_row("", self.text(turn.capitalize(), "bold"))
            total = "" if step.total is None else words.total_text(step.total, step.soft)
            clause = step.clause.number if step.clause else ""
            held = self.text(cards_text(step.cards))
            table.add_row(str(step.number), Padding(self.text(step.words), (0, 0, 0, 2)), held, total, clause)
            for mark in step.findings:
                style = _SEVERITY[mark.severity]
                table.add_row("!", Padding(self.text(f"{mark.code}: {mark.message}", style), (0, 0, 0, 2)))
        self.out.print(table)
        self.legend([step.clause for step in steps if step.clause])

    def legend(self, cited: Iterable[Cited]) -> None:
        clauses = {clause.id: clause for clause in cited}
        if clauses:
            self.out.print()
            rows = [(clause.number, self.text(clause.says, "dim")) for clause in clauses.values()]
            self.out.print(Padding(_grid([(Text(number, style="dim"), said) for number, said in rows]), (0, 0, 0, 6)))

    # Money.

    def settlement(self, explanations: Sequence[Explanation]) -> Table:
        """Expected against actual."""
        gap = 2 if self.out.width >= PLAIN_WIDTH else 1
        table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="dim")
        table.add_column("place", min_width=6)
        table.add_column("wager", min_width=6)
        for name in ("stake", "expected", "actual", "difference"):
            table.add_column(name, justify="right", no_wrap=True)
        table.add_column("clause", min_width=7, overflow="fold")
        table.add_column("verdict", no_wrap=True)
        for e in explanations:
            expected = e.expected_paid_cents - e.expected_taken_cents
            actual = e.actual_paid_cents - e.actual_taken_cents
            style = "red" if e.variance_cents else ""
            table.add_row(
                self.text(e.place),
                self.text(e.kind_name),
                money(e.stake_cents) if e.stake_cents else "",
                "?" if e.verdict == "undetermined" else words.signed_text(expected),
                words.signed_text(actual),
                Text(words.signed_text(e.variance_cents) if e.variance_cents else "", style=style),
                self.text(e.clause.number if e.clause else ""),
                Text(e.verdict, style=style),
            )
        if len(explanations) > 1:
            table.add_row(*_totals(explanations), style="bold")
        return table

    def explanation(self, e: Explanation) -> None:
        """Why one wager should have paid and taken what it should."""
        patron = f", patron {e.patron}" if e.patron else ""
        stake = f", {money(e.stake_cents)}" if e.stake_cents else ""
        style = "red" if e.variance_cents else ""
        head = Text.assemble(self.text(f"{e.place.capitalize()}, {e.kind_name}{stake}{patron}: ", "bold"))
        self.out.print(Padding(head.append_text(self.text(e.verdict_words, style)), (0, 0, 0, 2)))
        rows: list[tuple[str, str]] = []
        if e.player and e.kind in _ON_A_HAND:
            rows.append(("Hand", _hand(e.player)))
        if e.kind in (*_ON_A_HAND, "insurance", "match", "bsx16"):
            rows.append(("Dealer", _hand(e.dealer)))
        rows.append(("Decided", e.decided))
        rows += [("By clause", _clause(e.clause))] if e.clause else []
        rows += [("Because of", _clause(e.because))] if e.because else []
        rows += [("Reading", _reading(reading)) for reading in e.readings]
        rows += [("Expected", e.arithmetic), ("Logged", words.logged_text(e.actual_paid_cents, e.actual_taken_cents))]
        rows += [("Note", e.note)] if e.note else []
        self.facts(rows)

    # Findings.

    def findings(self, findings: Sequence[FindingAccount]) -> None:
        for n, f in enumerate(findings):
            self.out.print(end="\n" if n else "")
            step = f", step {f.step}" if f.step else ""
            sure = f", {f.certainty_words}" if f.certainty_words else ""
            head = Text.assemble(
                self.text(f.code, _SEVERITY[f.severity]), self.text(f" ({f.severity}{step}{sure}): {f.message}")
            )
            self.out.print(Padding(head, (0, 0, 0, 2)))
            rows = [("Evidence", words.INFERRED)] if f.inferred else []
            rows += [("By clause", _clause(f.clause))] if f.clause else []
            if f.prescribed or f.ruled or f.handling:
                rows.append(("Prescribed", "; or ".join(f.prescribed) or "nothing"))
                rows.append(("Ruled", "; ".join(f.ruled) or "no ruling is logged"))
                rows.append(("Handling", f.handling_words))
            rows += [("Reading", _reading(reading)) for reading in f.readings]
            if f.cost_cents:
                side = "overpaid" if f.cost_cents > 0 else "underpaid"
                rows.append(("Variance", f"{side} {money(abs(f.cost_cents))}"))
            self.facts(rows)

    # Explanations.

    def considered(self, considered: Considered) -> None:
        """Print the explanations that were considered for a round."""
        self.title(candidates.TITLE)
        self.out.print(Padding(self.text(considered.lead), (0, 0, 0, 2)))
        for each in considered.candidates:
            self.out.print()
            style = "bold" if each.standing else ""
            standing = f"{each.standing}, " if each.standing else ""
            head = f"{each.rank}. {each.summary} ({standing.lower()}{each.weight_words})"
            self.out.print(Padding(self.text(head, style), (0, 0, 0, 2)))
            left = [f"{left.message} ({left.code})" for left in each.leaves] or [candidates.NO_FINDING]
            rows = [("Leaves" if not n else "", said) for n, said in enumerate(left)]
            rows.append(("Variance", capital(each.variance_words)))
            rows += [("Against" if not n else "", said) for n, said in enumerate(each.against)]
            self.facts(rows)
        if considered.rest:
            self.out.print()
            self.out.print(Padding(self.text(considered.rest), (0, 0, 0, 2)))

    def facts(self, rows: Iterable[tuple[str, str]]) -> None:
        grid = _grid([(Text(name, style="dim"), self.text(said)) for name, said in rows])
        self.out.print(Padding(Group(grid), (0, 0, 0, 6)))


def _grid(rows: Iterable[tuple[RenderableType, RenderableType]]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, min_width=10)
    table.add_column()
    for row in rows:
        table.add_row(*row)
    return table


def _title(book: rulebook.Rulebook) -> str:
    return f"{book.title} ({book.id}), {'undated' if book.version == 'undated' else f'version {book.version}'}"


def _totals(explanations: Sequence[Explanation]) -> tuple[str, ...]:
    expected = sum(e.expected_paid_cents - e.expected_taken_cents for e in explanations)
    actual = sum(e.actual_paid_cents - e.actual_taken_cents for e in explanations)
    variance = sum(e.variance_cents for e in explanations)
    stake = sum(e.stake_cents for e in explanations)
    return (
        "together",
        "",
        money(stake),
        words.signed_text(expected),
        words.signed_text(actual),
        words.signed_text(variance) if variance else "",
    )


def _hand(hand: HandAccount) -> str:
    if not hand.cards:
        return "no cards"
    extra = [name for name, on in (("doubled", hand.doubled), ("from a split", hand.from_split)) if on]
    return f"{cards_text(hand.cards)} = {hand.worth}" + (f" ({', '.join(extra)})" if extra else "")


def _clause(clause: Cited) -> str:
    return f"{clause.number}: {clause.says}"


def _reading(reading: UsedReading) -> str:
    return words.reading_text(reading.name, reading.value, reading.default, reading.why)


# Codes and rulebooks.


def show_codes(out: Console) -> None:
    """Every finding code with the evidence that it needs and the handlings that it can have."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("code", "evidence", "handlings"):
        table.add_column(name)
    for row in matrix(library.PACKAGE.newest()):
        table.add_row(*row)
    out.print(table)


def show_books(out: Console, books: Sequence[rulebook.Rulebook]) -> None:
    """Rulebooks with their versions, the oldest of each first."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("rulebook", "version", "title", "jurisdiction", "clauses", "file"):
        table.add_column(name, justify="right" if name == "clauses" else "left", overflow="fold")
    for book in books:
        is_packaged = Path(book.file).parent == library.OF_THE_PACKAGE
        file = "of audit21" if is_packaged else book.file
        table.add_row(book.id, book.version, book.title, book.jurisdiction, str(len(book.clauses)), file)
    out.print(table)


def pick_clauses(book: rulebook.Rulebook, wanted: str | None, does: str | None) -> list[rulebook.Clause]:
    """Clauses by number or id (with what stands below it) and by what the software does about them."""

    def is_wanted(clause: rulebook.Clause) -> bool:
        if wanted is None or wanted in (clause.id, clause.number):
            return True
        return clause.id.startswith(wanted) and clause.id[len(wanted)] in "(./"

    return [clause for clause in book.clauses if is_wanted(clause) and does in (None, clause.does)]


def show_clauses(out: Console, book: rulebook.Rulebook, clauses: Sequence[rulebook.Clause], details: bool) -> None:
    """A rulebook's clauses, in short or with everything the software knows of them."""
    out.print(Text(f"{_title(book)}: {len(clauses)} of {len(book.clauses)} clauses", "bold"))
    out.print()
    if details:
        for clause in clauses:
            out.print(Text(f"{clause.id}  {clause.says}", "bold"))
            facts = [(Text(name, style="dim"), Text(said)) for name, said in clause_facts(clause)]
            out.print(Padding(_grid(facts), (0, 0, 1, 2)))
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("clause", no_wrap=True)
    table.add_column("does", no_wrap=True, style="dim")
    table.add_column("says")
    for clause in clauses:
        table.add_row(Text(clause.id), clause.does, Text(clause.says))
    out.print(table)


def clause_facts(clause: rulebook.Clause) -> list[tuple[str, str]]:
    """What the software does about a clause, in words."""
    facts = [("topic", clause.topic), ("does", clause.does)]
    facts += [("sets", f"{name} = {words.setting_text(value)}") for name, value in clause.sets.items()]
    facts += [("cited for", ", ".join(clause.cites))] if clause.cites else []
    facts += [("through", ", ".join(clause.via))] if clause.via else []
    facts += [("prescribes", "; or ".join(map(words.rulings_text, clause.prescribes)))] if clause.prescribes else []
    facts += [("permits", words.rulings_text(clause.permits))] if clause.permits else []
    facts += [("reported", "a floorperson or supervisor has to act or be told")] if clause.report else []
    return facts + ([("why", clause.why)] if clause.why else [])


def codes_page() -> str:
    """The matrix of finding codes as a page of Markdown: replay/FINDINGS.md."""
    severity = {code.name: "by variance" if code.name in BY_MONEY else code.severity for code in codes.CODES}
    lines = [
        "# Findings",
        "",
        "Every finding code, how grave it is, the evidence it needs, and the handling it can have in some rulebook.",
        "Handling tells whether the floor did what the rulebook prescribes, judged by the rulings that were logged and",
        "by what was done: `as-prescribed`, `not-prescribed`; `unreported` where a floorperson had to act or be told",
        "and no line says so; none where nothing is prescribed. `audit21 codes --markdown` prints this page.",
        "",
        "A payment that is wrong is as grave as its variance is large, whoever it favours: from USD 25.00 on medium,",
        "from USD 500.00 on high, about as much in other currencies, or what floor.toml sets under `[audit]` as",
        "`severity_cents = { USD = [2500, 50000] }`. Other codes have the severity below, or that of their variance if",
        "that is graver.",
        "",
        "| code | severity | evidence | handling |",
        "|---|---|---|---|",
    ]
    found = matrix(library.PACKAGE.newest())
    lines += [f"| `{code}` | {severity[code]} | {evidence} | {handlings} |" for code, evidence, handlings in found]
    return "\n".join(lines) + "\n"
