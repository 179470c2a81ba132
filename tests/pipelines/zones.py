"""Small simulated landing zones to run the pipeline on."""

from datetime import date
from pathlib import Path
from typing import Any

from pipelines.commands import simulate

USUAL = simulate.NatureOptions()


def made(
    out: Path,
    *,
    tables: int = 5,
    rounds: int = 30,
    days: int = 1,
    seed: int = 1,
    rulebook: str = "all",
    irregularities: float = 0.0,
    plant: tuple[str, ...] = (),
    nature: simulate.NatureOptions = USUAL,
    **form: Any,
) -> Path:
    """A landing zone of a simulated floor at ``out``; ``form`` as in ``audit21 simulate``."""
    files = simulate.FormOptions(
        form.get("parts", 1),
        form.get("compress", "none"),
        form.get("disorder", ()),
        form.get("camera", False),
        form.get("filming"),
    )
    when = simulate.DayOptions(date(2026, 1, 5), days, rounds)
    simulate.run(
        simulate.SimulateRequest(out, rulebook, tables, None, seed, when, irregularities, plant, files, True, nature)
    )
    return out
