"""``audit21 dispute``."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli.shared import echo, fail

if TYPE_CHECKING:
    from dashboards.packets.case import CaseFile

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
    from pipelines.custody import lines
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
        request = bundle.PacketRequest(lake, round_id, told, rules, at, redact, lines.of_parquet, by)
        paper, zipped = bundle.make(request).write(out)
        if not no_hold:
            why = f"dispute {told.number}" if told.number else "dispute packet made"
            holds.place(lake, round_id, by, why, datetime.now(UTC))
    except (*bundle.Failed, holds.HoldError) as error:
        fail(str(error))
    echo(str(paper))
    echo(str(zipped))


def _draw_still(lake: Path, landing: Path, round_id: str) -> None:
    from pipelines.watch.stills import of_round
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
