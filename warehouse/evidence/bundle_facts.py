"""Holds what a dispute packet says against its schema, the raw lines and the log entries that came with it."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from warehouse.evidence.bundle_files import GONE, SCHEMA, Bundle, lines_name, schema
from warehouse.evidence.proofs import Proof
from warehouse.evidence.report import Report

# What a raw line says and the packet repeats.
_REPEATED: Final = ("type", "card", "n", "shoe")


def read_facts(bundle: Bundle) -> dict[str, Any]:
    """The packet's facts, if they are in the form that their schema describes."""
    from jsonschema import Draft202012Validator  # slow to import, and needed here only

    try:
        packet: dict[str, Any] = json.loads(bundle.files["packet.json"])
    except ValueError as error:
        bundle.report.differ("packet.json", "JSON", str(error))
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


def check_facts(
    bundle: Bundle, entries: list[Mapping[str, Any]], found: dict[str, dict[int, Proof]], packet: dict[str, Any]
) -> None:
    """What the packet says against what the lines and the log say."""
    report = bundle.report
    floor = hashlib.sha256(bundle.files["floor.toml"]).hexdigest()
    floors = {entry["floor"]["sha256"] for entry in entries if entry["kind"] == "custody"}
    if floor not in floors or floor != packet["rulebook"]["floor_sha256"]:
        report.differ("floor.toml", "the one in custody that the round was judged by", floor)
    snapshots = {entry["snapshot"] for entry in entries if entry["kind"] == "published"}
    if packet["published"]["snapshot"] not in snapshots:
        report.differ("packet.json published", "a snapshot that the log has", str(packet["published"]["snapshot"]))
    raw = _raw(bundle, found, packet)
    left_out = {(each["path"], each["line"]) for each in (packet["redaction"] or {}).get("lines", ())}
    gone = {row["path"] for row in packet["sources"] if row["state"] == GONE}
    report.notes += [f"{path}: the lake no longer kept its lines when the packet was made" for path in sorted(gone)]
    paid: dict[tuple[Any, ...], list[int]] = {}
    for step in packet["steps"]:
        if (told := step["line"]) and told["path"] not in gone and (told["path"], told["line"]) not in left_out:
            line = raw.get((told["path"], told["line"]))
            _check_step(report, step, line)
            if line and line.get("type") == "settle":
                key = (line["seat"], line.get("bettor") or 1, line["kind"], line.get("hand") or 1)
                amounts = paid.setdefault(key, [0, 0])
                amounts[0] += line.get("paid_cents") or 0
                amounts[1] += line.get("taken_cents") or 0
    if not any(row["source"] == "terminal" and row["path"] in gone for row in packet["sources"]):
        _check_amounts(report, packet, paid)


def _raw(
    bundle: Bundle, found: dict[str, dict[int, Proof]], packet: dict[str, Any]
) -> dict[tuple[str, int], dict[str, Any]]:
    """The raw lines by file and line."""
    unproved = {(each["path"], each["at"]): each["line"] for each in (packet["redaction"] or {}).get("unproved", ())}
    lines = {}
    for row in packet["sources"]:
        name = lines_name(row["path"])
        for at, line in enumerate(bundle.files.get(name, b"").split(b"\n")[:-1], 1):
            proof = found.get(name, {}).get(at)
            number = proof.line if proof else unproved.get((row["path"], at))
            try:
                told = json.loads(line)
            except ValueError:
                continue
            if number is not None and isinstance(told, dict):
                lines[row["path"], number] = told
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
