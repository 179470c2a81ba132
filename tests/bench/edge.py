"""The house edge of the benchmark profiles by play, next to the published figures."""

import time
from collections.abc import Iterator
from functools import partial

from rich.progress import Progress
from rich.table import Table

from replay.simulator.edge import house_edge
from replay.simulator.profiles import profiles

TOLERANCE = 0.02  # percentage points


def measure(rounds: int, seed: int) -> Table:
    """Every profile, with basic strategy and flat stakes, judged by the engine."""
    table = Table(title=f"house edge, at least {rounds:,} rounds each")
    for name in ("profile", "played", "± s.e.", "published", "apart", "within 0.02", "s.d.", "published", "rounds/s"):
        table.add_column(name, justify="left" if name == "profile" else "right")
    for row in _rows(rounds, seed):
        table.add_row(*row)
    return table


def _rows(rounds: int, seed: int) -> Iterator[tuple[str, ...]]:
    with Progress(transient=True) as bar:
        for name, profile in profiles().items():
            task = bar.add_task(name, total=rounds)
            start = time.perf_counter()
            found = house_edge(profile.rules, rounds, seed, progress=partial(bar.advance, task))
            seconds = time.perf_counter() - start
            apart = 100 * found.edge - profile.house_edge_percent
            yield (
                name,
                f"{100 * found.edge:.4f} %",
                f"{100 * found.error:.4f}",
                f"{profile.house_edge_percent:.2f} %",
                f"{apart:+.4f}",
                "yes" if abs(apart) <= TOLERANCE else "no",
                f"{found.deviation:.3f}",
                f"{profile.standard_deviation:.2f}",
                f"{found.rounds / seconds:,.0f}",
            )
