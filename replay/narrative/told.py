"""Judged rounds told as text for a terminal and as HTML for a notebook."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from replay import felt, narrative
from replay.audit import Audit
from replay.narrative import words
from replay.narrative.candidates import Considered
from replay.narrative.forms import RoundAccount
from replay.narrative.printed import OddEvidence, Printer, title_of
from replay.visible import PLAIN_WIDTH, visible_lines
from replay.wording import capital, card_text, money


@dataclass(frozen=True)
class Narration:
    """Rounds of an audit, step by step; of a round from a lake also what was considered and what is odd about it."""

    audit: Audit
    accounts: Sequence[RoundAccount]
    considered: Considered | None = None
    odd_evidence: Sequence[OddEvidence] = ()

    def print(self, out: Console) -> None:
        """Print it on a console."""
        Printer(out).all(self.audit, self.accounts, self.considered, self.odd_evidence)

    def __str__(self) -> str:
        out = Console(file=io.StringIO(), width=PLAIN_WIDTH, highlight=False, markup=False, emoji=False)
        with out.capture() as captured:
            self.print(out)
        return "\n".join(line.rstrip() for line in visible_lines(captured.get()).split("\n")).strip("\n")

    __repr__ = __str__

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        out = Console(
            file=io.StringIO(),
            width=options.max_width,
            color_system=console.color_system or "auto",  # type: ignore[arg-type]
            force_terminal=console.is_terminal,
            highlight=False,
            markup=False,
            emoji=False,
        )
        with out.capture() as captured:
            self.print(out)
        yield Text.from_ansi(captured.get())

    def _repr_html_(self) -> str:
        """Return the rounds as HTML: the table at the end, settlements, findings, steps."""
        events = self.audit.encoded.events
        return _template().render(
            title=title_of(self.audit.table.book),
            table=self.audit.table,
            rounds=[(account, felt.draw(felt.scene(account, events))) for account in self.accounts],
            considered=self.considered,
            odd_evidence=self.odd_evidence,
            table_findings=narrative.table_findings(self.audit),
        )


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("replay.narrative", "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters |= {
        "money": money,
        "signed": words.signed_text,
        "capital": capital,
        "card": card_text,
        "total": words.total_text,
    }
    return environment.get_template("told.html")
