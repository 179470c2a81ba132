"""Rounds, finding codes and rulebooks as ``audit21`` shows them."""

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from replay import library, narrative
from replay.code_help import code_help
from replay.handlings import matrix
from replay.narrative import words
from replay.narrative.printed import columns, title_of
from replay.narrative.told import Narration
from replay.rulebook_file import Clause, Rulebook


def as_data(told: Narration) -> dict[str, Any]:
    """Return what is told as data for machines."""
    odd = [each._asdict() for each in told.odd_evidence]
    return {
        "rounds": [asdict(account) for account in told.accounts],
        "table_findings": [asdict(finding) for finding in narrative.table_findings(told.audit)],
        **({} if told.considered is None else {"considered": asdict(told.considered)}),
        **({"evidence_findings": odd} if odd else {}),
    }


def waiting() -> AbstractContextManager[object]:
    """Says on a terminal's standard error why it takes a while."""
    if not sys.stderr.isatty():
        return nullcontext()
    return Console(stderr=True).status("Judging; the first time after an update the rules are compiled, about a minute")


def show_codes(out: Console) -> None:
    """Print every finding code with its severity, meaning, evidence, recommended action and possible handling."""
    handlings = {code: handling for code, _, handling in matrix(library.PACKAGE.newest())}
    for each in code_help():
        out.print(Text(f"{each.code}  {each.severity}", "bold"))
        rows = [
            ("means", each.means),
            ("shown by", each.shown_by),
            ("action", each.do),
            ("handling", handlings[each.code]),
        ]
        out.print(Padding(columns([(Text(name, style="dim"), Text(said)) for name, said in rows]), (0, 0, 1, 2)))


def show_books(out: Console, books: Sequence[Rulebook]) -> None:
    """Rulebooks with their versions, the oldest of each first."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("rulebook", "version", "title", "jurisdiction", "clauses", "file"):
        table.add_column(name, justify="right" if name == "clauses" else "left", overflow="fold")
    for book in books:
        is_packaged = Path(book.file).parent == library.OF_THE_PACKAGE
        file = "of audit21" if is_packaged else book.file
        table.add_row(book.id, book.version, book.title, book.jurisdiction, str(len(book.clauses)), file)
    out.print(table)


def pick_clauses(book: Rulebook, wanted: str | None, does: str | None) -> list[Clause]:
    """Clauses by number or id (with what stands below it) and by what the software does about them."""

    def is_wanted(clause: Clause) -> bool:
        if wanted is None or wanted in (clause.id, clause.number):
            return True
        return clause.id.startswith(wanted) and clause.id[len(wanted)] in "(./"

    return [clause for clause in book.clauses if is_wanted(clause) and does in (None, clause.does)]


def show_clauses(out: Console, book: Rulebook, clauses: Sequence[Clause], details: bool) -> None:
    """A rulebook's clauses, in short or with everything the software knows of them."""
    out.print(Text(f"{title_of(book)}: {len(clauses)} of {len(book.clauses)} clauses", "bold"))
    out.print()
    if details:
        for clause in clauses:
            out.print(Text(f"{clause.id}  {clause.says}", "bold"))
            facts = [(Text(name, style="dim"), Text(said)) for name, said in clause_facts(clause)]
            out.print(Padding(columns(facts), (0, 0, 1, 2)))
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("clause", no_wrap=True)
    table.add_column("does", no_wrap=True, style="dim")
    table.add_column("says")
    for clause in clauses:
        table.add_row(Text(clause.id), clause.does, Text(clause.says))
    out.print(table)


def clause_facts(clause: Clause) -> list[tuple[str, str]]:
    """Say what the software does about a clause."""
    facts = [("topic", clause.topic), ("does", clause.does)]
    facts += [("sets", f"{name} = {words.setting_text(value)}") for name, value in clause.sets.items()]
    facts += [("cited for", ", ".join(clause.cites))] if clause.cites else []
    facts += [("through", ", ".join(clause.via))] if clause.via else []
    facts += [("prescribes", "; or ".join(map(words.rulings_text, clause.prescribes)))] if clause.prescribes else []
    facts += [("permits", words.rulings_text(clause.permits))] if clause.permits else []
    facts += [("reported", "a floorperson or supervisor has to act or be informed")] if clause.report else []
    return facts + ([("why", clause.why)] if clause.why else [])


def codes_page() -> str:
    """The matrix of finding codes as a page of Markdown: replay/FINDINGS.md."""
    handlings = {code: handling for code, _, handling in matrix(library.PACKAGE.newest())}
    lines = [
        "# Findings",
        "",
        "Every finding code: its meaning and severity, the logs that show it, the recommended action, and its possible",
        "handling in the rulebooks.",
        "Handling tells whether the floor followed the rulebook's procedure, by the logged rulings and payments:",
        "`as-prescribed`, `not-prescribed`; `unreported` if a floorperson had to act or be informed and no line says",
        "so; none if no procedure applies. `audit21 codes --markdown` prints this page.",
        "",
        "The severity of a settlement error follows from its variance, in either direction: from USD 25.00 on medium,",
        "from USD 500.00 on high, about as much in other currencies, or what floor.toml sets under `[audit]` as",
        "`severity_cents = { USD = [2500, 50000] }`. Other codes have the severity below, or that of their variance if",
        "it is higher.",
        "",
        "| code | means | severity | shown by | what to do | handling |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| `{each.code}` | {each.means} | {each.severity} | {each.shown_by} | {each.do} | {handlings[each.code]} |"
        for each in code_help()
    ]
    return "\n".join(lines) + "\n"
