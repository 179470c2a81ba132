"""Filter and order of findings, as given in the address of the page."""

import re
from dataclasses import dataclass, field
from typing import Final

from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException

FACETS: Final = ("severity", "status", "code", "table", "dealer", "handling", "evidence")
SORTS: Final = {"severity": "Severity", "newest": "Newest day, severity", "cost": "Variance", "time": "Time"}
LONGEST_SEARCH: Final = 200
# As a list names them: "round 50" is that round, not the word and any 50.
_NAMED: Final = re.compile(r"\b(round|shoe|box|hand)\s+(\S+)")
PAGE_ROWS: Final = 100


@dataclass(frozen=True)
class Wanted:
    """Values chosen by facet (none means all; an empty text selects findings without a value), search words, order."""

    chosen: dict[str, list[str]] = field(default_factory=dict)
    search: str = ""
    sort: str = "severity"
    grouped: bool = False
    page: int = 1

    @classmethod
    def of(cls, query: QueryParams, usual_sort: str = "severity") -> "Wanted":
        """From the address."""
        page, sort = query.get("page", "1"), query.get("sort", usual_sort)
        if not (page.isascii() and page.isdigit() and 0 < int(page) < 1_000_000):
            raise HTTPException(404, f"{page!r} is no page; expected a number from 1 on.")
        if sort not in SORTS:
            raise HTTPException(404, f"{sort!r} is no order; expected one of {', '.join(SORTS)}.")
        chosen = {facet: query.getlist(facet) for facet in FACETS}
        return cls(chosen, query.get("q", "").strip()[:LONGEST_SEARCH], sort, query.get("group") == "1", int(page))

    @property
    def is_narrow(self) -> bool:
        """Return whether any filter or search is set."""
        return bool(self.search) or any(self.chosen.values())

    def params(self) -> dict[str, object]:
        """For the queries."""
        words = _words(self.search.lower())
        return {**{f"chosen_{facet}": values for facet, values in self.chosen.items()}, "words": words}


def _words(search: str) -> list[str]:
    """Split a search into its terms, all of which a finding has to contain."""
    named = [f"{kind} {name};" for kind, name in _NAMED.findall(search)]
    return named + _NAMED.sub(" ", search).split()
