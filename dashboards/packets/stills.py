"""Stills of footage that belong to a round and its findings, as the lake has them."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from dashboards.packets.gather import Dossier
from warehouse.folders import STILLS


class PacketStill(NamedTuple):
    """A frame of a film with the cards that were recognised in it."""

    finding_id: str
    message: str
    path: str  # of the film
    sha256: str
    frame: int
    time_ms: int
    png: bytes

    @property
    def name(self) -> str:
        """Its name in the bundle."""
        return f"{STILLS}/{self.finding_id}.png"

    def data(self) -> dict[str, Any]:
        """Return the packet's entry for the still: file name and fields without the picture."""
        return {"file": self.name, **{name: value for name, value in self._asdict().items() if name != "png"}}


def stills(dossier: Dossier) -> list[PacketStill]:
    """The still of the round, where there is one, and those of its findings, in their order."""
    folder = dossier.place.lake.path / STILLS
    names = [dossier.place.still_id, *(row["finding_id"] for row in dossier.findings)]
    found = (_read(folder, name) for name in names)
    return [still for still in found if still is not None]


def _read(folder: Path, finding_id: str) -> PacketStill | None:
    try:
        about = json.loads((folder / f"{finding_id}.json").read_text(encoding="utf-8"))
        png = (folder / f"{finding_id}.png").read_bytes()
    except FileNotFoundError:
        return None
    kept = {name: about[name] for name in PacketStill._fields if name != "png"}
    return PacketStill(**kept, png=png)
