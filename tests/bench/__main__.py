"""``python -m tests.bench``: speed next to what others need, house edge, and a campaign of rounds with known truth."""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
from rich.console import Console
from rich.table import Table

from replay.bulk import judge_all
from tests.bench import campaign, dashboards, dispute, edge, lakes, landing, pipeline, users, watching, workload
from tests.bench.workload import Workload
from tests.generator import BOOKS

EXAMPLES = Path(__file__).parents[1] / "rules" / "examples"


def best(of: int, action: Callable[[], object]) -> float:
    """Seconds of the fastest of several runs."""
    seconds = []
    for _ in range(of):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def judge(work: Workload) -> tuple[int, int]:
    """All rounds to settlements and findings; says how many of each."""
    settlements = findings = 0
    for part in judge_all(work.tape, work.offsets, work.contexts, work.rules):
        settlements += len(part.settlements)
        findings += len(part.findings)
    return settlements, findings


def sums(cards: pl.DataFrame) -> pl.DataFrame:
    """One group-by over the same cards: the sum of every hand."""
    return cards.group_by("round", "seat", "hand").agg(pl.col("value").sum())


def grown_bytes(action: Callable[[], object]) -> int | None:
    """By how much the peak of memory rises above what is in use; None where the system does not tell."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        before = resident("VmRSS")
        action()
        return resident("VmHWM") - before
    except OSError:
        return None


def resident(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def cold_start() -> str:
    """Seconds of ``audit21 explain`` on an example, in a process of its own, with the compiled code cached."""
    command = Path(sys.executable).with_name("audit21")
    example = next(iter(sorted(EXAMPLES.glob("*"))), None)
    if example is None or not command.exists():
        return "skipped: no example or no audit21 command yet"
    run = [str(command), "explain", str(example)]
    first = subprocess.run(run, capture_output=True, text=True, check=False)
    if first.returncode:
        return f"skipped: {(first.stderr.strip().splitlines() or ['audit21 explain failed'])[-1][:60]}"
    return f"{best(3, lambda: subprocess.run(run, capture_output=True, check=True)):.2f} s"


def measure(book: str, rounds: int, distinct: int, runs: int, seed: int) -> Table:
    """One rulebook's table of results."""
    work = workload.make(book, distinct, rounds, seed)
    settlements, findings = judge(work)
    grown = grown_bytes(lambda: judge(work))
    cards = workload.hand_cards(work)
    engine = best(runs, lambda: judge(work))
    polars = best(runs, lambda: sums(cards))
    millions = work.rounds / 1e6
    table = Table(
        title=f"{book}: {work.rounds:,} rounds, {work.boxes / work.rounds:.1f} boxes each, {work.cards:,} cards"
    )
    table.add_column("what")
    table.add_column("result", justify="right")
    rows = {
        "engine, tape to settlements and findings": f"{engine:.3f} s",
        "Polars, one group-by over the hands' cards": f"{polars:.3f} s  ({pl.thread_pool_size()} threads)",
        "ratio (at most 3)": f"{engine / polars:.2f}",
        "rounds per second": f"{work.rounds / engine:,.0f}",
        "settlements, findings": f"{settlements:,}, {findings:,}",
        "tape, per million rounds": f"{work.bytes() / millions / 1e6:,.0f} MB",
        "peak memory above the tape": "not told" if grown is None else f"{grown / 1e6:,.0f} MB",
    }
    for what, result in rows.items():
        table.add_row(what, result)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--rulebook", choices=[*BOOKS, "all"], default="md-pontoon21")
    parser.add_argument("--rounds", type=int, default=500_000)
    parser.add_argument("--distinct", type=int, default=4_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--landing-rounds", type=int, default=1_000_000, help="rounds to write as landing files")
    parser.add_argument("--edge-rounds", type=int, default=100_000_000, help="rounds of each profile's house edge")
    parser.add_argument(
        "--pipeline-rounds", type=int, nargs="+", default=[1_000_000, 5_000_000], help="rounds to run into a lake"
    )
    parser.add_argument(
        "--lake-rounds", type=int, default=10_000_000, help="rounds of the lake that packets and pages are from"
    )
    parser.add_argument("--lake", type=Path, help="a lake for packets and pages, instead of a new one")
    parser.add_argument("--page-runs", type=int, default=20, help="how often every page is asked for")
    parser.add_argument("--users", type=int, default=200, help="people who open a page every 5 s")
    parser.add_argument("--user-seconds", type=float, default=30.0, help="seconds for which they do")
    parser.add_argument("--workers", type=int, help="worker processes of the server that they use")
    parser.add_argument(
        "--watch-minutes", type=float, default=60.0, help="minutes of film over which memory is watched"
    )
    parser.add_argument(
        "--campaign-rounds", type=int, default=1_000_000, help="clean rounds of the campaign; its other parts scale"
    )
    parser.add_argument("--campaign-parts", nargs="+", choices=campaign.PARTS, default=campaign.PARTS)
    parser.add_argument("--campaign-examples", type=int, default=5, help="examples of each failure that are printed")
    parts = ["engine", "landing", "pipeline", "dispute", "dashboards", "users", "edge", "watch", "campaign"]
    parser.add_argument("--only", choices=parts, help="one part of the benchmarks")
    given = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 120)
    if given.only in (None, "engine"):
        for book in BOOKS if given.rulebook == "all" else [given.rulebook]:
            console.print(measure(book, given.rounds, given.distinct, given.runs, given.seed))
        console.print(f"cold start of audit21 explain: {cold_start()}")
    if given.only in (None, "landing"):
        console.print(landing.measure(given.landing_rounds, given.seed))
    if given.only in (None, "pipeline"):
        console.print(pipeline.measure(given.pipeline_rounds, given.seed))
    if given.only in (None, "dispute", "dashboards", "users"):
        with lakes.lake(given.lake_rounds, given.seed, given.lake) as lake:
            if given.only in (None, "dispute"):
                console.print(dispute.measure(lake))
            if given.only in (None, "dashboards"):
                console.print(dashboards.measure(lake, given.page_runs))
            if given.only in (None, "users"):
                console.print(users.measure(lake, given.users, given.user_seconds, given.workers, given.seed))
    if given.only in (None, "edge"):
        console.print(edge.measure(given.edge_rounds, given.seed))
    if given.only in (None, "watch"):
        console.print(watching.measure(given.watch_minutes))
    if given.only in (None, "campaign"):
        wanted = (given.campaign_parts, given.campaign_examples)
        campaign.show(console, given.campaign_rounds, given.seed, *wanted)


if __name__ == "__main__":
    main()
