"""One table's gaming day through the steps: from its files to the rows of all datasets."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from pipelines.align import backdated
from pipelines.align.align import Alignment
from pipelines.align.devices import skew_findings
from pipelines.day.job import Job
from pipelines.day.source_rows import clock_rows, file_rows, quarantine_rows
from pipelines.ingest import step as ingest
from pipelines.ingest.step import TableFiles, TableLines
from pipelines.judge import arrow as A
from pipelines.judge import events, ledger, silences
from pipelines.judge import step as judge
from pipelines.judge.findings import findings, silent
from pipelines.judge.step import DayToJudge, JudgedTable
from pipelines.judge.story_rows import ambiguous_findings, story_rows
from pipelines.publish.tally import Frame
from pipelines.reconcile import step as reconcile
from pipelines.reconcile.step import CameraVerdicts
from pipelines.stories import step as infer
from pipelines.stories.step import InferredDay, TableEvidence
from pipelines.watch.findings import film_findings
from replay.carry import NOTHING, Carry
from replay.columns import SHOE, SOURCES, TERMINAL
from replay.finding import Finding
from replay.floor import Table


@dataclass(frozen=True)
class TableRows:
    """A table's rows by dataset, and what its day changed for the next."""

    table_id: str
    rows: dict[str, Frame] = field(default_factory=dict)
    carry: Carry = NOTHING
    heard: bool = True


def audit_table(job: Job) -> TableRows:
    """Take a table's day through the steps; of a table that floor.toml does not know, no line is good."""
    table = job.table()
    known = {entry.id for entry in job.floor.tables} if table is not None else set()
    found = ingest.run(TableFiles(job.lake, job.table_id, job.records, known))
    rows: dict[str, Frame] = {"files": file_rows(job, found), "quarantine": quarantine_rows(job, found)}
    if table is None:
        return TableRows(job.table_id, rows)
    if not len(found.gathered.lines):
        about_films = film_findings(found.films, {})
        return TableRows(job.table_id, {**rows, "findings": silent(job.day, table, about_films)}, heard=False)
    inferred = infer.run(TableEvidence(job.floor, table, found.gathered.lines, job.before))
    judged = judge.run(DayToJudge(job.day, inferred))
    seen = reconcile.run(judged)
    rows |= {"clocks": clock_rows(job, inferred.aligned), "stories": story_rows(judged.day, inferred.told)}
    rows |= _verdict_rows(job, found, inferred, judged, seen)
    return TableRows(job.table_id, rows, inferred.judged.carry)


def _verdict_rows(
    job: Job, found: TableLines, inferred: InferredDay, judged: JudgedTable, seen: CameraVerdicts
) -> dict[str, Frame]:
    """Make the rows of events and sightings, and of the verdicts about them."""
    day, round_of, placed, shown = judged.day, judged.round_of, judged.cards, inferred.shown
    evidence = shown.evidence(day.encoded.rounds, set(np.unique(round_of[day.sightings]).tolist()))
    findings_ = _findings(found, inferred, judged, seen, evidence)
    texts: dict[str, Sequence[str | None]] = {
        "evidence": evidence,
        "cards_from": shown.cards_from(day.encoded.rounds),
        "doubt": shown.doubts(day.encoded.rounds),
    }
    columns = {**ledger.card_columns(day, placed), "seen_card": seen.card, "seen_zone": seen.zone}
    return {
        "events": events.events(day, round_of, found.paths, found.hashes),
        "sightings": events.sightings(day, round_of, found.paths, found.hashes),
        "rounds": ledger.rounds(
            day, placed, job.floor, _counted(findings_, day.round_ids), texts, _stamps(job, day.judged.table)
        ),
        "hands": ledger.hands(day, placed),
        "cards": A.table(job.day, job.table_id, len(placed.row), **columns),
        "settlements": ledger.settlements(day),
        "findings": findings_,
        "shoes": ledger.shoes(day),
    }


def _stamps(job: Job, table: Table) -> dict[str, str]:
    """Name what a day was judged by."""
    return {
        "rulebook": table.book.id,
        "rulebook_version": table.book.version,
        "floor_sha256": job.floor_path.name,
        "engine_version": job.engine_version,
    }


def _counted(findings_: pl.DataFrame, round_ids: Sequence[str]) -> list[int]:
    """Count the findings of each round."""
    per_round = findings_.group_by("round_id").len()
    counted = dict(zip(per_round["round_id"], per_round["len"], strict=True))
    return [counted.get(name, 0) for name in round_ids]


def _findings(
    found: TableLines, inferred: InferredDay, judged: JudgedTable, seen: CameraVerdicts, evidence: Sequence[str]
) -> pl.DataFrame:
    """Make the rows of all findings: the engine's, and those of every other step."""
    day, lines, late = judged.day, found.gathered.lines, inferred.backdated
    others = [*_source_findings(found, inferred.aligned), *seen.findings, *ambiguous_findings(day, inferred.told)]
    others += [*backdated.findings(lines, late, found.paths), *silences.findings(day)]
    return findings(day, others, evidence, found.paths, backdated.late_settlements(lines, late))


def _source_findings(found: TableLines, aligned: Alignment) -> list[Finding]:
    """Report what is irregular about the sources themselves."""
    columns, words = found.gathered.lines.columns, found.gathered.lines.words
    findings_ = list(found.gathered.findings)
    for source in (TERMINAL, SHOE):
        if not (columns.source == source).any():
            name = SOURCES[source]
            findings_.append(Finding(code="evidence.source-missing", device=name, said={"source": name}))
    for clock, finding in skew_findings(aligned.clocks):
        device = words.index(clock.device) if clock.device else 0
        first = columns.file[(columns.source == SOURCES.index(clock.source)) & (columns.stream == device)].min()
        findings_.append(replace(finding, path=found.paths[first]))
    return [*findings_, *film_findings(found.films, _offsets(found, aligned))]


def _offsets(found: TableLines, aligned: Alignment) -> dict[str, int]:
    """List by path of a film with sightings the offset of its clock, in ms, at the first of them."""
    if not found.films:
        return {}
    columns = found.gathered.lines.columns
    offset = columns.number("ts") - aligned.corrected
    paths, films = found.paths, {film.path for film, _ in found.films}
    files, rows = np.unique(columns.file, return_index=True)
    first = zip(files.tolist(), rows.tolist(), strict=True)
    return {paths[file]: int(offset[row]) for file, row in first if paths[file] in films}
