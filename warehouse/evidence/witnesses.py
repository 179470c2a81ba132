"""Asks witnesses to cosign a log's newest checkpoint, and adds their cosignatures to it.

The list of witnesses is a file outside the lake and the landing zone, beside the signing key: anyone who can change
floor.toml or the lake must not be able to leave a witness out. The list names the witnesses to ask; verifiers of the
log decide whose cosignatures count.
"""

import base64
import os
import tomllib
from collections.abc import Iterable
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from warehouse.evidence import checkpoint, cosign, pins, vkeys
from warehouse.evidence.checkpoint import Checkpoint, Signature
from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.files import write_whole
from warehouse.evidence.log import EvidenceLog
from warehouse.evidence.vkeys import VerifierKey
from warehouse.evidence.witness import CONFLICT, MOST_NOTE, origin_hash

NAME: Final = "witnesses.toml"
_WAIT_S: Final = 5.0
_Failed: Final = (OSError, EvidenceError, ValueError, HTTPException)


class WitnessError(EvidenceError):
    """A witness that cannot be asked, or an answer that is none; says why."""


class Asked(NamedTuple):
    """A witness, and how it is reached: over HTTP, or through a folder that it watches."""

    key: VerifierKey
    url: str | None
    folder: Path | None
    lakes: tuple[Path, ...]  # only these; all of them where it is empty


def configured() -> list[Asked]:
    """The witnesses of $AUDIT21_WITNESSES, or of witnesses.toml beside the signing key."""
    path = Path(os.environ.get("AUDIT21_WITNESSES") or pins.state() / NAME).expanduser()
    if not path.exists():
        return []
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get("witness", [])
        return [_asked(row) for row in rows]
    except (OSError, ValueError, TypeError, AttributeError, RecursionError, EvidenceError) as error:
        raise WitnessError(f"{path}: {error}") from None


def collect(log: EvidenceLog) -> list[str]:
    """Collect the cosignatures of the log's newest checkpoint; return messages about the witnesses without one."""
    lake = log.folder.parent.resolve()
    try:
        asked = [each for each in configured() if not each.lakes or lake in each.lakes]
        paths = sorted((log.folder / checkpoint.FOLDER).glob("[0-9]*.txt")) if asked else []
    except _Failed as error:
        return [f"no witness was asked: {error}"]
    said = []
    for each in asked if paths else []:
        try:
            if each.folder:
                _exchange(log, each.key, each.folder, paths)
            else:
                _submit(log, each, paths)
        except _Failed as error:
            said.append(f"witness {each.key.name} has not cosigned yet; the next run asks again: {error}")
    return said


def _asked(row: dict[str, Any]) -> Asked:
    expected = {"key", "url", "folder", "lakes"}
    if unknown := sorted(set(row) - expected):
        raise WitnessError(f"witness: found {', '.join(unknown)}, expected {', '.join(sorted(expected))}")
    key, url, folder = vkeys.parse(str(row.get("key", "")), vkeys.WITNESS), row.get("url"), row.get("folder")
    if (url is None) == (folder is None):
        raise WitnessError(f"witness {key.name}: expected either url or folder")
    if url is not None and urlsplit(url).scheme not in ("http", "https"):
        raise WitnessError(f"witness {key.name}: found the url {url!r}, expected http:// or https://")
    lakes = tuple(Path(lake).expanduser().resolve() for lake in row.get("lakes", ()))
    return Asked(key, url, None if folder is None else Path(folder).expanduser(), lakes)


# Over HTTP (C2SP tlog-witness).


def _submit(log: EvidenceLog, asked: Asked, paths: list[Path]) -> None:
    """Send the newest checkpoint with the proof that it continues the one that the witness has."""
    newest = checkpoint.parse(paths[-1].read_bytes())
    if asked.key in cosign.cosigned(newest, [asked.key])[0]:
        return
    old = next((size for size in _cosigned_sizes(paths, asked.key)), 0)
    status, answer = _post(str(asked.url), request_body(log, old, newest))
    if status == CONFLICT and answer.strip().isdecimal() and (old := int(answer)) <= newest.size:
        status, answer = _post(str(asked.url), request_body(log, old, newest))
    if status == CONFLICT:
        told = f"it has cosigned {answer.strip()!r:.20} entries, this log has {newest.size}"
        raise WitnessError(f"{told}: were entries removed? Run audit21 verify")
    if status != 200:
        raise WitnessError(f"it answers {status}: {' '.join(answer.split())[:300]}")
    _take(paths[-1], newest, asked.key, answer)


