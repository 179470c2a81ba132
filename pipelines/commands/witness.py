"""``audit21 witness``: its key, the folders it watches, and its server (C2SP tlog-witness)."""

import asyncio
import base64
import binascii
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from warehouse.evidence import keys, vkeys
from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.files import write_whole
from warehouse.evidence.vkeys import VerifierKey
from warehouse.evidence.witness import BAD_REQUEST, CONFLICT, MOST_NOTE, MOST_PROOF, Refused, Witness, origin_hash
from warehouse.evidence.witnesses import answer_name

_MOST_BODY: Final = MOST_NOTE + 64 * (MOST_PROOF + 1)
_MOST_HASHES: Final = 1 << 28  # bytes: eight million entries
_WAIT_S: Final = 20.0


def make_key(path: Path, name: str) -> VerifierKey:
    """Make a witness's key, readable by its owner only, and its public half beside it; an existing one is kept."""
    if not vkeys.is_name(name):
        raise EvidenceError(f"found the name {name!r}, expected one such as regulator.example/w1, without blanks or +")
    public_path = _public_path(path)
    if public_path.exists():
        raise EvidenceError(f"{public_path}: there is a key already; choose another file")
    signer = keys.own_key(path)
    key = VerifierKey(name, vkeys.WITNESS, signer.public)
    write_whole(public_path, f"{key.text}\n".encode())
    return key


def opened(state: Path, key: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Witness:
    """The witness of a key file that ``make_key`` has made."""
    if not key.is_file():
        raise EvidenceError(f"{key}: no such file; audit21 witness init makes the key of a witness")
    signer, named = keys.own_key(key), vkeys.read(_public_path(key), vkeys.WITNESS)[0]
    if named.public != signer.public:
        raise EvidenceError(f"{_public_path(key)}: found another key than that in {key}; restore it")
    return Witness(state, signer, named.name, now)


def _public_path(path: Path) -> Path:
    return path.with_suffix(".vkey")


# Checkpoints from a folder or a web server.


def look(witness: Witness, place: str) -> Iterator[tuple[bool, str]]:
    """Look at every log that is known: whether its newest checkpoint there is cosigned, and what to say of it."""
    for origin in witness.logs():
        found = _read(place, origin, "checkpoint", MOST_NOTE)
        if found is None:
            continue
        latest = witness.latest(origin)
        is_known = latest is not None and found.partition(b"\n\n")[0] + b"\n" == latest.body
        try:
            if not is_known:
                hashes = _read(place, origin, "hashes", _MOST_HASHES) or b""
                witness.add_with_hashes(found, hashes)
            _leave(witness, place, origin)
        except Refused as error:
            yield False, str(error)
            continue
        newest = witness.latest(origin)
        if not is_known and newest is not None:
            yield True, f"{origin}: cosigned, {newest.size} entries"


def _leave(witness: Witness, place: str, origin: str) -> None:
    """Leave the cosigned checkpoint in the folder; a web server's is fetched from here, or sent by hand."""
    note = witness.latest_note(origin_hash(origin))
    if note is None or _is_url(place):
        return
    path = Path(place) / origin_hash(origin) / answer_name(witness.key)
    if not path.exists() or path.read_bytes() != note:
        write_whole(path, note)


def _read(place: str, origin: str, name: str, most: int) -> bytes | None:
    """A file of a log, None where there is none."""
    if not _is_url(place):
        path = Path(place) / origin_hash(origin) / name
        if not path.is_file():
            return None
        with path.open("rb") as file:
            content = file.read(most + 1)
    else:
        try:
            with urlopen(f"{place.rstrip('/')}/{origin_hash(origin)}/{name}", timeout=_WAIT_S) as answer:
                content = answer.read(most + 1)
        except HTTPError as error:
            with error:
                if error.code == 404:
                    return None
                raise
    if len(content) > most:
        raise EvidenceError(f"{place}: {name} of {origin} has more than {most} bytes")
    return content


def _is_url(place: str) -> bool:
    return urlsplit(place).scheme in ("http", "https")


# The server.


def application(witness: Witness, say: Callable[[str], None]) -> Starlette:
    """The witness over HTTP: ``POST /add-checkpoint``, ``GET /<hash of the log's name>/checkpoint``."""

    async def add_checkpoint(request: Request) -> Response:
        try:
            async with asyncio.timeout(_WAIT_S):
                body = await _body(request)
            line = await run_in_threadpool(_add, witness, body)
        except (ClientDisconnect, TimeoutError):
            return Response(status_code=BAD_REQUEST)
        except Refused as error:
            say(f"refused ({error.status}): {error}")
            if error.status == CONFLICT:
                return Response(f"{error.size}\n", CONFLICT, media_type="text/x.tlog.size")
            return PlainTextResponse(f"{error}\n", error.status)
        return PlainTextResponse(line)

    async def newest(request: Request) -> Response:
        note = witness.latest_note(request.path_params["log"])
        return PlainTextResponse("no such log\n", 404) if note is None else PlainTextResponse(note)

    return Starlette(
        routes=[
            Route("/add-checkpoint", add_checkpoint, methods=["POST"]),
            Route("/{log:str}/checkpoint", newest, methods=["GET"]),
        ]
    )


def server(
    app: Starlette, http: type[asyncio.Protocol], certificate: Path | None = None, key: Path | None = None
) -> uvicorn.Server:
    """A server for a few properties that ask seldom; ``http`` gives up clients that keep it waiting."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            http=http,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=3,
            ssl_certfile=certificate,
            ssl_keyfile=key,
        )
    )


def _add(witness: Witness, body: bytes) -> str:
    old, proof, note = read_request(body)
    return witness.add(old, proof, note).line


async def _body(request: Request) -> bytes:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_BODY:
            raise Refused(BAD_REQUEST, f"found more than {_MOST_BODY} bytes, expected a checkpoint and its proof")
    return body


def read_request(body: bytes) -> tuple[int, list[bytes], bytes]:
    """Old size, proof and checkpoint of a request; ``Refused`` for anything else."""
    head, empty, note = body.partition(b"\n\n")
    first, *lines = head.decode("ascii", "replace").split("\n")
    old = re.fullmatch(r"old (0|[1-9][0-9]{0,18})", first)
    try:
        proof = [base64.b64decode(line, validate=True) for line in lines]
    except (binascii.Error, ValueError):
        proof = [b""]
    if old is None or not empty or len(proof) > MOST_PROOF or any(len(node) != 32 for node in proof):
        told = f"found {first!r:.40} and {len(lines)} lines"
        raise Refused(BAD_REQUEST, f"{told}, expected 'old SIZE', at most {MOST_PROOF} hashes in base64, an empty line")
    return int(old[1]), proof, note
