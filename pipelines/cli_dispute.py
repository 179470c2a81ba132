"""``audit21 dispute``, ``hold``, ``holds`` and ``retain``: packets for regulators, and what must not be thrown away."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pipelines.ingest.columns import U8

commands = typer.Typer(add_completion=False)
_TIMES = ["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d %H:%M:%S"]
Round = Annotated[str, typer.Argument(metavar="ROUND_ID", help="<table>/<gaming_day>/<round>.")]
TheLake = Annotated[Path, typer.Option(metavar="LAKE", help="The lake that the round is in.")]


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
    case: Annotated[
        Path | None, typer.Option(metavar="TOML", help="The dispute's own data: complaint, statements, outcome.")
    ] = None,
    deadlines: Annotated[
        Path | None, typer.Option(metavar="TOML", help="Days that each rulebook's jurisdiction sets.")
    ] = None,
    number: Annotated[str | None, typer.Option("--case-number", metavar="TEXT", help="The case's number.")] = None,
    patron: Annotated[str | None, typer.Option(metavar="CARD", help="The complainant's card, as logged.")] = None,
    seat: Annotated[int | None, typer.Option(min=1, metavar="BOX", help="The complainant's box.")] = None,
    requested_by: Annotated[str | None, typer.Option(metavar="NAME", help="Who asked for the packet.")] = None,
    prepared_by: Annotated[str | None, typer.Option(metavar="NAME", help="Who prepared it.")] = None,
) -> None:
    """Make the packet of a round: a PDF/A, and a bundle with all it rests on that can be checked offline.

    Writes <round>.pdf and <round>.zip into DIR. The same lake version gives
    the same bytes. audit21 verify checks the bundle on a machine that has
    nothing else; so do sha256sum and openssl, as its last page tells.
    """
    from dashboards.packets import bundle
    from dashboards.packets.case import CaseFile
    from pipelines.cli import fail

    answers = {"number": number, "patron": patron, "seat": seat}
    staff = {"requested_by": requested_by, "prepared_by": prepared_by}
    try:
        told = (CaseFile.read(case) if case else CaseFile()).with_answers(**answers, **staff)
        request = bundle.Request(lake, round_id, told, deadlines, _utc(as_of), redact, _lines_of_parquet)
        paper, zipped = bundle.make(request).write(out)
    except bundle.Failed as error:
        fail(str(error))
    typer.echo(f"{paper}\n{zipped}")


def _lines_of_parquet(path: Path, name: str) -> "U8 | None":
    from pipelines.custody import text

    return text(path, name)


def _utc(time: datetime | None) -> datetime | None:
    return time if time is None or time.tzinfo else time.replace(tzinfo=UTC)