def request_body(log: EvidenceLog, old: int, newest: Checkpoint) -> bytes:
    """Return the body of the request: the witness's size, the proof from it to the checkpoint, the checkpoint."""
    proof = log.consistency(old, newest.size) if old else []
    lines = [f"old {old}\n", *(f"{base64.b64encode(node).decode()}\n" for node in proof), "\n"]
    own = [line for line in newest.signatures if line.name == newest.origin]
    return "".join(lines).encode() + newest.body + b"\n" + "".join(line.line for line in own).encode()


def _post(url: str, body: bytes) -> tuple[int, str]:
    request = Request(f"{url.rstrip('/')}/add-checkpoint", data=body, method="POST")
    request.add_header("Content-Type", "text/plain; charset=utf-8")
    try:
        with urlopen(request, timeout=_WAIT_S) as answer:
            return answer.status, answer.read(MOST_NOTE).decode()
    except HTTPError as error:
        with error:
            return error.code, error.read(MOST_NOTE).decode("utf-8", "replace")


def _take(path: Path, newest: Checkpoint, key: VerifierKey, answer: str) -> None:
    """Add the cosignature of an answer, if the witness made it."""
    lines = [checkpoint.read_signature(line) for line in answer.splitlines()]
    good = _genuine(newest, key, lines)
    if not good:
        raise WitnessError("its answer has no cosignature by its key")
    cosign.attach(path, good)


def _genuine(found: Checkpoint, key: VerifierKey, lines: Iterable[Signature]) -> list[Signature]:
    plain = Checkpoint(found.origin, found.size, found.root, found.extensions)
    return [line for line in lines if cosign.cosigned(_with(plain, line), [key])[0]][:1]


def _with(plain: Checkpoint, line: Signature) -> Checkpoint:
    return Checkpoint(plain.origin, plain.size, plain.root, plain.extensions, (line,))


def _cosigned_sizes(paths: list[Path], key: VerifierKey) -> Iterable[int]:
    """Sizes of the checkpoints that a witness has cosigned, the largest first."""
    for path in reversed(paths):
        found = checkpoint.parse(path.read_bytes())
        if cosign.cosigned(found, [key])[0]:
            yield found.size


# Through a folder.


def _exchange(log: EvidenceLog, key: VerifierKey, folder: Path, paths: list[Path]) -> None:
    """Take the witness's cosignatures from the folder, and put the newest checkpoint and all entries' hashes there."""
    if not folder.is_dir():
        raise WitnessError(f"{folder}: no such folder")
    place = folder / origin_hash(checkpoint.origin(log))
    answer = place / answer_name(key)
    if answer.exists():
        cosigned = checkpoint.parse(answer.read_bytes()[: MOST_NOTE + 1])
        path = checkpoint.path_of(log.folder, cosigned.size)
        if path.exists() and (found := checkpoint.parse(path.read_bytes())).body == cosigned.body:
            cosign.attach(path, _genuine(found, key, cosigned.signatures))
    newest = checkpoint.parse(paths[-1].read_bytes())
    write_whole(place / "hashes", log.leaf_hashes(newest.size))
    write_whole(place / "checkpoint", paths[-1].read_bytes())
    if key not in cosign.cosigned(checkpoint.parse(paths[-1].read_bytes()), [key])[0]:
        raise WitnessError(f"the checkpoint of {newest.size} entries waits for it in {place}")


def answer_name(key: VerifierKey) -> str:
    """The file in which a witness leaves the newest checkpoint that it has cosigned."""
    return f"cosigned-{key.key_hash.hex()}.txt"
