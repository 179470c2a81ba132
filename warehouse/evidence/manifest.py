"""The manifest of a dispute bundle: each of its files and everything that it leaves out, signed by the property.

The body is plain ASCII, one statement to a line, so that a shell can check it; ``dashboards/PACKETS.md`` describes it.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from warehouse.evidence.checkpoint import Signature, key_hash, read_signature, signature_of, verifies
from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.keys import Signer

FIRST_LINE: Final = "audit21 packet manifest 1"
# Names of files in a bundle: nothing in them means anything to a shell, a path or an archive.
NAME: Final = re.compile(r"(?!.*(^|/)\.{0,2}(/|$))[A-Za-z0-9._%/-]{1,1000}")
REASONS: Final = {
    "guess": "a proof would help to guess a line that is withheld",
    "missing": "the lake does not have this file and no removal is on record",
    "no-lines": "this file has no lines that can be read",
    "other-patron": "it identifies a patron who is not the complainant",
    "retention": "removed from the lake under a retention policy",
}


class ManifestError(EvidenceError):
    """A text that is no manifest; names the line and the expected content."""


class File(NamedTuple):
    """A file of the bundle."""

    name: str
    bytes: int
    sha256: str


class Lines(NamedTuple):
    """A file of raw lines in the bundle, and the landing file that they are from."""

    name: str
    shown: int  # lines in the bundle
    lines: int  # of the landing file
    root: str  # of the tree over them
    sha256: str  # of the landing file
    path: str


class Film(NamedTuple):
    """Footage that the round was seen in: named by its hash, not in the bundle."""

    sha256: str
    bytes: int
    path: str


class NotKept(NamedTuple):
    """A landing file whose lines are not in the bundle."""

    sha256: str
    reason: str
    path: str


class Unproved(NamedTuple):
    """A line of the bundle without a proof."""

    name: str
    at: int  # line in that file of the bundle
    line: int  # of the landing file
    reason: str


class WithheldLine(NamedTuple):
    """A line that was left out, by its salted hash."""

    salted_sha256: str
    line: int
    reason: str
    path: str


class WithheldPatron(NamedTuple):
    """A patron who was left out, by the salted hash of the card number."""

    label: str
    salted_sha256: str
    reason: str


Statement = File | Lines | Film | NotKept | Unproved | WithheldLine | WithheldPatron
_KEYWORDS: Final[dict[str, tuple[type[Any], str]]] = {
    "file": (File, "files"),
    "lines": (Lines, "lines"),
    "film": (Film, "films"),
    "not-kept": (NotKept, "not_kept"),
    "unproved": (Unproved, "unproved"),
    "withheld-line": (WithheldLine, "withheld_lines"),
    "withheld-patron": (WithheldPatron, "withheld_patrons"),
}


@dataclass(frozen=True)
class Manifest:
    """Contents of a bundle, as the property declares them."""

    origin: str
    round_id: str
    gaming_day: str
    snapshot: int
    published: str
    as_of: str | None
    size: int  # of the log in the checkpoint that the packet rests on
    root: str  # of the log in that checkpoint
    redacted: bool
    files: tuple[File, ...] = ()
    lines: tuple[Lines, ...] = ()
    films: tuple[Film, ...] = ()
    not_kept: tuple[NotKept, ...] = ()
    unproved: tuple[Unproved, ...] = ()
    withheld_lines: tuple[WithheldLine, ...] = ()
    withheld_patrons: tuple[WithheldPatron, ...] = ()
    signatures: tuple[Signature, ...] = field(default=())

    @property
    def body(self) -> bytes:
        """The text that is signed, with its last newline."""
        said = [
            FIRST_LINE,
            f"log {self.origin}",
            f"round {_quoted(self.round_id)}",
            f"day {self.gaming_day}",
            f"snapshot {self.snapshot}",
            f"published {self.published}",
            f"as-of {self.as_of or '-'}",
            f"checkpoint {self.size} {self.root}",
            f"redacted {'yes' if self.redacted else 'no'}",
        ]
        for keyword, (_, attribute) in _KEYWORDS.items():
            said += sorted(f"{keyword} {_fields(each)}" for each in getattr(self, attribute))
        said += [f"reason {code} {REASONS[code]}" for code in sorted(self._reasons())]
        return "".join(f"{line}\n" for line in said).encode("ascii")

    @property
    def note(self) -> bytes:
        """The whole manifest: the text, an empty line, the signatures."""
        return self.body + b"\n" + "".join(signature.line for signature in self.signatures).encode()

    @property
    def sha256(self) -> str:
        """The hash of the whole manifest, which the evidence log has."""
        return hashlib.sha256(self.note).hexdigest()

    def signed(self, signer: Signer) -> "Manifest":
        """The manifest with a signature."""
        return replace(self, signatures=(signature_of(signer, self.origin, self.body),))

    def is_signed_by(self, public: bytes) -> bool:
        """Tell whether a key made its one signature."""
        if len(self.signatures) != 1:
            return False
        (made,) = self.signatures
        expected = (self.origin, key_hash(self.origin, public))
        return (made.name, made.key_hash) == expected and verifies(public, made.signature, self.body)

    def _reasons(self) -> set[str]:
        found: list[NotKept | Unproved | WithheldLine | WithheldPatron] = [*self.not_kept, *self.unproved]
        found += [*self.withheld_lines, *self.withheld_patrons]
        return {each.reason for each in found}


def parse(note: bytes) -> Manifest:
    """Read a manifest; only the exact form in which it was written will do."""
    try:
        body, _, signatures = note.decode().partition("\n\n")
        head, rest = body.split("\n")[: len(_HEAD)], body.split("\n")[len(_HEAD) :]
        signed = tuple(read_signature(line) for line in signatures.removesuffix("\n").split("\n"))
        found = Manifest(**_head(head), **_statements(rest), signatures=signed)
        again = found.note
    except (ValueError, KeyError, RecursionError) as error:
        raise ManifestError(f"this is no manifest: {error}") from None
    if again != note:
        raise ManifestError("this is no manifest as audit21 writes it: some of its characters or lines were changed")
    names = [file.name for file in found.files]
    if len(set(names)) < len(names) or len({each.name for each in found.lines}) < len(found.lines):
        raise ManifestError("this is no manifest as audit21 writes it: it names a file twice")
    return found


def _head(lines: Iterable[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for line, (pattern, names, expected) in zip(lines, _HEAD, strict=True):
        matched = pattern.fullmatch(line)
        if not matched:
            raise ValueError(f"found {line!r:.80}, expected {expected}")
        found |= dict(zip(names, matched.groups(), strict=True))
    as_of = None if found["as_of"] == "-" else found["as_of"]
    numbers = {name: int(found[name]) for name in ("snapshot", "size")}
    return {
        **found,
        **numbers,
        "as_of": as_of,
        "round_id": _text(found["round_id"]),
        "redacted": found["redacted"] == "yes",
    }


def _statements(lines: Iterable[str]) -> dict[str, Any]:
    found: dict[str, list[Statement]] = {attribute: [] for _, attribute in _KEYWORDS.values()}
    for line in lines:
        keyword, _, rest = line.partition(" ")
        if keyword == "reason":
            continue  # written anew from the codes in use, and compared
        if keyword not in _KEYWORDS:
            raise ValueError(f"found {line!r:.80}, expected one of {', '.join([*_KEYWORDS, 'reason'])}")
        kind, attribute = _KEYWORDS[keyword]
        values = rest.split(" ", len(kind._fields) - 1)
        if len(values) < len(kind._fields):
            raise ValueError(f"found {line!r:.80}, expected the fields {', '.join(kind._fields)}")
        found[attribute].append(kind(*map(_value, kind._fields, values)))
    return {attribute: tuple(each) for attribute, each in found.items()}


def _value(name: str, value: str) -> Any:
    matches, read = _FORMS[name]
    if not matches.fullmatch(value):
        raise ValueError(f"{name}: found {value!r:.80}, expected {matches.pattern}")
    return read(value)


def _fields(statement: Statement) -> str:
    return " ".join(_quoted(value) if name == "path" else str(value) for name, value in statement._asdict().items())


def _quoted(text: str) -> str:
    """A text as the evidence log writes it: JSON in ASCII."""
    return json.dumps(text)


def _text(quoted: str) -> str:
    found = json.loads(quoted)
    if not isinstance(found, str):
        raise ValueError(f"found {quoted!r:.80}, expected a text in JSON")
    return found


_HASH: Final = r"[0-9a-f]{64}"
_NUMBER: Final = r"0|[1-9][0-9]{0,14}"
_TIME: Final = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
_FORMS: Final[Mapping[str, tuple[re.Pattern[str], Callable[[str], Any]]]] = {
    "name": (NAME, str),
    "path": (re.compile('"[ -~]*"'), _text),
    "label": (re.compile("withheld-[1-9][0-9]{0,5}"), str),
    "reason": (re.compile("|".join(REASONS)), str),
    **{name: (re.compile(_HASH), str) for name in ("sha256", "root", "salted_sha256")},
    **{name: (re.compile(_NUMBER), int) for name in ("bytes", "shown", "lines", "at", "line")},
}
_HEAD: Final = [
    (re.compile(pattern, re.ASCII), names, expected)
    for pattern, names, expected in (
        (FIRST_LINE, (), FIRST_LINE),
        (r"log (audit21/[0-9a-f]{16}(?:-[0-9a-f]{16})?)", ("origin",), "log and its name"),
        (r'round ("[ -~]*")', ("round_id",), "round and its id in JSON"),
        (r"day (\d{4}-\d\d-\d\d)", ("gaming_day",), "day such as 2026-01-05"),
        (rf"snapshot ({_NUMBER})", ("snapshot",), "snapshot and its number"),
        (rf"published ({_TIME})", ("published",), "published and a time"),
        (rf"as-of (-|{_TIME})", ("as_of",), "as-of and a time, or -"),
        (rf"checkpoint ({_NUMBER}) ({_HASH})", ("size", "root"), "checkpoint, its size and its root"),
        (r"redacted (yes|no)", ("redacted",), "redacted yes or no"),
    )
]
