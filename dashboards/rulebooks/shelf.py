"""The rulebooks of a lake: those in custody, and the package's where none of their id is."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from dashboards.lake.pinned import Pinned
from replay.library import PACKAGE, Library
from replay.rulebook_file import Clause, Rulebook, RulebookError
from replay.worked_rounds import worked_rounds
from warehouse.folders import raw

_KEPT: Final = """
SELECT sha256, max(log_index) AS newest FROM files WHERE source = 'rulebook' GROUP BY ALL ORDER BY newest DESC
"""
_CITED: Final = """
SELECT rulebook, clause_id, count(*) AS times FROM findings WHERE clause_id IS NOT NULL GROUP BY ALL
"""
_TABLES: Final = """
SELECT rulebook, rulebook_version AS version, count(DISTINCT "table") AS tables, count(*) AS rounds
FROM rounds GROUP BY ALL
"""
_CHAPTER: Final = re.compile(r"(?:Appendix )?(?:\d+|[A-Z])")


class ClauseRow(NamedTuple):
    """A clause with how often findings of the floor cite it, and the worked rounds that prove it."""

    clause: Clause
    cited: int
    worked: Sequence[str]
    leads: bool  # the first part of a clause that has no entry of its own: links to the clause come here


class Chapter(NamedTuple):
    """Clauses whose numbers begin alike."""

    number: str
    topics: str
    rows: tuple[ClauseRow, ...]


@dataclass(frozen=True)
class Shelf:
    """The rulebooks that a snapshot was judged by, and the package's others."""

    pinned: Pinned

    @cached_property
    def books(self) -> list[Rulebook]:
        """Every rulebook, the newest version of each first; of one version the text that was used last."""
        found: dict[tuple[str, str], Rulebook] = {}
        for row in self.pinned.every_day().rows(_KEPT) if self.pinned.days else ():
            (book,) = Library((raw(self.pinned.lake.path, row["sha256"]),)).newest()
            found.setdefault((book.id, book.version), book)
        held = {book_id for book_id, _ in found}
        for book in PACKAGE.newest():
            if book.id not in held:
                found[book.id, book.version] = book
        order = [*PACKAGE.ids(), *sorted(held - set(PACKAGE.ids()))]
        return sorted(found.values(), key=lambda book: order.index(book.id))

    def find(self, book_id: str, version: str | None) -> Rulebook:
        """A rulebook by id, of a version or the one that was used last; ``RulebookError`` where there is none."""
        for book in self.books:
            if book.id == book_id and version in (None, book.version):
                return book
        named = f"{book_id}, version {version}" if version else book_id
        raise RulebookError(f"There is no rulebook {named}; there are {', '.join(book.id for book in self.books)}.")

    @cached_property
    def played(self) -> dict[tuple[str, str], tuple[int, int]]:
        """By id and version: how many tables and rounds went by it."""
        rows = self.pinned.every_day().rows(_TABLES) if self.pinned.days else []
        return {(row["rulebook"], row["version"]): (row["tables"], row["rounds"]) for row in rows}

    def chapters(self, book: Rulebook, counts: bool) -> list[Chapter]:
        """A rulebook's clauses in the document's order."""
        cited: Counter[str] = Counter()
        for row in self.pinned.every_day().rows(_CITED) if counts and self.pinned.days else ():
            if row["rulebook"] == book.id:
                cited[row["clause_id"]] += row["times"]
        worked = worked_rounds(book)
        ids, seen = {each.id for each in book.clauses}, set[str]()
        rows = []
        for each in book.clauses:
            leads = each.number not in ids and each.number not in seen
            seen.add(each.number)
            rows.append(ClauseRow(each, cited[each.id], worked.get(each.number, ()), leads))
        return list(_chapters(rows))


def _chapters(rows: Sequence[ClauseRow]) -> Iterator[Chapter]:
    groups: dict[str, list[ClauseRow]] = {}
    for row in rows:
        match = _CHAPTER.match(row.clause.id)
        groups.setdefault(match[0] if match else row.clause.id, []).append(row)
    for number, each in groups.items():
        topics = Counter(row.clause.topic for row in each)
        yield Chapter(number, ", ".join(topic for topic, _ in topics.most_common(2)), tuple(each))


def codes_of(clause: Clause) -> list[str]:
    """The finding codes that cite a clause."""
    found = dict.fromkeys(cited.partition("/")[0] for cited in clause.cites)
    return [code for code in found if not code.startswith("outcome.")]
