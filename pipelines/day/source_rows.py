"""Rows about a table's sources: its files, lines that were rejected, and the clocks of its devices."""

import polars as pl

from pipelines.align.align import Alignment
from pipelines.align.devices import UNSURE
from pipelines.custody.landing import LINE_SOURCES
from pipelines.day.job import Job
from pipelines.ingest.step import TableLines
from warehouse.schemas import DATASETS


def file_rows(job: Job, found: TableLines) -> pl.DataFrame:
    """List the files with what became of their lines."""
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


def quarantine_rows(job: Job, found: TableLines) -> pl.DataFrame:
    """List the lines that were rejected."""
    rows = [
        (job.day, job.table_id, record.path, bad.line, bad.reason, bad.raw, record.sha256)
        for record, lines in zip(found.records, found.files, strict=True)
        for bad in lines.quarantined
    ]
    return pl.DataFrame(rows, schema=DATASETS["quarantine"].types, orient="row")


def clock_rows(job: Job, aligned: Alignment) -> pl.DataFrame:
    """List the pieces of every device's clock."""
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
