"""Inclusion proofs as lines of text that a shell can follow: which line, under which root, and the hashes on the way.

``lines/terminal.ndjson 3 512 2569 <root> R<hash> L<hash> ...`` says that line 3 of that file of a bundle is line 512 of
the 2,569 that have this root. Each further word is the next hash upwards; L stands on the left of what is known so far.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.merkle import check_inclusion, leaf_hash

HEADER: Final = "# file line-in-file line-of-source lines-of-source root path\n"


class ProofError(EvidenceError):
    """A text that is no list of proofs; says which line."""


class Proof(NamedTuple):
    """One line of a file in a bundle, and its way to the root of the lines that it comes from."""

    name: str  # of the file in the bundle
    at: int  # line in that file, from 1
    line: int  # line of the source, from 1
    lines: int  # of the source
    root: str  # hexadecimal
    path: tuple[bytes, ...]

    def holds(self, content: bytes) -> bool:
        """Return whether the line with this content leads to the root."""
        try:
            root = bytes.fromhex(self.root)
        except ValueError:
            return False
        return check_inclusion(leaf_hash(content), self.line - 1, self.lines, self.path, root)


def sides(index: int, size: int, steps: int) -> str:
    """For each hash of a path whether it stands on the left or the right: ``LRR...`` (RFC 9162, section 2.1.3.2)."""
    here, last, found = index, size - 1, ""
    for _ in range(steps):
        if here & 1 or here == last:
            found += "L"
            while not here & 1 and here:
                here, last = here >> 1, last >> 1
        else:
            found += "R"
        here, last = here >> 1, last >> 1
    return found


def write(proofs: Iterable[Proof]) -> str:
    """The proofs, one to a line."""
    return HEADER + "".join(f"{_line(proof)}\n" for proof in proofs)


def _line(proof: Proof) -> str:
    marks = sides(proof.line - 1, proof.lines, len(proof.path))
    steps = [f"{side}{node.hex()}" for side, node in zip(marks, proof.path, strict=True)]
    return " ".join([proof.name, str(proof.at), str(proof.line), str(proof.lines), proof.root, *steps])


def read(text: str) -> list[Proof]:
    """The proofs of a text; only the form in which they are written will do."""
    found = []
    if not text.startswith(HEADER) or not text.endswith("\n"):
        raise ProofError("line 1: this is no list of proofs as audit21 writes it")
    for number, line in enumerate(text.split("\n")[1:-1], 2):
        try:
            name, at, of, lines, root, *steps = line.split(" ")
            proof = Proof(name, int(at), int(of), int(lines), root, tuple(bytes.fromhex(step[1:]) for step in steps))
        except ValueError as error:
            raise ProofError(f"line {number}: this is no proof: {error}") from None
        if _line(proof) != line:
            raise ProofError(f"line {number}: this is no proof as audit21 writes it")
        found.append(proof)
    return found


def write_consistency(old: int, size: int, path: Iterable[bytes]) -> bytes:
    """The proof that a log continues a smaller one, on one line: both sizes and the hashes (RFC 9162, 2.1.4)."""
    return (" ".join([str(old), str(size), *(node.hex() for node in path)]) + "\n").encode()


def read_consistency(content: bytes) -> tuple[int, int, tuple[bytes, ...]]:
    """Both sizes and the hashes of such a line; only the form in which it is written will do."""
    try:
        old, size, *steps = content.decode("ascii").split()
        found = int(old), int(size), tuple(bytes.fromhex(step) for step in steps)
    except ValueError as error:
        raise ProofError(f"this is no proof of consistency: {error}") from None
    if write_consistency(*found) != content:
        raise ProofError("this is no proof of consistency as audit21 writes it")
    return found


def by_file(proofs: Sequence[Proof]) -> dict[str, dict[int, Proof]]:
    """The proofs by file and line in it."""
    found: dict[str, dict[int, Proof]] = {}
    for proof in proofs:
        of_file = found.setdefault(proof.name, {})
        if proof.at in of_file:
            raise ProofError(f"{proof.name} line {proof.at}: found two proofs, expected one")
        of_file[proof.at] = proof
    return found
