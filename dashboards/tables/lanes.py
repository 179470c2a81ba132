"""The day of a table as lanes of marks on one axis of time, for ``static/js/timeline.js``."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, Final
from urllib.parse import quote

from dashboards.web.words import clock, money, plural, round_url

Row = dict[str, Any]
_SEVERITIES: Final = ("high", "medium", "low")


def lanes(rows: dict[str, list[Row]], hidden: Iterable[str], until: datetime, query: str) -> list[Row]:
    """All lanes, from the top; every mark has its times in milliseconds, words, and where it leads."""
    shoes = _shoes(rows["rounds"], rows["shoes"], frozenset(hidden), until, query)
    by_severity = {each: [row for row in rows["findings"] if row["severity"] == each] for each in _SEVERITIES}
    return [
        {"name": "Dealers", "look": "bar", "marks": list(_dealers(rows["rounds"], query))},
        {"name": "Shoes", "look": "bar", "marks": shoes},
        {"name": "Rounds", "look": "round", "marks": [_round(row, query) for row in rows["rounds"]]},
        *(
            {"name": severity.title(), "look": "dot", "marks": list(_findings(found, severity, query))}
            for severity, found in by_severity.items()
        ),
        {"name": "Reported", "look": "dot", "marks": list(_reported(rows["reports"], query))},
        {"name": "Faults", "look": "bar", "marks": list(_faults(rows["reports"], until, query))},
    ]


def _ms(time: datetime) -> int:
    return round(time.timestamp() * 1000)


def _mark(since: datetime, until: datetime, kind: str, words: str, url: str | None, label: str = "") -> Row:
    return {"from": _ms(since), "to": _ms(until), "kind": kind, "words": words, "url": url, "label": label}


def _dealers(rounds: Sequence[Row], query: str) -> Iterable[Row]:
    """Stints: rounds in a row under the same dealer."""
    for dealer, stint in groupby(rounds, key=lambda row: row["dealer"]):
        played = list(stint)
        first, last = played[0], played[-1]
        ended = last["ended"] or last["started"]
        name = dealer or "no dealer logged"
        words = f"{name}, {clock(first['started'])} to {clock(ended)}, {plural(len(played), 'round')}"
        yield _mark(first["started"], ended, "dealer", words, round_url(first["round_id"]) + query, name)


def _shoes(
    rounds: Sequence[Row], shoes: Sequence[Row], hidden: frozenset[str], until: datetime, query: str
) -> list[Row]:
    """Shoes from loading to end; of those in play only that they are there."""
    found = []
    for row in shoes:
        since, last = row["loaded"] or row["ended"], row["ended"] or until
        tens = f", {plural(row['tens'], 'ten')}" if row["tens"] else ""
        words = f"Shoe {row['shoe']}, {plural(row['cards_drawn'], 'card')} drawn{tens}"
        odd = row["tens"] or row["missing"] or row["extra"]
        found.append(_mark(since, last, "shoe odd" if odd else "shoe", words, _shoe_url(row, query), _short(row)))
    for name in sorted(hidden):
        own = [row for row in rounds if row["shoe"] == name]
        if own:
            words = f"Shoe {name} is in play"
            found.append(_mark(own[0]["started"], until, "shoe", words, _shoe_url(own[0], query), _short(own[0])))
    return found


def _short(row: Row) -> str:
    """A shoe's name without that of its table."""
    return str(row["shoe"]).removeprefix(f"{row['table']}-")


def _shoe_url(row: Row, query: str) -> str:
    return f"/shoes/{quote(row['shoe'])}?day={row['gaming_day']}{query.replace('?', '&')}"


def _round(row: Row, query: str) -> Row:
    cost = row["over_cents"] + row["under_cents"]
    parts = [f"Round {row['round']}", clock(row["started"]), "void" if row["void"] else row["verdict"]]
    parts += [money(cost, row["currency"], signed=True)] if cost else []
    parts += [plural(row["findings"], "finding")] if row["findings"] else []
    kind = f"{row['verdict']}{' void' if row['void'] else ''}{' found' if row['findings'] else ''}"
    ended = row["ended"] or row["started"]
    return _mark(row["started"], ended, kind, ", ".join(parts), round_url(row["round_id"]) + query, row["round"])


def _findings(rows: Iterable[Row], severity: str, query: str) -> Iterable[Row]:
    for row in rows:
        if row["at"]:
            cost = f", {money(row['variance_cents'], row['currency'], signed=True)}" if row["variance_cents"] else ""
            words = f"{clock(row['at'])} {row['code']}: {row['message']}{cost}"
            yield _mark(row["at"], row["at"], f"severity-{severity}", words, finding_url(row, query))


def finding_url(row: Row, query: str) -> str:
    """Return the address of a finding: in its round, else its own page."""
    more = query.replace("?", "&")
    if row["round_id"]:
        return f"{round_url(row['round_id'])}?finding={row['finding_id']}{more}"
    return f"/findings/{row['finding_id']}?day={row['gaming_day']}{more}"


def _reported(rows: Iterable[Row], query: str) -> Iterable[Row]:
    for row in rows:
        if row["report"] == "irregularity":
            ruled = f": {', '.join(row['ruling'])}" if row["ruling"] else ""
            by = f" by {', '.join(row['by'])}" if row["by"] else ""
            url = round_url(row["round_id"]) + query if row["round_id"] else None
            yield _mark(row["at"], row["at"], "report", f"{clock(row['at'])} {row['code']} reported{by}{ruled}", url)


def _faults(rows: Sequence[Row], until: datetime, query: str) -> Iterable[Row]:
    for row in rows:
        if row["report"] == "fault":
            end = f"repaired {clock(row['until'])}" if row["until"] else "not repaired"
            words = f"{clock(row['at'])} {row['device']}: {row['kind'] or 'fault'}, {end}"
            url = round_url(row["round_id"]) + query if row["round_id"] else None
            yield _mark(row["at"], row["until"] or until, "fault", words, url, f"{row['device']}")
