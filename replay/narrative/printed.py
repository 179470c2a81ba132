"""Accounts of rounds, printed on a console."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from replay import narrative
from replay.audit import Audit
from replay.narrative import candidates, words
from replay.narrative.candidates import Considered
from replay.narrative.forms import Cited, Explanation, FindingAccount, HandAccount, RoundAccount, RoundStep, UsedReading
from replay.rulebook_file import Rulebook
from replay.visible import PLAIN_WIDTH, visible
from replay.wording import capital, cards_text, money, without_suits

_SEVERITY: Final = {"high": "red", "medium": "yellow", "low": "cyan"}
_ON_A_HAND: Final = ("main", "split", "double", "super-bonus")


class OddEvidence(NamedTuple):
    """A finding about the evidence of a round, as published."""

    code: str
    severity: str
    message: str


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
        self.out.print(self.text(title_of(book), "bold"))
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
            self.out.print(Padding(columns([(Text(number, style="dim"), said) for number, said in rows]), (0, 0, 0, 6)))

    # Money.

    def settlement(self, explanations: Sequence[Explanation]) -> Table:
        """Expected against actual."""
        gap = 2 if self.out.width >= PLAIN_WIDTH else 1
        table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="dim")
        table.add_column("place", min_width=6)
        table.add_column("wager", min_width=6)
        for name in ("stake", "expected", "actual", "variance"):
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
        """Print the reasons for one wager's expected settlement."""
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
        grid = columns([(Text(name, style="dim"), self.text(said)) for name, said in rows])
        self.out.print(Padding(Group(grid), (0, 0, 0, 6)))


def columns(rows: Iterable[tuple[RenderableType, RenderableType]]) -> Table:
    """Lay names and what is said of them side by side."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, min_width=10)
    table.add_column()
    for row in rows:
        table.add_row(*row)
    return table


def title_of(book: Rulebook) -> str:
    """Name a rulebook with its id and version."""
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
