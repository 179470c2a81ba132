"""One landing zone of the campaign: made, audited, and compared with the truth as rows that can be added up."""

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

from tests.bench.campaign_match import Finding, Story, Supposed, compare, is_aside, is_true, is_true_story
from tests.bench.campaign_truth import CLEAN, Happened, Truth, read
from tests.bench.campaign_zones import AuditedTable, ZoneOrder, audit, jobs, write_zone

_FLAGS: Final = ("accused", "ambiguous", "named", "alone", "listed", "called_clean", "against_others", "against_box")
_COUNTS: Final = ("settlements", "undetermined", "cards", "wrong_cards")
_AS_USUAL: Final = " (as a clean round)"  # a misdeal after which every card lies where it does without one
_PER_CLASS: Final = 5  # examples of a failure that are kept of a zone
_ROUNDING_MS: Final = 1.0


class Compared(NamedTuple):
    """Rows of one zone, or of several put together."""

    rounds: pl.DataFrame  # sums by rulebook, kind and whether blind
    findings: pl.DataFrame  # zones, kind and place of the round, code, certainty, true
    stories: pl.DataFrame  # weight, true
    clocks: pl.DataFrame  # one row per piece of a shoe's clock
    examples: pl.DataFrame  # failure, command, table, round, detail
    seconds: pl.DataFrame

    @classmethod
    def together(cls, parts: list["Compared"]) -> "Compared":
        """Put the rows of several zones together."""
        return cls(*(pl.concat(frames, how="diagonal_relaxed") for frames in zip(*parts, strict=True)))


def compare_zone(order: ZoneOrder) -> Compared:
    """Make a landing zone, audit it and compare it with the truth."""
    with tempfile.TemporaryDirectory(prefix="audit21-campaign-") as name:
        folder = Path(name)
        write_zone(order, folder / "zone")
        truth = read(order.generator, folder / "zone")
        tables = [_Table(order, truth, audit(job)).compared() for job in jobs(folder / "zone", folder / "lake" / "raw")]
        return Compared.together(tables)


