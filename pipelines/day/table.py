"""One table's gaming day from its files to the rows of all datasets."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from pipelines.align import backdated
from pipelines.align.align import Alignment
from pipelines.align.devices import UNSURE, skew_findings
from pipelines.custody.floors import parsed
from pipelines.custody.landing import LINE_SOURCES
from pipelines.custody.store import Record, mapped
from pipelines.ingest.footage import read_films, with_frames
from pipelines.ingest.read import FileLines, read_file
from pipelines.ingest.table_day import Landed, TableDay, gather
from pipelines.judge import arrow as A
from pipelines.judge import events, ledger, silences
from pipelines.judge.day import JudgedDay
from pipelines.judge.findings import findings, silent
from pipelines.judge.story_rows import ambiguous_findings, story_rows
from pipelines.publish.tally import Frame
from pipelines.reconcile.seen import see
from pipelines.stories.doubt import as_far_as_certain
from pipelines.stories.replayed import replay_day
from pipelines.stories.stories import tell
from pipelines.watch.films import FilmFile, films
from pipelines.watch.findings import film_findings
from pipelines.watch.watched import Watched, kept
from replay.audit import contexts, judge
from replay.carry import NOTHING, Carry
from replay.columns import I64, SHOE, SOURCES, TERMINAL
from replay.encode import encode
from replay.finding import Finding
from replay.floor import Floor, Table
from warehouse.schemas import DATASETS


@dataclass(frozen=True)
class Job:
    """What a table's day is judged from."""

    day: date
    table_id: str
    records: Sequence[Record]  # in the order of paths
    chains: Sequence[str]  # by record: the evidence log's root with the entry that brought it
    floor_path: Path  # of floor.toml, beside all other bytes in custody
    before: Carry
    engine_version: str

    @property
    def floor(self) -> Floor:
        return parsed(self.floor_path)

    @property
    def lake(self) -> Path:
        """The lake that has the bytes in custody."""
        return self.floor_path.parent.parent

    def raw(self, record: Record) -> Path:
        """Where a file's bytes are."""
        return self.floor_path.with_name(record.sha256)

    def table(self) -> Table | None:
        """The table as floor.toml has it in force, if it does."""
        entries = [entry for entry in self.floor.tables if entry.id == self.table_id and entry.since <= self.day]
        return max(entries, key=lambda entry: entry.since, default=None)


@dataclass(frozen=True)
class TableRows:
    """A table's rows by dataset, and what its day changed for the next."""

    table_id: str
    rows: dict[str, Frame] = field(default_factory=dict)
    carry: Carry = NOTHING
    heard: bool = True


class TableLines(NamedTuple):
    """A table's files of lines and its films, read one by one and put together."""

    records: list[Record]
    files: list[FileLines]
    gathered: TableDay
    films: list[tuple[FilmFile, Watched | None]]

    @property
    def paths(self) -> list[str]:
        return [record.path for record in self.records]

    @property
    def watched(self) -> list[tuple[FilmFile, Watched]]:
        """Films of which the lake keeps what they show."""
        return [(film, shown) for film, shown in self.films if shown is not None]


def read_table(job: Job) -> TableLines:
    """The lines of a table's day; of a table that floor.toml does not know, none is good."""
    known = {entry.id for entry in job.floor.tables} if job.table() is not None else set()
    shown = [(film, kept(job.lake, film)) for film in films(job.records)]
    seen = read_films([(film, watched) for film, watched in shown if watched], job.table_id, known)
    read = [(film.footage, lines) for film, lines in seen]
    for record in job.records:
        if record.source in LINE_SOURCES:
            lines = read_file(mapped(job.raw(record)), record.name, record.source, job.table_id, known)
            read.append((record, lines))
    read.sort(key=lambda each: each[0].path)
    gathered = gather([Landed(record.path, record.sha256, lines) for record, lines in read])
    return TableLines([record for record, _ in read], [lines for _, lines in read], gathered, shown)


def audit_table(job: Job) -> TableRows:
    """Everything that can be said of a table's day."""
    table = job.table()
    found = read_table(job)
    rows: dict[str, Frame] = {"files": _files(job, found), "quarantine": _quarantine(job, found)}
    if table is None:
        return TableRows(job.table_id, rows)
    if not len(found.gathered.lines):
        about_films = film_findings(found.films, {})
        return TableRows(job.table_id, {**rows, "findings": silent(job.day, table, about_films)}, heard=False)
    carry = _judge(job, table, found, rows)
    return TableRows(job.table_id, rows, carry)


