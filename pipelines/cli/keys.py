"""``audit21 keys``: the keys that sign a lake's log, how each took over, and what is pinned outside the lake."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from pipelines.cli.shared import echo, echo_lines, fail, write_json

if TYPE_CHECKING:
    from warehouse.evidence.log import EvidenceLog
    from warehouse.lake import Lake

commands = typer.Typer(name="keys", no_args_is_help=True, help="Show, pin, accept and rotate a lake's signing keys.")
TheLake = Annotated[Path, typer.Argument(metavar="LAKE", help="The lake that audit21 run writes.")]
ThePin = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The pin, if it is not beside the signing key; outside the lake.")
]


class _Opened(NamedTuple):
    lake: "Lake"
    log: "EvidenceLog"


def _now() -> datetime:
    return datetime.now(UTC)


@contextmanager
def _opened(path: Path, pin: Path | None, is_writing: bool = True) -> Iterator[_Opened]:
    """A lake and its log, locked for writing; what keeps it from being changed ends the command with 2."""
    from contextlib import nullcontext

    from warehouse.evidence import pins
    from warehouse.evidence.entries import EvidenceError
    from warehouse.evidence.log import FOLDER, NAME, EvidenceLog
    from warehouse.lake import Lake, LakeError

    if not (path / FOLDER / NAME).is_file():
        fail(f"{path}: no evidence log; expected a lake that audit21 run has written")
    pins.use(pin)
    try:
        lake = Lake.open(path)
        with lake.lock() if is_writing else nullcontext():
            yield _Opened(lake, EvidenceLog(lake.path / FOLDER))
    except (EvidenceError, LakeError) as error:
        fail(str(error))


@commands.command()
def show(
    lake: TheLake,
    pin: ThePin = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON for machines instead of text.")] = False,
) -> None:
    """List a lake's signing keys with their fingerprints, how each took over, and whether it is pinned."""
    with _opened(lake, pin, is_writing=False) as opened:
        found = _facts(opened.log)
    if as_json:
        write_json(found)
        return
    echo(f"log  {found['log']}")
    echo(f"pin  {found['pin'] or 'none'}")
    for key in found["keys"]:
        echo("")
        echo(f"key {key['key_id']}, line {key['line']} of the log: {key['state']}")
        echo(f"  {key['fingerprint']}")
        echo(f"  {'pinned' if key['pinned'] else 'not pinned'}")
        for each in key["accepted"]:
            echo(f"  accepted by {each['by']} on {each['at']}: {each['reason']}")


def _facts(log: "EvidenceLog") -> dict[str, Any]:
    from warehouse.evidence import checkpoint, handover, pins
    from warehouse.evidence.keys import introduced

    pin = handover.pin_of(log)
    pinned = pin.keys if pin else ()
    states = ["the first key", *(each.state for each in handover.handovers(log, pin))]
    accepted = [dict(entry) for _, entry in log.entries("accepted")]
    keys = [
        {
            "key_id": key_id,
            "line": index + 1,
            "fingerprint": pins.fingerprint(public),
            "state": state,
            "pinned": pinned[at : at + 1] == (public,),
            "accepted": [each for each in accepted if each["key_id"] == key_id],
        }
        for at, ((index, key_id, public), state) in enumerate(zip(introduced(log), states, strict=True))
    ]
    return {"log": checkpoint.origin(log), "pin": str(pin.path) if pin else None, "keys": keys}


By = Annotated[str, typer.Option(metavar="NAME", help="Who confirms it; recorded in the evidence log.")]
Reason = Annotated[str, typer.Option(metavar="TEXT", help="Why, and how it was confirmed; recorded likewise.")]


@commands.command()
def accept(
    lake: TheLake,
    key_id: Annotated[str, typer.Argument(metavar="KEY_ID", help="The key, as audit21 keys show names it.")],
    by: By,
    reason: Reason,
    pin: ThePin = None,
) -> None:
    """Accept a key that the key before it did not sign, after its owner has confirmed it in person.

    Until then audit21 verify reports it and nothing is written to the lake.
    The acceptance is recorded in the evidence log, and the key is pinned.
    """
    from warehouse import signing

    _check_named(by, reason)
    with _opened(lake, pin) as opened:
        signing.accept_key(opened.lake, opened.log, _now, key_id, by, reason)
    echo(f"Key {key_id} accepted by {by}")


@commands.command("pin")
def pin_keys(lake: TheLake, pin: ThePin = None, by: By = "", reason: Reason = "") -> None:
    """Pin a lake's first key and those that it vouched for, and print the pin for the safe.

    Compare the fingerprint with the printed one first. Where entries of the
    log were removed or nobody signed them, --by and --reason confirm the log
    as it stands.
    """
    from warehouse import signing

    with _opened(lake, pin) as opened:
        path = signing.pin_log(opened.lake, opened.log, _now, by.strip(), reason.strip())
    echo(f"{path}")
    echo("")
    echo_lines(path.read_text(encoding="utf-8"))


@commands.command()
def rotate(lake: TheLake, pin: ThePin = None) -> None:
    """Make a new signing key; the present one signs the handover.

    Run audit21 run on every other lake of the same key, which hands over
    there too; then remove the previous key.
    """
    from warehouse import signing
    from warehouse.evidence.keys import previous_path

    with _opened(lake, pin) as opened:
        new = signing.rotate_key(opened.lake, opened.log, _now)
    echo(f"Key {new} signs from now on. Once every lake of the previous key was run, remove {previous_path()}")


def _check_named(by: str, reason: str) -> None:

    for option, given in (("--by", by), ("--reason", reason)):
        if not given.strip():
            fail(f"{option}: found nothing, expected text; it is recorded in the evidence log")
