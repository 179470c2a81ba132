"""A packet made: its facts, its paper, and all to check it by in one zip. The same lake gives the same bytes."""

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from dashboards import felt
from dashboards.packets import timeline
from dashboards.packets.case import NO_CASE, CaseError, CaseFile, Rules
from dashboards.packets.document import document, rulebook_bytes
from dashboards.packets.excerpts import Chain, Excerpts, chain, excerpts
from dashboards.packets.gather import Dossier, gather
from dashboards.packets.notation import notation
from dashboards.packets.paper import VERIFY, print_packet, verify_script
from dashboards.packets.stills import Still, stills
from dashboards.packets.withhold import Withheld, withhold
from replay.floor import FloorError
from warehouse.evidence import proofs
from warehouse.evidence.bundle_files import CHECKPOINT, ENTRIES, KEY, PROOFS, SCHEMA, SUMS, schema
from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.files import TextOf, write_whole
from warehouse.lake import LakeError
from warehouse.rounds import RoundError

_EPOCH: Final = (1980, 1, 1, 0, 0, 0)  # the zip's earliest time: files carry none of their own
_README: Final = """\
This is a dispute packet of audit21: packet.pdf tells of one round, the rest is what it rests on.

packet.pdf                the paper
packet.json               the same for machines; packet.schema.json describes it
round.txt                 the round in plain-text notation
lines/                    lines of the table's logs, byte for byte, with a margin before and after
sightings.ndjson          cards as the camera saw them
stills/                   frames of the footage with the recognised cards marked
rulebook/, floor.toml     the rulebook's entry and the floor.toml in force
evidence/                 checkpoint, public key, log entries, and the proofs that lead from the lines to the checkpoint
SHA256SUMS                the hash of every other file

To check it: audit21 verify BUNDLE.zip --key KEY.pem; or, without audit21, bash verify.sh in the unpacked folder.
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
class Request:
    """What a packet is asked to be."""

    lake: Path
    round_id: str
    case: CaseFile = NO_CASE
    deadlines: Rules = field(default_factory=dict)
    as_of: datetime | None = None
    redact: bool = False
    text_of: TextOf | None = None  # reads the lines of landing files in Parquet


def make(request: Request) -> Packet:
    """The packet of a round."""
    dossier = gather(request.lake, request.round_id, request.as_of)
    case, withheld = request.case.with_deadlines(request.deadlines, dossier.account.rulebook), None
    if request.redact:
        dossier, withheld = withhold(dossier, _complainant(dossier, case))
    shown = excerpts(dossier, withheld, request.text_of)
    held = chain(dossier, shown.sources)
    pictures = stills(dossier)
    data = document(dossier, case, shown, held, pictures, withheld)
    marked = frozenset(timeline.marked(data["cards"]))
    picture = felt.draw(felt.scene(dossier.account, dossier.retold.audit.encoded.events, None, marked))
    pdf = print_packet(data, picture, pictures, dossier.place.state.published)
    files = _files(dossier, data, picture, shown, held, pictures)
    if withheld:
        _refuse_names({**files, "packet.pdf text": json.dumps(data).encode()}, withheld)
    return Packet(_name(request), pdf, _zip({**files, "packet.pdf": pdf}), data)


def _name(request: Request) -> str:
    stem = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in request.round_id)
    return f"{stem}{'-redacted' if request.redact else ''}"


def _complainant(dossier: Dossier, case: CaseFile) -> str | None:
    """Who is named in a redacted packet: the complainant by card, or who controls the complainant's box."""
    if case.patron or case.seat is None:
        return case.patron
    own = [row["patron"] for row in dossier.settlements if row["seat"] == case.seat and row["bettor"] == 1]
    return next((patron for patron in own if patron), None)


def _files(
    dossier: Dossier, data: dict[str, Any], picture: str, shown: Excerpts, held: Chain, pictures: list[Still]
) -> dict[str, bytes]:
    """All files of the bundle but the paper and the list of hashes."""
    book = dossier.retold.audit.table.book
    return {
        "README.txt": _README.encode(),
        "packet.json": (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode(),
        SCHEMA: schema(),
        "table.svg": picture.encode(),
        "round.txt": notation(dossier).encode(),
        "sightings.ndjson": _sightings(dossier),
        f"rulebook/{book.id}.toml": rulebook_bytes(book),
        "floor.toml": dossier.place.raw(dossier.round["floor_sha256"]).read_bytes(),
        VERIFY: verify_script(),
        CHECKPOINT: held.note,
        KEY: list(held.keys.values())[-1],
        ENTRIES: held.entries,
        PROOFS: proofs.write([*held.proofs, *shown.proofs]).encode(),
        **shown.texts,
        **{still.name: still.png for still in pictures},
    }


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
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(files.items()))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as bundle:
        for name, content in [*sorted(files.items()), (SUMS, sums.encode())]:
            info = zipfile.ZipInfo(name, _EPOCH)
            info.create_system, info.external_attr = 3, 0o644 << 16  # the same whatever system it is made on
            info.compress_type = zipfile.ZIP_STORED if name.endswith((".png", ".pdf")) else zipfile.ZIP_DEFLATED
            bundle.writestr(info, content)
    return out.getvalue()
