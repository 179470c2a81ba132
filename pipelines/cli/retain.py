"""``audit21 retain``."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli.shared import echo, fail

if TYPE_CHECKING:
    from warehouse.retention.plan import RetentionPlan


def retain(
    landing: Annotated[Path, typer.Argument(metavar="LANDING", help="The landing zone.")],
    lake: Annotated[Path, typer.Option(metavar="LAKE", help="Its lake.")],
    policy: Annotated[Path, typer.Option(metavar="TOML", help="The retention policy.")],
    by: Annotated[str, typer.Option(metavar="NAME", help="Who orders it; recorded in the evidence log.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be removed.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove evidence that is older than a policy keeps it, and nothing that is held.

    It never runs by itself, shows what it would remove, and asks. What is
    removed is written into the evidence log first: audit21 verify then says
    when and under which policy it went. Verdicts stay.
    """
    from warehouse.retention import plan as plans
    from warehouse.retention.policy import Policy
    from warehouse.retention.remove import Failed, remove

    try:
        wanted = plans.plan(landing, lake, Policy.read(policy), datetime.now(UTC).date())
    except Failed as error:
        fail(str(error))
    for line in _told(wanted):
        echo(line)
    if dry_run or not wanted.remove:
        return
    if not by.strip():
        fail("--by: expected who orders the removal; it is recorded in the evidence log")
    if not yes:
        typer.confirm(f"Remove {len(wanted.remove):,} files for good?", abort=True)
    try:
        gone = remove(wanted, landing, lake, by, datetime.now(UTC))
    except Failed as error:
        fail(str(error))
    typer.echo(f"{len(gone):,} files removed, as recorded in the evidence log")


def _told(wanted: "RetentionPlan") -> list[str]:
    """Show what a plan would remove, by gaming day and kind, and what a hold keeps."""
    lines = []
    for verb, items in (("remove", wanted.remove), ("held", wanted.held)):
        groups: dict[tuple[str, str], list[int]] = {}
        for item in items:
            groups.setdefault((item.gaming_day, item.kind), []).append(item.bytes)
        lines += [
            f"{verb:6}  {day}  {kind:7}  {len(sizes):5,} files  {sum(sizes) / 1e6:10,.1f} MB"
            for (day, kind), sizes in sorted(groups.items())
        ]
    return lines or [f"nothing is older than policy {wanted.policy.name} keeps it"]
