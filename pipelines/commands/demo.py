"""``audit21 demo``: a simulated floor with footage, audited from end to end."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.console import Console

from pipelines.commands import run as auditing
from pipelines.commands import simulate as simulating
from pipelines.commands import verify as verifying
from pipelines.commands.simulate import DayOptions, FormOptions
from replay.simulator.filming import Filming
from replay.simulator.simulate import FIRST_DAY

BadRequest = (*simulating.BadRequest, *auditing.BadRequest, *verifying.BadRequest)
Failed = auditing.Failed

_TABLES: Final = 5
_WHEN: Final = DayOptions(FIRST_DAY, days=2, rounds=150)
_RATE: Final = 0.03
_PLANTED: Final = ("evidence.card-disagreement:1",)  # on film: the table where it happens is filmed
_FORM: Final = FormOptions(1, "none", (), camera=False, filming=Filming(tables=1, rounds=3))


@dataclass(frozen=True)
class DemoResult:
    """The place of the demonstration, and the rounds with the largest errors."""

    landing: Path
    lake: Path
    rounds: list[str]


def make(folder: Path, out: Console) -> DemoResult:
    """Simulate and audit; what was done before is not done again."""
    landing, lake = folder / "zone", folder / "lake"
    if not (landing / "truth.parquet").exists():
        out.print("Simulated floor, with footage of its worst rounds", style="bold")
        wanted = simulating.SimulateRequest(landing, "all", _TABLES, None, 1, _WHEN, _RATE, _PLANTED, _FORM, force=True)
        simulating.show(wanted, simulating.run(wanted))
    out.print("\nAudit and video analysis", style="bold")
    result = auditing.run(auditing.RunRequest(landing, lake))
    auditing.show(result, lake, out)
    out.print("\nEvidence integrity", style="bold")
    verifying.show(verifying.verify(verifying.VerifyRequest(lake, landing=landing)), out)
    first = result.summary.look_first if result.summary else []
    return DemoResult(landing, lake, [row["round_id"] for row in first])


def show(made: DemoResult, port: int, out: Console) -> None:
    """Name the pages to review first."""
    out.print("\nReview first", style="bold")
    site = f"http://127.0.0.1:{port}"
    out.print(f"  {site}/triage  findings by severity")
    for round_id in made.rounds[:1]:
        out.print(f"  {site}/rounds/{round_id}  the costliest round, step by step")
    out.print(f"  {site}/audit  the gaming day, for sign-off")
    out.print(f"  audit21 dev {made.landing} --lake {made.lake}  the pipeline behind it", style="dim")
