"""A packet made: its facts, its paper, and all to check it by in one zip. The same lake gives the same bytes."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from dashboards.packets import timeline
from dashboards.packets.case import NO_CASE, CaseError, CaseFile, Rules
from dashboards.packets.document import document, rulebook_bytes
from dashboards.packets.excerpts import Chain, Excerpts, chain, excerpts
from dashboards.packets.gather import Dossier, gather
from dashboards.packets.listing import manifest
from dashboards.packets.notation import notation
from dashboards.packets.paper import VERIFY, print_packet, verify_script
from dashboards.packets.replaying import REPLAY, raw_lines, replay_bytes, replay_data
from dashboards.packets.stills import PacketStill, stills
from dashboards.packets.verifier import PAGE, verifier_page
from dashboards.packets.withhold import Withheld, withhold
from replay import felt
from replay.floor import FloorError
from warehouse import issuing
from warehouse.evidence import proofs
from warehouse.evidence.bundle_files import CHECKPOINT, ENTRIES, FLOOR, KEY, PACKET, PROOFS, SCHEMA, schema
from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.files import TextOf, write_whole
from warehouse.evidence.log import FOLDER, EvidenceLog
from warehouse.lake import LakeError
from warehouse.rounds import RoundError

_EPOCH: Final = (1980, 1, 1, 0, 0, 0)  # the zip's earliest time: files carry none of their own
_README: Final = """\
This is a dispute packet of audit21: packet.pdf presents one round; the other files are its evidence.

packet.pdf                the packet as a document
packet.html               checks this bundle in a browser and replays the round; open it with a double click
packet.json               the packet's data for software; packet.schema.json describes them
round.txt                 the round in plain-text notation
replay.json               the round step by step, with pictures of the table, for packet.html
lines/                    lines of the table's logs, byte for byte, with a margin before and after
sightings.ndjson          cards as the camera saw them
stills/                   frames of the footage with the recognised cards marked
rulebook/, floor.toml     the rulebook's entry and the floor.toml in force
evidence/                 checkpoint, public key, log entries, and the proofs that lead from the lines to the checkpoint
manifest.txt              every file with its hash, and every omission with its reason, signed by the property
issued/                   the entry of the evidence log by which the packet was issued, and its proof

To check it: audit21 verify BUNDLE.zip --key KEY.pem; or, without audit21, sh verify.sh KEY.pem in the unpacked folder;
or open packet.html and drop this bundle and KEY.pem onto the page.
KEY.pem is the property's public key, obtained from elsewhere.
"""


class PacketError(ValueError):
    """A packet that must not be made; says why."""


Failed: Final = (PacketError, CaseError, RoundError, LakeError, EvidenceError, FloorError, OSError)


@dataclass(frozen=True)
class Packet:
    """A packet: the name of its files, the PDF and the bundle that has it in it."""

    name: str
    pdf: bytes
    bundle: bytes
    data: dict[str, Any]

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write both files into a folder; their paths."""
        paths = folder / f"{self.name}.pdf", folder / f"{self.name}.zip"
        for path, content in zip(paths, (self.pdf, self.bundle), strict=True):
            write_whole(path, content)
        return paths


@dataclass(frozen=True)
class PacketRequest:
    """Request for a packet: the round, the case, and how to redact it."""

    lake: Path
    round_id: str
    case: CaseFile = NO_CASE
    deadlines: Rules = field(default_factory=dict)
    as_of: datetime | None = None
    redact: bool = False
    text_of: TextOf | None = None  # reads the lines of landing files in Parquet
    by: str = "audit21"  # the requester's name for the evidence log
    now: Callable[[], datetime] = lambda: datetime.now(UTC)


