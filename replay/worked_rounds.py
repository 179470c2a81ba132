"""Rounds worked by hand, by the clause that they prove; ``python -m tests.rules.index`` writes the list."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from replay.library import OF_THE_PACKAGE, PACKAGE
from replay.rulebook_file import Rulebook

FILE: Final = "worked-rounds.json"


def worked_rounds(book: Rulebook) -> Mapping[str, Sequence[str]]:
    """Titles of worked rounds by the clause's number; none for a text that is not the package's."""
    own = PACKAGE.versions(book.id)
    return _all().get(book.id, {}) if own and own[-1].sha256 == book.sha256 else {}


@cache
def _all() -> Mapping[str, Mapping[str, Sequence[str]]]:
    found: Mapping[str, Mapping[str, Sequence[str]]] = json.loads((OF_THE_PACKAGE / FILE).read_text(encoding="utf-8"))
    return found
