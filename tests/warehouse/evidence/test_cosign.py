"""Cosignatures against published ones, and what a verifier demands of them."""

from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from warehouse.evidence import checkpoint, cosign, vkeys
from warehouse.evidence.cosign import Demand
from warehouse.evidence.keys import Signer
from warehouse.evidence.verify import Trust, verify
from warehouse.evidence.vkeys import VerifierKey, VerifierKeyError

# A checkpoint of a public log with the cosignatures of four public witnesses, and their keys.
PUBLIC = """\
arche2025h1.staging.ct.transparency.dev
1432088532
U7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=

— arche2025h1.staging.ct.transparency.dev \
ui8GwCF1+kWqZrxGdhj4aX3gcw7XUlXQQabg/27lefwhUkzbC3NygNI75MdhL1bfTW9g8Ei59RA23oHP7Ry1k3ZFWwQ=
— transparency.dev/DEV:witness-little-garden \
2AQqhwAAAABqEiEgzgFIqqhbUoDwjMWE6UP8nd8/KYTzwZ2rhIgcqoXHAwVkjZr4AscylP3v7sEodkRAErumC2q44vdgJY096st5BQ==
— witness1.smartit.nu/witness1 \
pIyCDwAAAABqEiEghIp82KWebrw7/oHQwlTAm3g2RKS4+eebl8eO0WH+/iEcxZ75W3u5hNI7TOQtmJbqmNWVuE0tgh0XwzdZsDsUAQ==
— remora.n621.de \
2net5wAAAABqEiEgPlfF3V06o0Y+fHM+J5J9s27wgxxcOVSpZ/2g/KSiXCg9DEZI+aVCIobWX9sXTynk5XeU/zZ0WBxtqB0DrAWfBw==
— witness.stagemole.eu \
Z/euoAAAAABqEiEgw0i+7g2ENfDAWHmtRzCfKTHSDwYDJA2NmKeGi9Y8FtEyOUvVr+AJmIY/2TUFucgKi7lI7cUiOvKFYe/TmN9DAg==
"""
WITNESSES = (
    "transparency.dev/DEV:witness-little-garden+d8042a87+BCtusOxINQNUTN5Oj8HObRkh2yHf/MwYaGX4CPdiVEPM",
    "witness1.smartit.nu/witness1+a48c820f+BPSFWg9G6KPiO7QPryYO5Xq4oYJJ+kAvLKLSimDhoxMO",
    "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2",
    "witness.stagemole.eu+67f7aea0+BEqSG3yu9YrmcM3BHvQYTxwFj3uSWakQepafafpUqklv",
)
LOG = "arche2025h1.staging.ct.transparency.dev+ba2f06c0+AU0vHmlGCS/PdN8b2OaGmKprLI8HKM+dJ472xgFYh15f"
# The example of C2SP signed-note.
NOTE_KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
NOTE_LINE = (
    "— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM="
)


def new_witness(name: str) -> tuple[Signer, VerifierKey]:
    signer = Signer(Ed25519PrivateKey.generate())
    return signer, VerifierKey(name, vkeys.WITNESS, signer.public)


def test_published_cosignatures_verify() -> None:
    found = checkpoint.parse(PUBLIC.encode())
    witnesses = [vkeys.parse(text, vkeys.WITNESS) for text in WITNESSES]
    times, forged = cosign.cosigned(found, witnesses)
    assert forged == [] and set(times) == set(witnesses)
    assert set(times.values()) == {0x6A122120}
    log = vkeys.parse(LOG, vkeys.LOG)
    assert checkpoint.check(found, [log.public]) == ([log.public], [])
    other = replace(found, size=found.size + 1)
    assert cosign.cosigned(other, witnesses)[0] == {}
    assert len(cosign.cosigned(other, witnesses)[1]) == 4


