"""A redacted packet names nobody but the complainant, and what it leaves out can be neither read nor guessed."""

import hashlib
import hmac
import json
from pathlib import Path

import pytest

from dashboards.packets.bundle import PacketError, PacketRequest, make
from dashboards.packets.case import CaseFile
from tests.dashboards.packets import tables
from tests.dashboards.packets.tables import round_id
from tests.dashboards.packets.test_packet import files, text_of
from tests.some import some
from warehouse import redaction
from warehouse.evidence import bundle, merkle
from warehouse.lake import Lake

OTHERS = ("P100001", "P100002", "P100003", "P100004")


def redacted(lake: Lake) -> dict[str, bytes]:
    return files(make(PacketRequest(lake.path, round_id("eight"), CaseFile(seat=8), redact=True)))


def test_no_other_patron_is_named_anywhere(lake: Lake) -> None:
    packet = make(PacketRequest(lake.path, round_id("eight"), CaseFile(seat=8), redact=True))
    inside = files(packet)
    said = text_of(packet.pdf)
    assert "P100008" in said and "withheld-1" in said and "Information withheld" in said
    for patron in OTHERS:
        assert patron not in said
        assert not [name for name, content in inside.items() if patron.encode() in content]


def test_lines_that_hold_identities_are_salted_hashes(lake: Lake) -> None:
    told = json.loads(redacted(lake)["packet.json"])["redaction"]
    assert [each["label"] for each in told["patrons"]] == [f"withheld-{n}" for n in range(1, 5)]
    came = (lake.path.parent / "zone" / tables.DAY / tables.TABLE / "terminal.ndjson").read_bytes().splitlines()
    lines = [came[each["line"] - 1] for each in told["lines"]]
    assert [json.loads(line)["patron"] for line in lines] == list(OTHERS)
    key = bytes.fromhex((lake.path / redaction.NAME).read_text())
    for each, line in zip(told["lines"], lines, strict=True):
        item = f"{round_id('eight')}\n{each['path']}:{each['line']}".encode()
        salt = hmac.new(key, item, hashlib.sha256).digest()
        assert hmac.new(salt, line, hashlib.sha256).hexdigest() == each["salted_sha256"]


def test_no_hash_in_the_bundle_can_be_tried_against_every_patron(lake: Lake) -> None:
    """No hash stands anywhere in it that covers a line with another's identity and too few lines that nobody knows."""
    inside, tried = redacted(lake), 0
    name = f"lines/{tables.DAY}/{tables.TABLE}/terminal.ndjson"
    came = (lake.path.parent / "zone" / tables.DAY / tables.TABLE / "terminal.ndjson").read_bytes()
    lines = came.splitlines()
    shown = set(inside[name].splitlines())
    levels = {merkle.leaf_hash(line): [line] for line in lines}
    row = [(merkle.leaf_hash(line), [line]) for line in lines]
    while len(row) > 1:
        pairs = [row[n : n + 2] for n in range(0, len(row), 2)]
        row = [
            (merkle.node_hash(pair[0][0], pair[1][0]), pair[0][1] + pair[1][1]) if len(pair) == 2 else pair[0]
            for pair in pairs
        ]
        levels |= dict(row)
    everything = b"\n".join(inside.values())
    for node, covered in some(levels.items()):
        names_others = any(patron.encode() in line for line in covered for patron in (*OTHERS, "P200"))
        if names_others and sum(line not in shown for line in covered) < redaction.LEAST_UNKNOWN:
            tried += 1
            assert node.hex().encode() not in everything and node not in everything
    assert tried > 10


def test_the_same_redaction_gives_the_same_bytes_and_verifies(lake: Lake, tmp_path: Path) -> None:
    one, other = (make(PacketRequest(lake.path, round_id("eight"), redact=True)) for _ in range(2))
    assert one.bundle == other.bundle
    paper, zipped = one.write(tmp_path)
    assert paper.name.endswith("-redacted.pdf")
    report = bundle.verify(zipped)
    assert not report.differences
    assert report.lines > 0


def test_a_packet_in_which_a_name_is_left_is_refused(lake: Lake) -> None:
    case = CaseFile(seat=8, complaint="P100001 next to me saw it")
    with pytest.raises(PacketError, match="still names the patron who stands as withheld-1"):
        make(PacketRequest(lake.path, round_id("eight"), case, redact=True))


def test_a_path_gives_away_only_what_few_unknown_lines_hide() -> None:
    size = 64
    secret = [n == 20 for n in range(size)]
    known = [16 <= n < 48 and not secret[n] for n in range(size)]
    sums = [[sum(flags[:n]) for n in range(size + 1)] for flags in (secret, [not each for each in known])]
    assert redaction.gives_away(21, size, *sums)  # its neighbour alone is the secret
    assert redaction.gives_away(30, size, *sums)  # the block of eight beside it has no other unknown line
    assert not redaction.gives_away(40, size, *sums)  # the half with the secret has sixteen more
