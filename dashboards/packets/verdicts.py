"""Expected against actual settlements, and the findings: the rows as published, with the reasons."""

from typing import Any

from dashboards.packets.gather import Dossier, Row
from dashboards.packets.timeline import cited, reading
from replay import narrative
from replay.narrative import Explanation, FindingAccount
from replay.narrative.words import certainty_text
from replay.ops import KINDS
from replay.rulebook_file import Rulebook
from replay.wording import KIND_NAMES, place_text
from warehouse.findings import read_finding

Data = dict[str, Any]
_AMOUNTS = ("expected_paid_cents", "expected_taken_cents", "actual_paid_cents", "actual_taken_cents", "variance_cents")


def settlements(dossier: Dossier) -> list[Data]:
    """Every wager, or payment without one."""
    told = {(e.seat, e.bettor, e.hand, e.kind): e for e in dossier.account.explanations}
    rows = sorted(dossier.settlements, key=_order)
    return [_settlement(row, told.get((row["seat"], row["bettor"], row["hand"], row["kind"]))) for row in rows]


def _order(row: Row) -> tuple[int, int, int, int]:
    return row["seat"], row["bettor"], row["hand"], KINDS.index(row["kind"])


def _settlement(row: Row, told: Explanation | None) -> Data:
    kept = ("seat", "bettor", "for_bettor", "patron", "kind", "hand", "currency", "stake_cents", *_AMOUNTS, "verdict")
    found: Data = {name: row[name] for name in kept}
    found |= {"place": place_text(row["seat"], row["hand"], row["bettor"]), "kind_name": KIND_NAMES[row["kind"]]}
    if told is None:
        nothing = dict.fromkeys(("decided", "clause", "because", "arithmetic", "note", "player_worth"))
        empty: Data = {"readings": [], "player_cards": []}
        return found | nothing | empty | {"is_same_again": False, "verdict_words": row["verdict"]}
    found |= {
        "patron": told.patron,
        "decided": told.decided,
        "clause": cited(told.clause),
        "because": cited(told.because),
        "readings": [reading(each) for each in told.readings],
        "arithmetic": told.arithmetic,
        "note": told.note or None,
        "verdict_words": told.verdict_words,
        "player_cards": list(told.player.cards) if told.player else [],
        "player_worth": told.player.worth if told.player else None,
        "is_same_again": all(row[name] == getattr(told, name) for name in (*_AMOUNTS, "verdict")),
    }
    return found


def findings(dossier: Dossier) -> list[Data]:
    """Every irregularity of the round, as published."""
    book = dossier.retold.audit.table.book
    told = {account.id: account for account in dossier.account.findings}
    return [_finding(row, told.get(row["finding_id"]), book) for row in dossier.findings]


def around(dossier: Dossier) -> list[Data]:
    """Irregularities of the round's files, shoe and table that belong to no round."""
    return [_finding(row, None, dossier.retold.audit.table.book) for row in dossier.around]


def _finding(row: Row, told: FindingAccount | None, book: Rulebook) -> Data:
    finding = read_finding(row)
    kept = ("code", "severity", "seat", "bettor", "kind", "hand", "variance_cents", "handling", "certainty")
    found: Data = {name: getattr(finding, name) for name in kept}
    number = finding.clause.number if finding.clause else ""
    found |= {
        "finding_id": finding.id,
        "currency": row["currency"],
        "message": row["message"],  # as it was published
        "certainty_words": certainty_text(finding.certainty),
        "evidence": row["evidence"],
        "at": row["at"],
        "path": row["path"] or row["event_path"],
        "line": row["event_line"],
        "step": told.step if told else None,
        "clause": cited(told.clause) if told and told.clause else cited(narrative.cited(book, number)),
        "prescribed": list(told.prescribed) if told else [],
        "ruled": list(told.ruled) if told else [],
        "handling_words": told.handling_words if told else None,
        "readings": [reading(each) for each in told.readings] if told else [],
    }
    return found
