"""``replay.json``: a round as ``packet.html`` steps through it, in words, clauses and pictures of the table."""

import json
import re
from typing import Any, Final

from dashboards.packets.excerpts import Excerpts
from dashboards.packets.gather import Dossier
from dashboards.packets.view import View
from dashboards.rounds.telling import tell
from replay.wording import capital

Data = dict[str, Any]
REPLAY: Final = "replay.json"
FORMAT: Final = "audit21-replay/1"
_PIECE: Final = re.compile(r"(?=<(?:svg|g|path|rect|circle|text)\b)")


def replay_data(dossier: Dossier, packet: Data) -> Data:
    """Collect a round's data for the page from the facts of the paper; times are in the property's time zone."""
    told, view = tell(dossier), View(packet)
    pieces: dict[str, int] = {}
    steps = zip(told.steps, packet["steps"], strict=True)
    return {
        "format": FORMAT,
        "round_id": packet["round_id"],
        "property": packet["property"].get("name") or "",
        "facts": view.facts(),
        "case": view.case(),
        "result": view.result(),
        "currency": view.currency,
        "steps": [
            {**_step(shown, facts, view), "picture": _pieces(shown["picture"], pieces)} for shown, facts in steps
        ],
        "pieces": list(pieces),
        "findings": [_finding(row) for row in told.findings],
        "settlements": [{**view.settlement(row), **view.reason(row)} for row in packet["settlements"]],
        "totals": view.totals(),
        "stills": [_still(row) for row in packet["stills"]],
        "limits": packet["limits"],
    }


def replay_bytes(replay: Data) -> bytes:
    """The replay as a file of the bundle."""
    return (json.dumps(replay, ensure_ascii=False) + "\n").encode()


def raw_lines(shown: Excerpts) -> dict[str, str]:
    """The raw lines in the bundle as text, by landing path and number."""
    places = {(proof.name, proof.at): proof.line for proof in shown.proofs}
    places |= {(shown.names[row["path"]], row["at"]): row["line"] for row in shown.unproved}
    paths = {name: path for path, name in shown.names.items()}
    found = {}
    for (name, at), number in sorted(places.items()):
        line = shown.texts[name].split(b"\n")[at - 1]
        found[f"{paths[name]}:{number}"] = line.decode("utf-8", "replace")
    return found


def _step(shown: Data, facts: Data, view: View) -> Data:
    told, line = view.step(facts), facts["line"]
    return {
        "step": shown["step"],
        "turn": told["turn"],
        "words": shown["words"],
        "clock": told["corrected"],
        "rows": shown["rows"],
        "source": told["source"] + (f" {line['device']}" if line and line["device"] else ""),
        "own_clock": told["own"],
        "n": facts["n"],
        "line": {"path": line["path"], "line": line["line"]} if line else None,
        "findings": shown["findings"],
    }


def _pieces(picture: str, known: dict[str, int]) -> list[int]:
    """A picture as numbers of its pieces: from one step to the next most of them stay."""
    return [known.setdefault(piece, len(known)) for piece in _PIECE.split(picture) if piece]


def _finding(row: Data) -> Data:
    kept = ("finding_id", "code", "severity", "step", "rows")
    return {**{name: row[name] for name in kept}, "message": capital(row["message"])}


def _still(row: Data) -> Data:
    where = f"{row['path']}, frame {row['frame']:,}, {row['time_ms'] / 1000:.3f} s"
    return {"file": row["file"], "finding_id": row["finding_id"], "message": row["message"], "where": where}
