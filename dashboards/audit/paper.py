"""The gaming day on one page. The same snapshot and the same signatures give the same bytes."""

from collections.abc import Mapping
from datetime import datetime
from importlib import resources
from typing import Any, Final
from zoneinfo import ZoneInfo

from dashboards.audit.figures import DayFigures, covered
from dashboards.audit.ledger import Entry, ledger
from dashboards.audit.standing import Standing
from dashboards.typesetting import typeset
from dashboards.web.words import money, number, share, times_in, zoned
from replay import floor
from warehouse import folders

MOST_CURRENCIES: Final = 6
MOST_TABLES: Final = 12
MOST_FINDINGS: Final = 7
LONGEST_NOTE: Final = 220
LONGEST_MESSAGE: Final = 88


def print_day(figures: DayFigures, stands: Standing) -> bytes:
    """The PDF, dated with the publication of the day or its last signature."""
    published = figures.lake.snapshot.days[figures.day].published
    made = max([published, *(row.at for row in stands.signed)])
    with times_in(_zone(figures)):
        words = view(figures, stands)
    return printed(words, made)


def printed(words: dict[str, Any], made: datetime) -> bytes:
    """Typeset the data from ``view`` as a PDF of one page, in the largest type that fits."""
    template = (resources.files("dashboards.audit") / "day.typ").read_bytes()
    return typeset(template, words, {}, made)


def view(figures: DayFigures, stands: Standing) -> dict[str, Any]:
    """All words of the page."""
    summary = [row for row in figures.summary if row["currency"] and row["rounds"]]
    return {
        "day": figures.day.isoformat(),
        "property": str(_property(figures).get("name", "")),
        "state": stands.word,
        "result": _result(summary),
        "floor": [_floor_row(row) for row in summary[:MOST_CURRENCIES]],
        "coverage": [_coverage_row(row) for row in figures.rows("coverage")[: 2 * MOST_CURRENCIES]],
        **_tables(figures.rows("tables")),
        "findings": [_finding_row(row) for row in figures.top(MOST_FINDINGS)],
        "gaps": _gaps(figures),
        "signatures": [
            _signature(row.account.full_name or row.account.name, row.at, row.note) for row in stands.signed
        ],
        "evidence": _evidence(figures, stands),
    }


def _result(summary: list[dict[str, Any]]) -> str:
    rounds, verified, wrong = (
        sum(row[name] for row in summary) for name in ("rounds", "rounds_verified", "rounds_wrong")
    )
    if not rounds:
        return "No rounds were dealt."
    over = ", ".join(money(row["over_cents"], row["currency"]) for row in summary if row["over_cents"]) or "nothing"
    under = ", ".join(money(-row["under_cents"], row["currency"]) for row in summary if row["under_cents"]) or "nothing"
    return (
        f"Of {number(rounds)} rounds, {number(verified)} ({covered(verified, rounds)}) were verified to the cent and"
        f" {number(wrong)} had settlement errors. Overpaid: {over}; underpaid: {under}."
    )


def _floor_row(row: dict[str, Any]) -> list[str]:
    counts = [number(row[name]) for name in ("tables", "rounds")]
    amounts = [money(row[name]) for name in ("handle_cents", "win_cents")]
    variances = [money(row[name], signed=True) for name in ("over_cents", "under_cents", "variance_cents")]
    return [
        row["currency"],
        *counts,
        covered(row["rounds_verified"], row["rounds"]),
        *amounts,
        share(row["hold"]),
        *variances,
    ]


def _coverage_row(row: dict[str, Any]) -> list[str]:
    handle = row["handle_cents"]
    return [
        row["currency"],
        row["evidence"].replace("+", " + "),
        number(row["rounds"]),
        covered(row["rounds_verified"], row["rounds"]),
        money(handle),
        covered(row["handle_verified_cents"], handle),
    ]


def _tables(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The tables with the largest amounts, and how many are left out."""
    gross = sorted(rows, key=lambda row: (row["under_cents"] - row["over_cents"], row["table"]))
    shown = sorted(
        gross[:MOST_TABLES], key=lambda row: (row["currency"], row["under_cents"] - row["over_cents"], row["table"])
    )
    cells = [
        [
            *(row["table"], row["currency"], number(row["rounds"]), covered(row["rounds_verified"], row["rounds"])),
            *(money(row[name], signed=True) for name in ("over_cents", "under_cents", "variance_cents")),
            number(row["findings"]),
        ]
        for row in shown
    ]
    return {"tables": cells, "more_tables": len(rows) - len(shown)}


def _finding_row(row: dict[str, Any]) -> list[str]:
    cost = money(row["variance_cents"], row["currency"], signed=True) if row["variance_cents"] else ""
    return [
        row["severity"],
        row["code"],
        _short(row["message"], LONGEST_MESSAGE),
        row["round_id"] or row["table"],
        cost,
    ]


def _gaps(figures: DayFigures) -> list[str]:
    """Return one sentence each for quarantined lines, missing sources and restatements after sign-off."""
    sources = figures.rows("sources")
    lines, quarantined = (sum(row[name] for row in sources) for name in ("lines", "lines_quarantined"))
    missing = figures.rows("missing")
    named = ", ".join(sorted({row["table"] for row in missing}))
    restated = figures.rows("restatements")
    told = [
        f"Quarantine: {number(quarantined)} of {number(lines)} lines.",
        f"Missing sources or events: {len(missing)}" + (f", at {_short(named, 120)}." if missing else "."),
    ]
    if restated:
        snapshots = sorted({row["snapshot"] for row in restated})
        told.append(f"Restated after sign-off, in snapshot {', '.join(map(str, snapshots))}: {len(restated)} changes.")
    return told


def _signature(name: str, at: datetime, note: str) -> list[str]:
    return [name, zoned(at), _short(note, LONGEST_NOTE)]


def _evidence(figures: DayFigures, stands: Standing) -> list[list[str]]:
    state = figures.lake.snapshot.days[figures.day]
    book = ledger(figures.lake.lake.path)
    entry = stands.entry or _publication(figures, stands)
    facts = [
        ["Snapshot", f"{state.snapshot}, published {zoned(state.published)}, {state.reason}"],
        ["Engine", state.engine_version],
    ]
    if entry is None:
        return [*facts, ["Evidence log", "no entry yet"]]
    facts.append(["Evidence log", f"entry {entry.index}, {'sign-off' if entry.kind == 'signoff' else 'publication'}"])
    checkpoint = book.covering(entry)
    if checkpoint is not None:
        facts.append(["Checkpoint", f"{checkpoint.origin}, {checkpoint.size} entries"])
        facts.append(["Root", checkpoint.root.hex()])
    return facts


def _publication(figures: DayFigures, stands: Standing) -> Entry | None:
    entries = ledger(figures.lake.lake.path).entries(figures.day, "published")
    return next((entry for entry in entries if entry.snapshot == stands.snapshot), None)


def _property(figures: DayFigures) -> Mapping[str, Any]:
    """Return the property's details from the day's floor.toml."""
    sha256 = figures.floor_sha256
    return {} if sha256 is None else floor.read(folders.raw(figures.lake.lake.path, sha256)).property


def _zone(figures: DayFigures) -> ZoneInfo:
    return ZoneInfo(_property(figures).get("timezone", "UTC"))


def _short(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
