"""Checks what a lake keeps beside evidence and tables: the catalog, the redaction key, the accounts' activity log."""

import sqlite3
from pathlib import Path
from typing import Any, cast

from sqlalchemy import create_engine, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool

from warehouse import catalog, redaction, signing
from warehouse.cases import activity
from warehouse.cases.models import ActivityRecord
from warehouse.evidence.entries import RedactionKey
from warehouse.evidence.log import EvidenceLog
from warehouse.evidence.report import Report


def check(lake: Path, log: EvidenceLog, report: Report) -> None:
    """Report what differs from what the evidence log says of it."""
    _check_catalog(lake, log, report)
    _check_redaction_key(lake, log, report)
    _check_activity(lake, log, report)


def _check_catalog(lake: Path, log: EvidenceLog, report: Report) -> None:
    found = log.last("catalog")
    is_there = (lake / catalog.NAME).exists()
    if catalog.is_recorded(lake, log) or (found is None and not is_there):
        return
    if report.in_progress:
        report.unfinished.append(f"{catalog.NAME}: being made")
    elif catalog.is_unfinished(lake, log):
        report.unfinished.append(f"{catalog.NAME}: left by a killed process; the next run makes it anew")
    else:
        expected = "the catalog that the evidence log names" if found else "none that the evidence log does not name"
        told = "other bytes" if is_there else "no such file"
        told = f"changes beside it, in {catalog.NAME}.wal" if catalog.changes_beside(lake) else told
        report.differ(catalog.NAME, expected, f"{told}; audit21 repair makes it anew")


def _check_redaction_key(lake: Path, log: EvidenceLog, report: Report) -> None:
    found = log.last("redaction")
    path = lake / redaction.NAME
    try:
        shown = redaction.fingerprint(bytes.fromhex(path.read_text(encoding="ascii").strip()))
    except FileNotFoundError:
        shown = "no such file"
    except ValueError:
        shown = "something that is no key"
    known = cast(RedactionKey, found[1])["fingerprint"] if found else None
    if known is None and path.exists():  # before its first use a key is written, then recorded
        report.unfinished.append(f"{redaction.NAME}: not recorded, so not used yet; the next packet makes another")
    elif known is not None and shown != known:
        report.differ(redaction.NAME, f"the key with the fingerprint {known}", shown)


def _check_activity(lake: Path, log: EvidenceLog, report: Report) -> None:
    """The activity log as far as the evidence log has its heads: no row that was there may be changed or gone."""
    heads: list[dict[str, Any]] = []
    for _, entry in log.entries():
        if head := cast(dict[str, Any], entry).get("activity"):
            heads.append(head)
    path = lake / signing.CASES
    if not heads:
        return
    if not path.is_file():
        report.differ(signing.CASES, f"the database with {heads[-1]['number']} rows of activity", "no such file")
        return
    try:
        address = f"{path.resolve().as_uri()}?mode=ro"
        engine = create_engine("sqlite://", creator=lambda: sqlite3.connect(address, uri=True), poolclass=NullPool)
        with Session(engine) as session:
            _check_rows(session, heads, report)
        engine.dispose()
    except (SQLAlchemyError, ValueError, TypeError) as error:
        report.differ(signing.CASES, "a database that can be read", f"{error!s:.200}")


def _check_rows(session: Session, heads: list[dict[str, Any]], report: Report) -> None:
    if (broken := activity.first_break(session)) is not None:
        report.differ(f"{signing.CASES}, activity {broken}", "a row as it was written", "another")
    for head in heads:
        found = session.scalar(select(ActivityRecord.hash).where(ActivityRecord.number == head["number"]))
        if found != head["hash"]:
            place = f"{signing.CASES}, activity {head['number']}"
            report.differ(place, f"the hash {head['hash']}, as the evidence log has it", found or "no such row")
            return
