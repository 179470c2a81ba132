"""Command line: python -m tests.adversary OUT [options]."""

import argparse
import random
import shutil
import sys
import time
from datetime import date, timedelta
from pathlib import Path

import polars as pl

from tests.adversary.books import floor_toml, make_table
from tests.adversary.clocks import MODES
from tests.adversary.day import Rates, TableDay
from tests.adversary.landing import write_day
from tests.adversary.misdeals import IRREGULAR, MISDEALS


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    p = argparse.ArgumentParser(prog="python -m tests.adversary", description=__doc__)
    p.add_argument("out", type=Path, help="folder for the landing zone; truth goes to OUT/truth")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--tables", type=int, default=5, help="rulebooks go round in turn (default 5)")
    p.add_argument("--days", type=int, default=1)
    p.add_argument("--rounds", type=int, default=300, help="rounds per table and day, at most (default 300)")
    p.add_argument("--first-day", type=date.fromisoformat, default=date(2026, 1, 12))
    p.add_argument("--clocks", choices=MODES, default="none")
    p.add_argument("--late-keying", action="store_true", help="some dealers key the final settlement after round_end")
    p.add_argument(
        "--outage",
        action="append",
        default=[],
        metavar="[SOURCE:]MINUTES:N",
        help="lose the lines of shoe (default) or terminal",
    )
    p.add_argument("--outage-off", action="store_true", help="the device was off: seq does not jump")
    p.add_argument("--misdeals", type=float, default=0.0, metavar="RATE")
    p.add_argument("--irregular", type=float, default=0.0, metavar="RATE")
    p.add_argument("--only", action="append", default=[], choices=(*MISDEALS, *IRREGULAR), metavar="CLASS")
    p.add_argument("--camera", action="store_true")
    p.add_argument("--overwrite", action="store_true", help="remove what an earlier run left in OUT")
    return p.parse_args(argv)


def outage_spec(text: str) -> tuple[str, float, int]:
    """Return (source, minutes, count) of an --outage option."""
    parts = text.split(":")
    if len(parts) == 2:
        parts = ["shoe", *parts]
    return parts[0], float(parts[1]), int(parts[2])


def prepare(out: Path, overwrite: bool) -> None:
    """Create OUT; refuse to mix two runs in one folder."""
    if out.exists() and any(out.iterdir()):
        if not overwrite:
            sys.exit(f"{out}: expected a new or empty folder; choose another one or add --overwrite")
        for old in [out / "floor.toml", out / "truth", *out.glob("????-??-??")]:
            shutil.rmtree(old) if old.is_dir() else old.unlink(missing_ok=True)
    (out / "truth").mkdir(parents=True, exist_ok=True)


def run(args: argparse.Namespace) -> int:
    """Write the landing zone and the truth; return the number of rounds."""
    tables = [make_table(i, args.seed) for i in range(args.tables)]
    prepare(args.out, args.overwrite)
    (args.out / "floor.toml").write_text(floor_toml(tables))
    rates = Rates(args.misdeals, args.irregular, tuple(args.only))
    specs = [outage_spec(o) for o in args.outage]
    frames: dict[str, list[pl.DataFrame]] = {}
    for d in range(args.days):
        day = (args.first_day + timedelta(days=d)).isoformat()
        for table in tables:
            played = TableDay(
                table, day, args.seed, rates, args.late_keying, args.camera, args.clocks in ("restart", "hostile")
            )
            played.play(args.rounds)
            rng = random.Random(f"{args.seed}/{table.id}/{day}/clocks")
            truth = write_day(
                args.out,
                table.id,
                day,
                played.tape,
                played.rounds,
                played.breaks,
                args.clocks,
                specs,
                args.outage_off,
                rng,
            )
            for name, frame in truth.frames.items():
                frames.setdefault(name, []).append(frame)
    for name, parts in frames.items():
        pl.concat(parts).write_parquet(args.out / "truth" / f"{name}.parquet")
    return sum(f.height for f in frames["rounds"])


def main() -> None:
    """Run the command."""
    args = parse()
    start = time.perf_counter()
    count = run(args)
    seconds = time.perf_counter() - start
    print(f"{count} rounds in {seconds:.1f} s ({count / seconds:.0f} per second) at {args.out}")


if __name__ == "__main__":
    main()
