"""The packet on paper."""

import hashlib
from datetime import datetime
from importlib import resources
from typing import Any, Final

from dashboards.packets.stills import PacketStill
from dashboards.packets.view import View
from dashboards.typesetting import typeset

VERIFY: Final = "verify.sh"


def print_packet(packet: dict[str, Any], felt: str, stills: list[PacketStill], page: bytes, made: datetime) -> bytes:
    """The PDF of a packet, dated with the time at which its facts were published."""
    view = View(packet).data()
    view["evidence"]["verifier"] = hashlib.sha256(verify_script()).hexdigest()
    view["evidence"]["page"] = hashlib.sha256(page).hexdigest()
    files = {
        "felt.svg": felt.encode(),
        VERIFY: verify_script(),
        **{still.name: still.png for still in stills},
    }
    return typeset((resources.files("dashboards.packets") / "packet.typ").read_bytes(), view, files, made)


def verify_script() -> bytes:
    """The commands with which a bundle is checked without this software."""
    return (resources.files("dashboards.packets") / VERIFY).read_bytes()
