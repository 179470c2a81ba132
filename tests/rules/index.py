"""``python -m tests.rules.index`` writes which worked rounds prove which clause: the tests are not in the wheel."""

import json
from collections import defaultdict
from pathlib import Path

from replay.library import OF_THE_PACKAGE, PACKAGE
from replay.worked_rounds import FILE
from tests.rules.worked import Worked, every_round


def index() -> str:
    """The titles of worked rounds by rulebook and clause, as JSON with a line to each clause."""
    found: dict[str, dict[str, list[str]]] = {book_id: defaultdict(list) for book_id in PACKAGE.ids()}
    for worked in every_round():
        if (book_id := worked.file.partition("/")[0]) in found:
            for clause in sorted(_clauses(worked)):
                found[book_id][clause].append(worked.title)
    texts = []
    for book in PACKAGE.newest():
        numbers = dict.fromkeys(clause.number for clause in book.clauses)
        rows = [f"  {json.dumps(each)}: {json.dumps(found[book.id][each])}" for each in numbers if found[book.id][each]]
        texts.append(f" {json.dumps(book.id)}: {{\n" + ",\n".join(rows) + "\n }")
    return "{\n" + ",\n".join(texts) + "\n}\n"


def _clauses(worked: Worked) -> set[str]:
    """The clauses that a round expects to be cited."""
    cited = {expected.clause for expected in worked.wagers} | {expected.clause for expected in worked.findings}
    return cited | {expected.because for expected in worked.wagers if expected.because}


if __name__ == "__main__":
    Path(OF_THE_PACKAGE / FILE).write_text(index(), encoding="utf-8")
