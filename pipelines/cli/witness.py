"""``audit21 witness``: a program for a machine of a regulator's own, which cosigns what continues what it has seen."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli.shared import FAILED, complain, echo, echo_lines, fail

if TYPE_CHECKING:
    from warehouse.evidence.witness import Witness

commands = typer.Typer(
    name="witness", no_args_is_help=True, help="Cosign the checkpoints of evidence logs, on a machine of your own."
)
State = Annotated[Path, typer.Option(metavar="DIR", help="What the witness has seen; on a disk that is backed up.")]
TheKey = Annotated[Path, typer.Option(metavar="FILE", help="The witness's key, as audit21 witness init made it.")]


@commands.command()
def init(
    key: TheKey,
    name: Annotated[str, typer.Option(metavar="NAME", help="Its name for good, such as regulator.example/w1.")],
) -> None:
    """Make a witness's key, and print its public half for properties and those who verify.

    The public half is also in a file of the same name that ends in .vkey.
    """
    from pipelines.commands import witness as witnessing
    from warehouse.evidence.entries import EvidenceError

    try:
        echo(witnessing.make_key(key, name).text)
    except (EvidenceError, OSError) as error:
        fail(str(error))


@commands.command()
def trust(
    pin: Annotated[Path, typer.Argument(metavar="PIN", help="The pin of the log, from the property in person.")],
    state: State,
    key: TheKey,
) -> None:
    """Cosign the log of a pin from now on; also adds a key that took over."""
    from warehouse.evidence import pins, vkeys
    from warehouse.evidence.entries import EvidenceError

    try:
        found = pins.read(pin)
        _opened(state, key).trust(vkeys.read(pin, vkeys.LOG))
    except (EvidenceError, OSError) as error:
        fail(str(error))
    for public in found.keys:
        echo(f"{found.log}  {pins.fingerprint(public)}")


@commands.command()
def watch(
    place: Annotated[str, typer.Argument(metavar="FOLDER|URL", help="Where the property leaves its checkpoints.")],
    state: State,
    key: TheKey,
    every: Annotated[float, typer.Option(min=1, metavar="SECONDS", help="How often to look.")] = 60,
    once: Annotated[bool, typer.Option("--once", help="Look once; ends with 1 where anything was refused.")] = False,
) -> None:
    """Look for new checkpoints in a folder or at a web server, and cosign those that continue what was seen.

    In a folder the cosigned checkpoint is left beside; of a web server it is
    kept in DIR and printed by audit21 witness show.
    """
    from pipelines.commands import witness as witnessing
    from warehouse.evidence.entries import EvidenceError

    witness = _opened(state, key)
    told: set[str] = set()
    while True:
        refused = False
        try:
            for is_good, message in witnessing.look(witness, place):
                refused |= not is_good
                if is_good:
                    echo(message)
                elif message not in told:
                    complain(message)
                    told.add(message)
        except (EvidenceError, OSError) as error:
            refused = True
            complain(f"{place}: {error}")
        if once:
            raise typer.Exit(FAILED if refused else 0)
        time.sleep(every)


@commands.command()
def serve(
    state: State,
    key: TheKey,
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at; 0 for any that is free.")] = 8022,
    certificate: Annotated[
        Path | None, typer.Option(metavar="PEM", help="Certificate for https, with its chain; needs --tls-key.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="PEM", help="The certificate's private key.")] = None,
) -> None:
    """Serve the witness over HTTP, as C2SP tlog-witness describes it.

    What comes in is checked by its signature alone, so that plain HTTP
    cannot make it cosign anything else.
    """
    import socket

    from dashboards.connections import PatientConnection
    from pipelines.commands import witness as witnessing

    witness = _opened(state, key)
    if (certificate is None) != (tls_key is None):
        fail("--certificate and --tls-key go together; one of them is missing")
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        fail(f"cannot listen at {host} port {port}: {error.strerror or error}; choose another with --port")
    with listening:
        echo(f"witness {witness.key.name} listens at {host} port {listening.getsockname()[1]}; Ctrl+C ends it")
        app = witnessing.application(witness, complain)
        witnessing.server(app, PatientConnection, certificate, tls_key).run(sockets=[listening])


@commands.command()
def show(
    state: State,
    key: TheKey,
    note: Annotated[bool, typer.Option("--note", help="Print the cosigned checkpoints whole.")] = False,
) -> None:
    """List the logs that are known, how far each is cosigned, and any that contradicted itself."""
    from datetime import UTC, datetime

    from warehouse.evidence import cosign

    witness = _opened(state, key)
    forks = []
    for origin in witness.logs():
        newest = witness.latest(origin)
        forks += witness.forks(origin)
        if newest is None:
            echo(f"{origin}  nothing cosigned yet")
        elif note:
            echo_lines(newest.note.decode())
        else:
            at = datetime.fromtimestamp(cosign.cosigned(newest, [witness.key])[0][witness.key], UTC)
            echo(f"{origin}  {newest.size} entries  cosigned {at:%Y-%m-%d %H:%M:%S}Z")
    for path in forks:
        complain(f"FORK: the log's key signed two histories; the evidence is in {path}")
    if forks:
        raise typer.Exit(FAILED)


def _opened(state: Path, key: Path) -> "Witness":
    from pipelines.commands import witness as witnessing
    from warehouse.evidence.entries import EvidenceError

    try:
        return witnessing.opened(state, key)
    except (EvidenceError, OSError) as error:
        fail(str(error))