def _judge(job: Job, table: Table, found: TableLines, rows: dict[str, Frame]) -> Carry:
    """Align, replay and reconcile; adds to the rows."""
    gathered, paths, hashes = found.gathered, found.paths, [record.sha256 for record in found.records]
    aligned, late, shown, judged, court = replay_day(job.floor, table, gathered.lines, job.before)
    cards_from = shown.cards_from(judged.encoded.rounds)
    told = tell(court, aligned.stepped, job.floor.audit)
    ordered = told.applied(shown.ordered)
    if ordered is not None:
        judged = judge(job.floor, table, encode(*ordered), job.before, contexts(cards_from))
    judged = as_far_as_certain(judged, told.rounds, shown.lost)
    day = JudgedDay(job.day, ordered or shown.ordered, judged)
    round_of = _rounds_of_lines(day, aligned, late)
    placed = ledger.place(day)
    seen = see(day, placed, round_of)
    evidence = shown.evidence(day.encoded.rounds, set(np.unique(round_of[day.sightings]).tolist()))
    others = [*_source_findings(found, aligned), *seen.findings, *ambiguous_findings(day, told)]
    others += [*backdated.findings(gathered.lines, late, paths), *silences.findings(day)]
    findings_ = findings(day, others, evidence, paths, backdated.late_settlements(gathered.lines, late))
    per_round = findings_.group_by("round_id").len()
    counted = dict(zip(per_round["round_id"], per_round["len"], strict=True))
    stamps = {
        "rulebook": table.book.id,
        "rulebook_version": table.book.version,
        "floor_sha256": job.floor_path.name,
        "engine_version": job.engine_version,
    }
    rows["events"] = events.events(day, round_of, paths, hashes)
    rows["sightings"] = with_frames(events.sightings(day, round_of, paths, hashes), found.watched)
    rows["rounds"] = ledger.rounds(
        day,
        placed,
        job.floor,
        [counted.get(name, 0) for name in day.round_ids],
        {"evidence": evidence, "cards_from": cards_from, "doubt": shown.doubts(judged.encoded.rounds)},
        stamps,
    )
    rows["hands"] = ledger.hands(day, placed)
    columns = {**ledger.card_columns(day, placed), "seen_card": seen.card, "seen_zone": seen.zone}
    rows["cards"] = A.table(job.day, table.id, len(placed.row), **columns)
    rows["settlements"] = ledger.settlements(day)
    rows["findings"] = findings_
    rows["shoes"] = ledger.shoes(day)
    rows["clocks"] = _clocks(job, aligned)
    rows["stories"] = story_rows(day, told)
    return judged.carry


def _rounds_of_lines(day: JudgedDay, aligned: Alignment, late: backdated.Backdated) -> I64:
    """By line: the round it lies in; what a camera saw by time, and what does not count by what it says."""
    round_of = day.round_of.copy()
    number = {name: n for n, name in enumerate(day.encoded.rounds)}
    if len(day.sightings):
        names = np.array([number.get(name, -1) for name in aligned.rounds] + [-1], np.int64)
        round_of[day.sightings] = names[aligned.round[day.sightings]]
    rounds = day.lines.columns.text("round")
    for row in late.rows[~late.counts].tolist():
        round_of[row] = number.get(day.lines.words[rounds[row]], -1)
    return round_of


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
    paths, films_ = found.paths, {film.path for film, _ in found.films}
    files, rows = np.unique(columns.file, return_index=True)
    first = zip(files.tolist(), rows.tolist(), strict=True)
    return {paths[file]: int(offset[row]) for file, row in first if paths[file] in films_}


def _files(job: Job, found: TableLines) -> pl.DataFrame:
    counts = {count.path: count for count in found.gathered.files}
    seen = {film.path: len(watched.seen) for film, watched in found.watched}
    rows = []
    for record, chain in zip(job.records, job.chains, strict=True):
        count = counts.get(record.path) if record.source in LINE_SOURCES else None
        rows.append(
            {
                "gaming_day": job.day,
                "table": job.table_id,
                "path": record.path,
                "source": record.source,
                "sha256": record.sha256,
                "bytes": record.bytes,
                "lines": count and count.lines,
                "accepted": count and count.accepted,
                "repeated": count and count.repeated,
                "quarantined": count and count.quarantined,
                "seen": seen.get(record.path),
                "line_root": record.line_root,
                "log_index": record.log_index,
                "chain": chain,
            }
        )
    return pl.DataFrame(rows, schema=DATASETS["files"].types, orient="row")


def _quarantine(job: Job, found: TableLines) -> pl.DataFrame:
    rows = [
        (job.day, job.table_id, record.path, bad.line, bad.reason, bad.raw, record.sha256)
        for record, lines in zip(found.records, found.files, strict=True)
        for bad in lines.quarantined
    ]
    return pl.DataFrame(rows, schema=DATASETS["quarantine"].types, orient="row")


def _clocks(job: Job, aligned: Alignment) -> pl.DataFrame:
    rows = [
        {
            "gaming_day": job.day,
            "table": job.table_id,
            "source": clock.source,
            "device": clock.device,
            "piece": number,
            "from_seq": row.since_seq,
            "until_seq": row.until_seq,
            "from": row.since_ms,
            "until": row.until_ms,
            "offset_ms": row.offset_ms,
            "drift_ppm": row.drift_ppm,
            "uncertainty_ms": row.uncertainty_ms,
            "kept": row.kept,
            "broken": row.broken,
            "sure": clock.sure,
            "note": None if clock.sure else UNSURE,
        }
        for clock in aligned.clocks
        for number, row in enumerate(clock.rows, 1)
    ]
    types = DATASETS["clocks"].types
    moments = {name: pl.Int64() for name in ("from", "until")}
    return pl.DataFrame(rows, schema={**types, **moments}, orient="row").cast({name: types[name] for name in moments})
