"""``audit21 dispute``, ``hold``, ``holds`` and ``retain``: packets for regulators, and what must not be thrown away."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dashboards.packets.case import CaseFile
    from warehouse.retention.plan import Plan

commands = typer.Typer(add_completion=False)
_NUMBER = re.compile(r"[0-9]{1,9}")
_NOBODY = "audit21 dispute"  # who did it, where nobody is named
_TIMES = ["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d %H:%M:%S"]
Round = Annotated[str, typer.Argument(metavar="ROUND_ID", help="<table>/<gaming_day>/<round>.")]
TheLake = Annotated[Path, typer.Option(metavar="LAKE", help="The lake that the round is in.")]
TheCase = Annotated[
    str | None,
    typer.Option(
        metavar="N|TOML",
        help="The dispute's own data (complaint, statements, outcome): the number of a case in the database, or else a "
        "file; ./17 for one that is named like a number.",
    ),
]
TheDatabase = Annotated[
    str | None,
    typer.Option(
        metavar="PATH|URL",
        help="Database of case N: a SQLite file, or postgresql://...",
        show_default="LAKE/cases.db",
    ),
]


@commands.command()
def dispute(
    round_id: Round,
    lake: TheLake,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the PDF and the bundle.")],
    as_of: Annotated[
        datetime | None,
        typer.Option(formats=_TIMES, metavar="TIME", help="What was known then; in UTC where it names no offset."),
    ] = None,
    redact: Annotated[
        bool, typer.Option("--redact", help="Leave out other patrons' identities and the raw lines that hold them.")
    ] = False,
    case: TheCase = None,
    database: TheDatabase = None,
    deadlines: Annotated[
        Path | None, typer.Option(metavar="TOML", help="Days that each rulebook's jurisdiction sets.")
    ] = None,
    number: Annotated[str | None, typer.Option("--case-number", metavar="TEXT", help="The case's number.")] = None,
    patron: Annotated[str | None, typer.Option(metavar="CARD", help="The complainant's card, as logged.")] = None,
    seat: Annotated[int | None, typer.Option(min=1, metavar="BOX", help="The complainant's box.")] = None,
    requested_by: Annotated[str | None, typer.Option(metavar="NAME", help="Who asked for the packet.")] = None,
    prepared_by: Annotated[str | None, typer.Option(metavar="NAME", help="Who prepared it.")] = None,
    landing: Annotated[
        Path | None, typer.Option(metavar="LANDING", help="Where the footage lies: adds a still of the round.")
    ] = None,
    no_hold: Annotated[bool, typer.Option("--no-hold", help="Do not hold the round's evidence.")] = False,
) -> None:
    """Make the packet of a round: a PDF/A, and a bundle with all it rests on that can be checked offline.

    Writes <round>.pdf and <round>.zip into DIR. The bundle is signed with
    the lake's key and entered into its evidence log, so that nobody else can
    issue one. The same lake version and the same case give the same bytes.
    audit21 verify checks the bundle on a machine that has nothing else; so
    do sha256sum and openssl, as its last pages tell.

    A round of which a packet is made is in dispute: its evidence is held
    from then on (audit21 hold), unless --no-hold says otherwise.
    """
    import gc

    gc.disable()  # the process is short, and collecting what its imports leave takes a tenth of its time
    from dashboards.packets import bundle
    from dashboards.packets.case import read_deadlines
    from pipelines import lines
    from pipelines.cli import echo, fail
    from warehouse.retention import holds

    answers = {"number": number, "patron": patron, "seat": seat}
    staff = {"requested_by": requested_by, "prepared_by": prepared_by}
    at = _utc(as_of)
    try:
        if landing is not None:
            _draw_still(lake, landing, round_id)
        told = _case(case, database, lake, round_id, at, prepared_by).with_answers(**answers, **staff)
        rules = read_deadlines(deadlines) if deadlines else {}
        by = told.prepared_by or _NOBODY
        request = bundle.Request(lake, round_id, told, rules, at, redact, lines.of_parquet, by)
        paper, zipped = bundle.make(request).write(out)
        if not no_hold:
            why = f"dispute {told.number}" if told.number else "dispute packet made"
            holds.place(lake, round_id, by, why, datetime.now(UTC))
    except (*bundle.Failed, holds.HoldError) as error:
        fail(str(error))
    echo(str(paper))
    echo(str(zipped))


def _draw_still(lake: Path, landing: Path, round_id: str) -> None:
    from pipelines.cli import echo
    from pipelines.footage.stills import of_round
    from warehouse.rounds import find

    if problem := of_round(find(lake, round_id), landing):
        echo(f"no still of the round: {problem}", err=True)


def _case(
    named: str | None, database: str | None, lake: Path, round_id: str, as_of: datetime | None, by: str | None
) -> "CaseFile":
    """The dispute's own data: a number is that of a case in the database, anything else names a file."""
    from dashboards.packets.case import NO_CASE, CaseError, CaseFile

    if named is not None and _NUMBER.fullmatch(named):
        from dashboards.packets.stored import read_case
        from dashboards.settings import database_of
        from warehouse.cases.activity import Actor

        actor = Actor((by or _NOBODY)[:80], "terminal")
        return read_case(database_of(lake, database), int(named), round_id, as_of, actor, datetime.now(UTC))
    if database is not None:
        raise CaseError(f"--database {database}: goes with the number of a case, such as --case 17")
    return CaseFile.read(Path(named)) if named else NO_CASE


def _utc(time: datetime | None) -> datetime | None:
    if time is None or time.tzinfo is None:
        return time and time.replace(tzinfo=UTC)
    return time.astimezone(UTC)


@commands.command()
def hold(
    round_id: Round,
    lake: TheLake,
    by: Annotated[str, typer.Option(metavar="NAME", help="Who orders it.")],
    why: Annotated[str, typer.Option(metavar="TEXT", help="The reason, such as a case's number.")],
    release: Annotated[bool, typer.Option("--release", help="End the hold.")] = False,
) -> None:
    """Protect a round's evidence from any clean-up, or end that.

    All files of the round's table and day are held: logs, footage, stills.
    Holds and releases are entries of the evidence log.
    """
    from pipelines.cli import echo, fail
    from warehouse.retention import holds
    from warehouse.retention.remove import Failed
    from warehouse.rounds import find

    try:
        if release:
            holds.release(lake, round_id, by, why, datetime.now(UTC))
            echo(f"{round_id} is no longer held")
            return
        is_new = holds.place(lake, find(lake, round_id).round_id, by, why, datetime.now(UTC))
    except Failed as error:
        fail(str(error))
    echo(f"{round_id} is {'held' if is_new else 'held already'}")


@commands.command()
def holds(
    lake: TheLake,
    everything: Annotated[bool, typer.Option("--all", help="Also those that were released.")] = False,
) -> None:
    """List the rounds whose evidence is held, with who ordered it and why."""
    from pipelines.cli import echo, fail
    from warehouse.evidence.entries import EvidenceError
    from warehouse.retention import holds as listed

    if not lake.is_dir():
        fail(f"{lake}: no lake; expected a folder that audit21 run has written")
    try:
        found = listed.history(lake) if everything else list(listed.in_force(lake).values())
    except EvidenceError as error:
        fail(str(error))
    for each in found:
        echo(f"{each.at}  {each.action:7}  {each.round_id}  by {each.by}: {each.why}")


@commands.command()
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
    from pipelines.cli import echo, fail
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


def _told(wanted: "Plan") -> list[str]:
    """What a plan would remove, by gaming day and kind, and what a hold keeps."""
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
