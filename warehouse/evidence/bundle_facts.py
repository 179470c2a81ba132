"""Checks the facts of a dispute packet against its schema, the raw lines and the log entries in its bundle."""

import json
from typing import Any, Final

from warehouse.evidence.bundle_files import FILM, FLOOR, GONE, IN_BUNDLE, PACKET, SCHEMA, Bundle, schema
from warehouse.evidence.manifest import Manifest
from warehouse.evidence.proofs import Proof
from warehouse.evidence.report import Report

# The fields of a raw line that the packet repeats.
_REPEATED: Final = ("type", "card", "n", "shoe")


def read_facts(bundle: Bundle) -> dict[str, Any]:
    """The packet's facts, if they are in the form that their schema describes."""
    from jsonschema import Draft202012Validator  # slow to import, and needed here only

    try:
        packet: dict[str, Any] = json.loads(bundle.files[PACKET])
    except (ValueError, RecursionError) as error:
        bundle.report.differ(PACKET, "JSON", str(error))
        return {}
    if bundle.files[SCHEMA] != schema():
        bundle.report.notes.append(
            f"{SCHEMA} is not the one that this software publishes; the facts are held against that"
        )
    for wrong in Draft202012Validator(json.loads(schema())).iter_errors(packet):
        place = "/".join(map(str, wrong.absolute_path))
        bundle.report.differ(f"packet.json {place}", f"what {SCHEMA} describes", wrong.message[:120])
        return {}
    return packet


def check_facts(bundle: Bundle, said: Manifest, found: dict[str, dict[int, Proof]], packet: dict[str, Any]) -> None:
    """Check the packet's facts against the manifest and the raw lines; add discrepancies to the report."""
    report = bundle.report
    _check_manifest(report, said, packet)
    if bundle.digests[FLOOR].sha256 != packet["rulebook"]["floor_sha256"]:
        report.differ(FLOOR, "the one that the round was judged by", bundle.digests[FLOOR].sha256)
    raw = _raw(bundle, said, found)
    left_out = {(each.path, each.line) for each in said.withheld_lines}
    gone = {each.path for each in said.not_kept}
    paid: dict[tuple[Any, ...], list[int]] = {}
    for step in packet["steps"]:
        if (told := step["line"]) and told["path"] not in gone and (told["path"], told["line"]) not in left_out:
            line = raw.get((told["path"], told["line"]))
            _check_step(report, step, line)
            if line and line.get("type") == "settle":
                amounts = paid.setdefault(_wager(line), [0, 0])
                amounts[0] += _cents(line, "paid_cents")
                amounts[1] += _cents(line, "taken_cents")
    if not any(row["source"] == "terminal" and row["path"] in gone for row in packet["sources"]):
        _check_amounts(report, packet, paid)


def _wager(line: dict[str, Any]) -> tuple[Any, ...]:
    """Return the key of the wager that a line settles; a value of the wrong type becomes text that matches no wager."""
    named = (line.get("seat"), line.get("bettor") or 1, line.get("kind"), line.get("hand") or 1)
    return tuple(value if isinstance(value, int | str) else repr(value) for value in named)


def _cents(line: dict[str, Any], name: str) -> int:
    value = line.get(name)
    return value if isinstance(value, int) else 0


def _check_manifest(report: Report, said: Manifest, packet: dict[str, Any]) -> None:
    """The packet speaks of the round, the publication, the sources and the redaction that the manifest names."""
    redaction, published = packet["redaction"], packet["published"]
    left_out = redaction or {"lines": (), "unproved": (), "patrons": ()}
    names = {lines.path: lines.name for lines in said.lines}
    states = {IN_BUNDLE: said.lines, GONE: said.not_kept, FILM: said.films}
    pairs: dict[str, tuple[object, object]] = {
        "round_id": (packet["round_id"], said.round_id),
        "published": (
            (published["snapshot"], published["at"], published["as_of"]),
            (said.snapshot, said.published, said.as_of),
        ),
        "evidence": (
            tuple(packet["evidence"][name] for name in ("origin", "size", "root")),
            (said.origin, said.size, said.root),
        ),
        "sources": (
            {(row["state"], row["path"], row["sha256"]) for row in packet["sources"]},
            {(state, each.path, each.sha256) for state, those in states.items() for each in those},  # type: ignore[attr-defined]
        ),
        "redaction": (redaction is not None, said.redacted),
        "redaction lines": (
            {(each["path"], each["line"], each["salted_sha256"]) for each in left_out["lines"]},
            {(each.path, each.line, each.salted_sha256) for each in said.withheld_lines},
        ),
        "redaction unproved": (
            {(names.get(each["path"]), each["at"], each["line"]) for each in left_out["unproved"]},
            {(each.name, each.at, each.line) for each in said.unproved},
        ),
        "redaction patrons": (
            {(each["label"], each["salted_sha256"]) for each in left_out["patrons"]},
            {(each.label, each.salted_sha256) for each in said.withheld_patrons},
        ),
    }
    for name, (told, expected) in pairs.items():
        if told != expected:
            report.differ(f"{PACKET} {name}", f"what the manifest says, {expected!r:.120}", f"{told!r:.120}")


def _raw(bundle: Bundle, said: Manifest, found: dict[str, dict[int, Proof]]) -> dict[tuple[str, int], dict[str, Any]]:
    """The raw lines by file and line."""
    unproved = {(each.name, each.at): each.line for each in said.unproved}
    lines = {}
    for source in said.lines:
        for at, line in enumerate(bundle.lines(source.name) if source.name in bundle.files else (), 1):
            proof = found.get(source.name, {}).get(at)
            number = proof.line if proof else unproved.get((source.name, at))
            try:
                told = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if number is not None and isinstance(told, dict):
                lines[source.path, number] = told
    return lines


def _check_step(report: Report, step: dict[str, Any], line: dict[str, Any] | None) -> None:
    place = f"packet.json step {step['step']}"
    if line is None:
        report.differ(place, f"line {step['line']['line']} of {step['line']['path']} in the bundle", "no such line")
        return
    told = {"type": step["type"], "card": step["card"], "n": step["n"], "shoe": step["shoe"]}
    names = _REPEATED if step["type"] == "draw" else ("type",)
    wrong = [name for name in names if line.get(name) != told[name]]
    if line.get("seq") != step["line"]["seq"] or wrong:
        shown = {name: line.get(name) for name in ("seq", *names)}
        report.differ(place, f"what its line says, {shown}", str({name: told[name] for name in names}))


def _check_amounts(report: Report, packet: dict[str, Any], paid: dict[tuple[Any, ...], list[int]]) -> None:
    """The payments that the packet names are those of the lines."""
    for row in packet["settlements"]:
        key = (row["seat"], row["bettor"], row["kind"], row["hand"])
        logged = paid.pop(key, [0, 0])
        named = [row["actual_paid_cents"], row["actual_taken_cents"]]
        if logged != named:
            place = f"packet.json settlement of {row['place']} {row['kind']}"
            report.differ(place, f"{logged[0]} paid and {logged[1]} taken, as logged", f"{named[0]} and {named[1]}")
    for key, amounts in paid.items():
        if any(amounts):
            report.differ("packet.json settlements", f"the payment {key} of {amounts}", "none")