def make(request: PacketRequest) -> Packet:
    """Make and issue the packet of a round: it is signed, and entered into the lake's evidence log."""
    dossier = gather(request.lake, request.round_id, request.as_of)
    log = EvidenceLog(request.lake / FOLDER)
    issuing.keyring(request.lake, log)  # before the work: without a key there is no packet
    case, withheld = request.case.with_deadlines(request.deadlines, dossier.account.rulebook), None
    if request.redact:
        dossier, withheld = withhold(dossier, _complainant(dossier, case))
    shown = excerpts(dossier, withheld, request.text_of)
    held = chain(log, dossier, shown.sources)
    pictures = stills(dossier)
    data = document(dossier, case, shown, held, pictures, withheld)
    marked = frozenset(timeline.marked(data["cards"]))
    picture = felt.draw(felt.scene(dossier.account, dossier.retold.audit.encoded.events, None, marked))
    replay = replay_data(dossier, data)
    page = verifier_page(replay, raw_lines(shown))
    pdf = print_packet(data, picture, pictures, page, dossier.place.state.published)
    files = {
        **_files(dossier, data, picture, shown, held, pictures),
        "packet.pdf": pdf,
        PAGE: page,
        REPLAY: replay_bytes(replay),
    }
    listed = manifest(log, data, files, shown)
    if withheld:
        texts = {"packet.pdf text": json.dumps(data).encode(), "manifest": listed.body}
        _refuse_names({**files, **texts}, withheld)
    issued = issuing.issue(request.lake, listed, request.by, request.now())
    return Packet(_name(request), pdf, _zip({**files, **issued}), data)


def _name(request: PacketRequest) -> str:
    stem = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in request.round_id)
    return f"{stem}{'-redacted' if request.redact else ''}"


def _complainant(dossier: Dossier, case: CaseFile) -> str | None:
    """Return the one patron named in a redacted packet: the complainant, else the player in control of their box."""
    if case.patron or case.seat is None:
        return case.patron
    own = [row["patron"] for row in dossier.settlements if row["seat"] == case.seat and row["bettor"] == 1]
    return next((patron for patron in own if patron), None)


def _files(
    dossier: Dossier, data: dict[str, Any], picture: str, shown: Excerpts, held: Chain, pictures: list[PacketStill]
) -> dict[str, bytes]:
    """All files that the manifest lists, but the paper, the page and its replay."""
    book = dossier.retold.audit.table.book
    return {
        "README.txt": _README.encode(),
        PACKET: (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode(),
        SCHEMA: schema(),
        "table.svg": picture.encode(),
        "round.txt": notation(dossier).encode(),
        "sightings.ndjson": _sightings(dossier),
        f"rulebook/{book.id}.toml": rulebook_bytes(book),
        FLOOR: _floor(dossier),
        VERIFY: verify_script(),
        CHECKPOINT: held.checkpoint.note,
        KEY: list(held.keys.values())[-1],
        ENTRIES: held.entries,
        PROOFS: proofs.write([*held.proofs, *shown.proofs]).encode(),
        **shown.texts,
        **{still.name: still.png for still in pictures},
    }


def _floor(dossier: Dossier) -> bytes:
    """The floor.toml in force, as it was taken in."""
    wanted = dossier.round["floor_sha256"]
    found = dossier.place.raw(wanted).read_bytes()
    if hashlib.sha256(found).hexdigest() != wanted:
        raise EvidenceError(f"{dossier.place.raw(wanted)}: not the floor.toml that was taken in; run audit21 verify")
    return found


def _sightings(dossier: Dossier) -> bytes:
    names = ("gaming_day", "table", "round_id")
    rows = ({key: value for key, value in row.items() if key not in names} for row in dossier.sightings)
    return "".join(f"{json.dumps(row, default=_time)}\n" for row in rows).encode()


def _time(value: datetime) -> str:
    return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _refuse_names(files: dict[str, bytes], withheld: Withheld) -> None:
    """A redacted packet in which a name that was to be left out still stands must not leave the house."""
    for name, content in files.items():
        for patron, label in withheld.labels.items():
            if patron.encode() in content:
                raise PacketError(f"{name}: still names the patron who stands as {label}; nothing was written")


def _zip(files: dict[str, bytes]) -> bytes:
    """A zip whose bytes depend on the files alone."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as bundle:
        for name, content in sorted(files.items()):
            info = zipfile.ZipInfo(name, _EPOCH)
            info.create_system, info.external_attr = 3, 0o644 << 16  # the same whatever system it is made on
            info.compress_type = zipfile.ZIP_STORED if name.endswith((".png", ".pdf")) else zipfile.ZIP_DEFLATED
            bundle.writestr(info, content)
    return out.getvalue()
