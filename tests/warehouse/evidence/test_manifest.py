"""A manifest is read in the form in which it is written, and in no other."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from warehouse.evidence import checkpoint, manifest
from warehouse.evidence.checkpoint import CheckpointError
from warehouse.evidence.keys import Signer
from warehouse.evidence.manifest import File, Lines, Manifest, ManifestError, parse

PAGE = Path(__file__).parents[3] / "dashboards" / "PACKETS.md"
HASH = "ab" * 32
SIGNER = Signer(Ed25519PrivateKey.from_private_bytes(bytes(32)))
PLAIN = Manifest(
    origin=f"audit21/{SIGNER.key_id}",
    round_id='P21-08/2026-01-05/"ß"\n7',
    gaming_day="2026-01-05",
    snapshot=3,
    published="2026-02-01T00:00:04.000Z",
    as_of="2026-02-02T00:00:00.000Z",
    size=4,
    root=HASH,
    redacted=False,
    files=(File("a", 1, HASH), File("lines/%20/-x", 0, HASH)),
    lines=(Lines("lines/%20/-x", 1, 2, HASH, HASH, "2026-01-05/ /-x \\ 名\n"),),
)


def example(mark: str) -> str:
    """A block of the page."""
    found = re.search(rf"<!-- {mark} -->\n```\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return found[1]


def test_the_page_s_example_is_a_manifest_that_its_key_signed() -> None:
    found = parse(example("manifest").encode())
    key = serialization.load_pem_public_key(example("manifest key").encode())
    assert isinstance(key, Ed25519PublicKey)
    assert found.is_signed_by(key.public_bytes_raw())
    assert not found.is_signed_by(SIGNER.public)


def test_what_is_written_is_read_again() -> None:
    signed = PLAIN.signed(SIGNER)
    assert parse(signed.note) == signed
    assert signed.is_signed_by(SIGNER.public)
    assert set(signed.body) <= {10, *range(32, 127)}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("manifest 1\n", "manifest 2\n"),
        ("redacted no", "redacted maybe"),
        ("redacted no\n", ""),
        ("file a 1", "file a 01"),
        ("file a 1", "file a one"),
        ("file a 1", "file ../a 1"),
        ("file a 1", "file a//b 1"),
        ("file a 1", "file /a 1"),
        ("file a 1", "file a;id 1"),
        ("file a 1", "file  a 1"),
        ("file a 1", f"file a 0 {HASH}\nfile a 1"),
        ("file a 1", f"file b 1 {HASH}\nfile a 1"),
        ("\nfile a", "\nfoil a"),
        ("checkpoint 4 ab", "checkpoint 4 AB"),
        ("snapshot 3", "snapshot -3"),
        ("as-of 2026-02-02T", "as-of 2026-02-02 "),
        ("\n\n", "\nreason guess because\n\n"),
        ("\n\n", "\n\n\n"),
        ("\\u540d", "名"),
    ],
)
def test_another_form_is_refused(old: str, new: str) -> None:
    note = PLAIN.signed(SIGNER).note.decode()
    assert note.count(old) >= 1
    with pytest.raises(ManifestError):
        parse(note.replace(old, new, 1).encode())


def test_a_changed_body_is_not_signed() -> None:
    changed = replace(PLAIN.signed(SIGNER), snapshot=4)
    assert not changed.is_signed_by(SIGNER.public)
    twice = replace(PLAIN.signed(SIGNER), signatures=PLAIN.signed(SIGNER).signatures * 2)
    assert not twice.is_signed_by(SIGNER.public)


def test_a_manifest_is_no_checkpoint() -> None:
    """One key signs both; neither can be shown in place of the other."""
    with pytest.raises(CheckpointError):
        checkpoint.parse(PLAIN.signed(SIGNER).note)
    with pytest.raises(ManifestError):
        parse(checkpoint.Checkpoint("audit21/x", 1, bytes(32), ()).note)
    assert manifest.FIRST_LINE not in checkpoint.Checkpoint("audit21/x", 1, bytes(32), ()).note.decode()