class _Table:
    """A table's audited day beside the truth."""

    def __init__(self, order: ZoneOrder, truth: Truth, audited: AuditedTable) -> None:
        self.order, self.truth, self.rows, self.seconds = order, truth, audited.rows, audited.seconds
        self.table = str(self.rows["rounds"]["table"][0])
        self.rulebook = str(self.rows["rounds"]["rulebook"][0])
        self.findings = [Finding(*row) for row in self.rows["findings"].select(Finding._fields).iter_rows()]
        self.stories = _stories(self.rows["stories"])
        self.kept: Counter[str] = Counter()
        self.examples: list[dict[str, Any]] = []

    def compared(self) -> Compared:
        """Compare everything."""
        return Compared(
            rounds=self._rounds(),
            findings=pl.DataFrame(self._findings(), schema=_FINDINGS, orient="row"),
            stories=pl.DataFrame(self._weights(), schema=_STORIES, orient="row"),
            clocks=self._clocks(),
            examples=pl.DataFrame(self.examples, schema=EXAMPLES),
            seconds=pl.DataFrame([{"rounds": len(self.rows["rounds"]), **self.seconds}]),
        )

    def _example(self, failure: str, where: str | None, detail: str) -> None:
        """Keep an example of a failure, with the stories of its round."""
        self.kept[failure] += 1
        if self.kept[failure] <= _PER_CLASS:
            told = [f"{s.rank}. {s.weight:.3f} {s.summary} [{', '.join(s.leaves)}]" for s in self.stories[where or ""]]
            row = {"failure": failure, "command": self.order.command(), "table": self.table, "where": where or ""}
            self.examples.append({**row, "detail": detail, "stories": told})

    def _rounds(self) -> pl.DataFrame:
        """Add up the rounds by kind."""
        own: dict[str, list[Finding]] = defaultdict(list)
        for finding in self.findings:
            own[finding.round_id or ""].append(finding)
        sums: dict[tuple[str, bool], Counter[str]] = defaultdict(Counter)
        counted = self._counted()
        for round_id, *counts in counted.iter_rows():
            happened = self.truth.round(round_id)
            verdict = compare(self.truth, happened, own[round_id], self.stories[round_id])
            as_usual = happened.misdeal and verdict.called_clean and not counts[3]
            total = sums[happened.kind + _AS_USUAL * bool(as_usual), happened.blind]
            total.update(dict(zip(_COUNTS, counts, strict=True)))
            total.update({name: int(getattr(verdict, name)) for name in _FLAGS})
            total.update(rounds=1, open=int(counts[1] > 0), misplaced=int(counts[3] > 0))
            self._round_examples(round_id, happened, verdict.listed, counts)
        keys = {"generator": self.order.generator, "zones": self.order.kind, "rulebook": self.rulebook}
        rows = [{**keys, "kind": kind, "blind": blind, **total} for (kind, blind), total in sums.items()]
        return pl.DataFrame(rows)

    def _round_examples(self, round_id: str, happened: Happened, listed: bool, counts: list[int]) -> None:
        if happened.blind:
            return
        if happened.misdeal is not None and not listed:
            boxes = ", ".join(f"box {seat}" for seat in sorted(happened.misdeal.seats)) or "no box"
            self._example(f"misdeal not listed: {happened.kind}", round_id, f"truth: {boxes}")
        if happened.kind == CLEAN and counts[1]:
            self._example("clean round undetermined", round_id, f"{counts[1]} of {counts[0]} settlements")
        if happened.kind == CLEAN and counts[3]:
            self._example("clean round with cards in wrong places", round_id, f"{counts[3]} of {counts[2]} cards")

    def _counted(self) -> pl.DataFrame:
        """Count by round: settlements, undetermined ones, cards, and cards in another place than in the truth."""
        is_open = (pl.col("verdict") == "undetermined").sum().alias("undetermined")
        settled = self.rows["settlements"].group_by("round_id").agg(pl.len().alias("settlements"), is_open)
        true = self.truth.cards.filter(pl.col("table") == self.table).drop("table", "true_ms")
        found = self.rows["cards"].filter(pl.col("n").is_not_null()).select("shoe", "n", "round_id", "zone", "position")
        both = true.join(found, on=["shoe", "n"], how="left", suffix="_found")
        same = [pl.col(name).eq_missing(pl.col(f"{name}_found")) for name in ("round_id", "zone", "position")]
        wrong = (~pl.all_horizontal(same)).sum().alias("wrong_cards")
        cards = both.filter(pl.col("round_id").is_not_null()).group_by("round_id").agg(pl.len().alias("cards"), wrong)
        rounds = self.rows["rounds"].select("round_id")
        joined = rounds.join(settled, on="round_id", how="left").join(cards, on="round_id", how="left")
        return joined.select("round_id", *(pl.col(name).fill_null(0) for name in _COUNTS))

    def _findings(self) -> Iterator[tuple[Any, ...]]:
        """List findings that are not set aside, and whether each is true."""
        for finding in self.findings:
            if is_aside(self.truth, finding):
                continue
            true = is_true(self.truth, finding, self.stories[finding.round_id or ""])
            happened = self.truth.round(finding.round_id or "")
            place = "blind round" if happened.blind else "round" if finding.round_id else "no round"
            yield self.order.kind, happened.kind, place, finding.code, finding.certainty, true
            if not true:
                kind = f"{happened.kind} round" if place == "round" else place
                where = finding.round_id or finding.shoe or finding.path
                self._example(f"false finding, {kind}: {finding.code}", where, finding.message)

    def _weights(self) -> Iterator[tuple[Any, ...]]:
        """List the stories of rounds that are not blind, and whether each is what happened."""
        for round_id, stories in self.stories.items():
            happened = self.truth.round(round_id)
            for story in stories if not happened.blind else ():
                yield happened.kind, story.rank, story.weight, is_true_story(happened, story)

    def _clocks(self) -> pl.DataFrame:
        """Compare the pieces of the shoe's clock with the true offset to the terminal at each of their draws."""
        events = self.rows["events"].filter(pl.col("place").is_not_null()).sort("place")
        ahead = (pl.col("ts") - pl.col("corrected")).dt.total_milliseconds()
        terminal = pl.when(pl.col("source") == "terminal").then(ahead).forward_fill()  # not 0 after a step back
        draws = events.with_columns(stated=ahead - terminal).filter(type="draw").select("shoe", "n", "seq", "stated")
        true = self.truth.cards.filter(pl.col("table") == self.table).select("shoe", "n", "true_ms")
        pieces = self.rows["clocks"].filter(source="shoe").select("piece", "from_seq", "uncertainty_ms")
        joined = draws.join(true, on=["shoe", "n"]).sort("seq")
        joined = joined.join_asof(pieces.sort("from_seq"), left_on="seq", right_on="from_seq")
        offset = self._true_offset(joined["true_ms"], "shoe") - self._true_offset(joined["true_ms"], "terminal")
        beyond = (pl.col("stated") - offset).abs() - pl.col("uncertainty_ms") - _ROUNDING_MS
        found = (
            joined.with_columns(beyond_ms=beyond)
            .group_by("piece")
            .agg(
                draws=pl.len(),
                inside=(pl.col("beyond_ms") <= 0).sum(),
                beyond_ms=pl.col("beyond_ms").median(),
                uncertainty_ms=pl.col("uncertainty_ms").first(),
            )
        )
        for piece, count, by in found.filter(pl.col("beyond_ms") > 0).select("piece", "draws", "beyond_ms").iter_rows():
            detail = f"beyond its uncertainty by {by:.0f} ms at the middle of its {count} draws"
            self._example("clock piece beyond its uncertainty", f"piece {piece}", detail)
        return found.with_columns(gap_ms=pl.lit(_usual_gap(events), pl.Float64), zones=pl.lit(self.order.kind))

    def _true_offset(self, true_ms: pl.Series, source: str) -> pl.Series:
        """Return how far a source's stamps are ahead of true times, its mean jitter included, in ms."""
        own = self.truth.clocks.filter(table=self.table, source=source).sort("from_ms")
        times = true_ms.to_frame("true_ms").with_row_index().sort("true_ms")
        joined = times.join_asof(own, left_on="true_ms", right_on="from_ms").sort("index")
        drifted = pl.col("offset_ms") + pl.col("drift_ppm") * (pl.col("true_ms") - pl.col("from_ms")) / 1e6
        return joined.select((drifted + pl.col("jitter_ms") / 2).alias("offset")).to_series()