def test_the_example_of_the_specification() -> None:
    key, line = vkeys.parse(NOTE_KEY, vkeys.LOG), checkpoint.read_signature(NOTE_LINE)
    assert (line.name, line.key_hash) == (key.name, key.key_hash)
    assert checkpoint.verifies(key.public, line.signature, b"This is an example message.\n")
    assert not checkpoint.verifies(key.public, line.signature, b"This is an example message!\n")
    assert key.text == NOTE_KEY


@pytest.mark.parametrize(
    "text",
    [
        "bananas.sigstore.dev+12344556",
        "rekor.sigstore.dev+12345678+THIS_IS_NOT_BASE64!",
        "rekor.sigstore.dev+12345678+AwEB",
        "remora.n621.de+00000000+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2",
        "remora+n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2",
        NOTE_KEY,
        "",
    ],
)
def test_what_is_no_key_of_a_witness_is_refused(text: str) -> None:
    with pytest.raises(VerifierKeyError):
        vkeys.parse(text, vkeys.WITNESS)


def test_a_cosignature_is_bound_to_text_time_and_key(lake: Path) -> None:
    found = checkpoint.parse((lake / "evidence/checkpoints/0000000010.txt").read_bytes())
    signer, key = new_witness("regulator.example/w1")
    line = cosign.cosign(signer, key.name, found, 1_790_000_000)
    assert cosign.cosigned(replace(found, signatures=(line,)), [key])[0] == {key: 1_790_000_000}
    later = line._replace(signature=(1_790_000_001).to_bytes(8, "big") + line.signature[8:])
    short = line._replace(signature=line.signature[:40])
    for forged in (later, short, line._replace(signature=b"")):
        assert cosign.cosigned(replace(found, signatures=(forged,)), [key]) == ({}, [forged])
    longer = replace(found, extensions=(*found.extensions, "more"), signatures=(line,))
    assert cosign.cosigned(longer, [key])[0] == {}


def test_verify_demands_so_many_of_the_witnesses(lake: Path, tmp_path: Path) -> None:
    path = lake / "evidence/checkpoints/0000000010.txt"
    first, second, third = (new_witness(f"regulator.example/w{at}") for at in (1, 2, 3))
    found, own = checkpoint.parse(path.read_bytes()), path.read_bytes().splitlines()[-1]
    for signer, key in (first, second):
        cosign.attach(path, [cosign.cosign(signer, key.name, found, 1_790_000_000)])
    assert path.read_bytes().splitlines()[-1] == own
    assert verify(lake).differences == []
    assert "'regulator.example/w1' 1" in verify(lake).notes[0]
    all_three = (first[1], second[1], third[1])
    assert verify(lake, trust=Trust(demand=Demand(all_three, 2))).differences == []
    told = str(verify(lake, trust=Trust(demand=Demand(all_three, 3))).first)
    assert "found 2; enough of them cosigned the first 0 of 10 entries, expected cosignatures by 3 of 3" in told
    alias = VerifierKey("regulator.example/alias", vkeys.WITNESS, first[1].public)
    cosign.attach(path, [cosign.cosign(first[0], alias.name, found, 1_790_000_000)])
    assert verify(lake, trust=Trust(demand=Demand((first[1], alias, third[1]), 2))).differences != []
    files = []
    for at, key in enumerate(all_three):
        files.append(tmp_path / f"{at}.vkey")
        files[-1].write_text(f"# a remark\n{key.text}\n")
    assert cosign.demand(files, None) == Demand(all_three, 3)
    with pytest.raises(VerifierKeyError, match="expected 1 to 3"):
        cosign.demand(files, 4)


def test_a_changed_cosignature_is_found(lake: Path) -> None:
    path = lake / "evidence/checkpoints/0000000007.txt"
    signer, key = new_witness("regulator.example/w1")
    found = checkpoint.parse(path.read_bytes())
    line = cosign.cosign(signer, key.name, found, 1_790_000_000)
    cosign.attach(path, [line._replace(signature=line.signature[:-1] + bytes([line.signature[-1] ^ 1]))])
    assert "one that it did not make" in str(verify(lake, trust=Trust(demand=Demand((key,)))).first)
