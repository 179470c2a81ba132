"""Forgery of dispute bundles: changes files, and makes anew everything that does not need a key."""

import hashlib
import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from dashboards.packets.paper import verify_script
from warehouse.evidence import bundle, checkpoint, manifest
from warehouse.evidence.bundle_files import BESIDE, BundleError
from warehouse.evidence.keys import Signer, public_pem
from warehouse.evidence.manifest import File, Manifest

FORGER = Signer(Ed25519PrivateKey.from_private_bytes(b"f" * 32))


def files(folder: Path) -> dict[str, bytes]:
    """The files of an unpacked bundle."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def edit(folder: Path, name: str, old: str | bytes, new: str | bytes, times: int = 1) -> None:
    """Replace a text in a file; it has to be there."""
    old, new = (each.encode() if isinstance(each, str) else each for each in (old, new))
    content = (folder / name).read_bytes()
    assert old in content and old != new
    (folder / name).write_bytes(content.replace(old, new, times))


def edit_facts(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change packet.json."""
    path = folder / "packet.json"
    packet = json.loads(path.read_text(encoding="utf-8"))
    before = json.dumps(packet)
    change(packet)
    assert json.dumps(packet) != before
    path.write_text(json.dumps(packet, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def edit_lines(folder: Path, name: str, change: Callable[[list[bytes]], list[bytes]]) -> None:
    """Change the lines of a file."""
    path = folder / name
    before = path.read_bytes().splitlines(keepends=True)
    after = change(list(before))
    assert before != after
    path.write_bytes(b"".join(after))


def read_manifest(folder: Path) -> Manifest:
    return manifest.parse((folder / "manifest.txt").read_bytes())


def list_again(folder: Path, signer: Signer | None = None, **other: Any) -> Manifest:
    """Write the manifest anew for the files as they are now; signed by the forger, or with the signature as it was."""
    old = read_manifest(folder)
    listed = tuple(
        File(name, len(content), hashlib.sha256(content).hexdigest())
        for name, content in sorted(files(folder).items())
        if name not in BESIDE
    )
    new = replace(old, files=listed, **other)
    new = new if signer is None else replace(new, signatures=()).signed(signer)
    assert new.note != old.note
    (folder / "manifest.txt").write_bytes(new.note)
    return new


def sign_all_again(folder: Path, signer: Signer) -> None:
    """Sign the manifest and both checkpoints with another key, and put that key into the bundle."""
    (folder / "evidence" / "key.pem").write_bytes(public_pem(signer.public))
    for place in ("evidence/checkpoint.txt", "issued/checkpoint.txt"):
        note = checkpoint.parse((folder / place).read_bytes())
        made = checkpoint.signature_of(signer, note.origin, note.body)
        (folder / place).write_bytes(replace(note, signatures=(made,)).note)
    list_again(folder, signer)


def found_by_audit21(folder: Path, key: Path) -> list[str]:
    """Return the discrepancies that ``audit21 verify`` finds."""
    try:
        return [str(difference) for difference in bundle.verify(folder, key).differences]
    except BundleError as error:
        return [str(error)]


def run_script(folder: Path, key: Path | None, shell: str, elsewhere: Path) -> subprocess.CompletedProcess[bytes]:
    """An untouched verify.sh, obtained elsewhere, run on a bundle."""
    elsewhere.mkdir(exist_ok=True)
    script = elsewhere / "verify.sh"
    script.write_bytes(verify_script())
    command = [shell, str(script), *([str(key)] if key else [])]
    return subprocess.run(command, cwd=folder, capture_output=True, timeout=60, check=False)