def _stories(rows: pl.DataFrame) -> defaultdict[str, list[Story]]:
    """Return the stories by round."""
    found: defaultdict[str, list[Story]] = defaultdict(list)
    for row in rows.iter_rows(named=True):
        story = Story(
            rank=row["rank"],
            weight=row["weight"],
            told=tuple(map(_alternative, row["alternatives"])),
            leaves=tuple(text.partition(":")[0] for text in row["leaves"]),
            summary=row["summary"],
        )
        found[row["round_id"]].append(story)
    return found


def _alternative(text: str) -> Supposed:
    """Read what a story tells of: code, cards and boxes; nothing where all is as logged."""
    code, *about = text.split() or [""]
    numbers = {name: frozenset(map(int, of.split(","))) for name, _, of in (each.partition("=") for each in about)}
    boxes = numbers.get("box", frozenset())
    return Supposed(code or None, boxes, numbers.get("card", frozenset()), code == "deal.drawn-in-error" and not boxes)


def _usual_gap(events: pl.DataFrame) -> float | None:
    """Return the median time between neighbouring lines of terminal and shoe in a round, in ms; events are in order."""
    apart = pl.col("corrected").diff().dt.total_milliseconds().abs()
    turns = (pl.col("source") != pl.col("source").shift()) & (pl.col("round_id") == pl.col("round_id").shift())
    gap: float | None = events.select(apart.filter(turns).median()).item()
    return gap


_FINDINGS: Final = {
    "zones": pl.String,
    "kind": pl.String,
    "place": pl.String,
    "code": pl.String,
    "certainty": pl.Float64,
    "true": pl.Boolean,
}
_STORIES: Final = {"kind": pl.String, "rank": pl.Int64, "weight": pl.Float64, "true": pl.Boolean}
EXAMPLES: Final[dict[str, Any]] = {
    "failure": pl.String,
    "command": pl.String,
    "table": pl.String,
    "where": pl.String,
    "detail": pl.String,
    "stories": pl.List(pl.String),
}
