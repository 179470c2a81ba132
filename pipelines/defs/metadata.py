"""Metadata of assets: counts, money, tables of findings, places."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import dagster as dg

from pipelines.custody.store import Taken
from pipelines.publish.publication import Cataloged
from pipelines.publish.tally import Audited, Money, PublishedDay
from pipelines.watch.watching import Watching
from warehouse.lake import LakePart

Metadata = dict[str, Any]
MOST_NAMED: Final = 20


def of_taken(taken: Taken, landing: Path) -> Metadata:
    """List what came into custody."""
    return {
        "files": taken.files,
        "new files": len(taken.new),
        "bytes": taken.bytes,
        "landing zone": dg.MetadataValue.path(str(landing)),
        "log entry": taken.log_index,
        "log root": taken.root,
        **_if_any("unreadable", taken.unreadable),
        **_if_any("ignored", taken.ignored),
    }


def of_watched(watched: Watching, path: Path) -> Metadata:
    """Count the films' sightings, and how fast new films were watched."""
    return {
        "films": watched.films,
        "newly watched": watched.watched,
        "frames": watched.frames,
        "cards": watched.cards,
        "abstained": watched.abstained,
        "seconds": round(watched.seconds, 2),
        "frames per second": round(watched.frames_per_second, 1),
        "path": dg.MetadataValue.path(str(path)),
        **_if_any("not watched to the end", watched.problems),
        **_if_any("to be tried again", watched.failed),
    }


def of_audited(audited: Audited) -> Metadata:
    """List the day's lines, rounds, money and findings."""
    return {**of_lines(audited), **of_rounds(audited), **of_findings(audited)}


def of_parts(parts: Mapping[str, Sequence[LakePart]]) -> Metadata:
    """List the datasets with their rows."""
    rows = [(name, sum(part.rows for part in parts[name])) for name in sorted(parts)]
    return {
        "datasets": dg.MetadataValue.md(table(("dataset", "rows"), rows)),
        "bytes": sum(part.bytes for each in parts.values() for part in each),
    }


def of_lines(audited: Audited) -> Metadata:
    """Count the lines of the day's files."""
    return {
        "lines": audited.lines,
        "accepted": audited.accepted,
        "repeated": audited.repeated,
        "quarantined": audited.quarantined,
    }


def of_rounds(audited: Audited) -> Metadata:
    """The day's rounds, what they rest on and what they turned over."""
    return {
        "tables": audited.tables,
        "rounds": audited.rounds,
        "undetermined": audited.undetermined,
        "in doubt": audited.in_doubt,
        **of_money(audited),
        **of_evidence(audited),
    }


def of_evidence(audited: Audited) -> Metadata:
    """Rounds by the sources behind them."""
    return {"evidence": dg.MetadataValue.md(table(("evidence", "rounds"), audited.evidence.most_common()))}


def of_findings(audited: Audited) -> Metadata:
    """The day's findings by severity, and the most frequent codes."""
    top = audited.codes.most_common(MOST_NAMED)
    return {
        "findings": sum(audited.findings.values()),
        **{f"findings, {severity}": count for severity, count in sorted(audited.findings.items())},
        "top findings": dg.MetadataValue.md(table(("code", "findings"), top) if top else "None."),
    }


def of_money(audited: Audited) -> Metadata:
    """The day's money, a line for each currency."""
    return {f"money, {currency}": money_text(currency, sums) for currency, sums in sorted(audited.money.items())}


def money_text(currency: str, sums: Money) -> str:
    """Money as it is said: ``USD 12,345.00 handle, 120.00 over, 35.00 under, 410.00 win``."""
    amounts = (("handle", sums.handle), ("over", sums.over), ("under", -sums.under), ("win", sums.win))
    return f"{currency} " + ", ".join(f"{_amount(cents)} {name}" for name, cents in amounts)


def _amount(cents: int) -> str:
    whole, part = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole:,}.{part:02d}"


def of_published(published: PublishedDay, lake: Path) -> Metadata:
    """The snapshot, and where its checkpoint lies."""
    followed = [f"{each.day} (snapshot {each.snapshot})" for each in published.followed]
    return {
        "snapshot": published.snapshot,
        "reason": published.reason,
        "restates a signed-off day": published.restates,
        "lake": dg.MetadataValue.path(str(lake)),
        "checkpoint": dg.MetadataValue.path(str(published.checkpoint)),
        "stills": published.stills,
        **_if_any("later days that followed", followed),
    }


def of_catalog(made: Cataloged) -> Metadata:
    """The catalog, and how to open it."""
    return {
        "catalog": dg.MetadataValue.path(str(made.path)),
        "open it with": f"duckdb -readonly {made.path}",
        "snapshot": made.snapshot,
        "days": made.days,
    }


def table(titles: tuple[str, str], rows: Iterable[tuple[str, int]]) -> str:
    """A table in Markdown."""
    lines = [f"| {titles[0]} | {titles[1]} |", "|---|---:|", *(f"| `{name}` | {count:,} |" for name, count in rows)]
    return "\n".join(lines)


def _if_any(title: str, texts: Iterable[str]) -> Mapping[str, Any]:
    """A list in Markdown, where there is anything to list."""
    found = list(texts)
    more = [f"and {len(found) - MOST_NAMED:,} more"] if len(found) > MOST_NAMED else []
    listed = "\n".join(f"- {text}" for text in found[:MOST_NAMED] + more)
    return {title: dg.MetadataValue.md(listed)} if found else {}
