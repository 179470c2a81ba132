"""The packet as plain data: ``packet.json``, which the paper is printed from and ``packet.schema.json`` describes."""

from dataclasses import asdict
from datetime import date, datetime
from typing import Any, Final

from dashboards.packets import timeline, verdicts
from dashboards.packets.case import CaseFile
from dashboards.packets.excerpts import Chain, Excerpts
from dashboards.packets.gather import Dossier
from dashboards.packets.limits import limits
from dashboards.packets.stills import PacketStill
from dashboards.packets.withhold import Withheld
from replay.rulebook_file import Rulebook

FORMAT: Final = "audit21-packet/1"
Data = dict[str, Any]


def document(
    dossier: Dossier,
    case: CaseFile,
    shown: Excerpts,
    chain: Chain,
    stills: list[PacketStill],
    withheld: Withheld | None,
) -> Data:
    """All facts of the packet; times are in UTC, money is in cents."""
    listed, settled = timeline.cards(dossier), verdicts.settlements(dossier)
    found: Data = {
        "format": FORMAT,
        "round_id": dossier.place.round_id,
        "property": dict(dossier.place.floor.property),
        "case": asdict(case),
        "published": _published(dossier, chain),
        "rulebook": _rulebook(dossier),
        "round": _round(dossier),
        "hands": _hands(dossier),
        "steps": timeline.steps(dossier),
        "cards": listed,
        "settlements": settled,
        "findings": verdicts.findings(dossier),
        "findings_around": verdicts.around(dossier),
        "considered": asdict(dossier.considered),
        "clocks": [_without(row, "gaming_day", "table") for row in dossier.clocks],
        "sources": shown.sources,
        "sightings": len(dossier.sightings),
        "stills": [still.data() for still in stills],
        "limits": limits(dossier, listed, settled, shown.sources, len(stills)),
        "redaction": _redaction(withheld, shown),
        "evidence": _evidence(chain, shown),
    }
    return _plain(found)  # type: ignore[no-any-return]


def rulebook_bytes(book: Rulebook) -> bytes:
    """Return a rulebook's entry in the library: every clause paraphrased, with the settings it decides."""
    return book.source


def _published(dossier: Dossier, chain: Chain) -> Data:
    state = dossier.place.state
    return {
        "snapshot": state.snapshot,
        "at": state.published,
        "as_of": dossier.as_of,
        "reason": state.reason,
        "restates": state.restates,
        "engine_version": state.engine_version,
        "signed_off": chain.signed_off,
    }


def _rulebook(dossier: Dossier) -> Data:
    account, row = dossier.account, dossier.round
    return {
        "id": account.rulebook,
        "title": account.title,
        "version": row["rulebook_version"],
        "floor_sha256": row["floor_sha256"],
        "decks": account.decks,
        "boxes": account.boxes,
        "currency": account.currency,
        "min_cents": account.min_cents,
        "max_cents": account.max_cents,
        "settings": [asdict(setting) for setting in account.settings],
    }


def _round(dossier: Dossier) -> Data:
    names = (
        *("table", "gaming_day", "round", "shoe", "dealer", "shift", "started", "ended", "complete", "void"),
        *("void_logged", "dealer_cards", "dealer_total", "boxes", "evidence", "doubt", "verdict", "currency"),
        *("handle_cents", "paid_cents", "taken_cents", "over_cents", "under_cents"),
    )
    return {name: dossier.round[name] for name in names}


def _hands(dossier: Dossier) -> list[Data]:
    worth = {(hand.seat, hand.hand): hand for hand in dossier.account.hands}
    found = []
    for row in dossier.hands:
        told = worth.get((row["seat"], row["hand"]))
        more = {"worth": told.worth, "doubled": told.doubled, "from_split": told.from_split} if told else {}
        found.append({**_without(row, "gaming_day", "table", "round_id"), **more})
    return found


def _redaction(withheld: Withheld | None, shown: Excerpts) -> Data | None:
    if withheld is None:
        return None
    return {
        "kept": withheld.keep,
        "patrons": withheld.commitments(),
        "lines": shown.removed,
        "unproved": shown.unproved,
    }


def _evidence(chain: Chain, shown: Excerpts) -> Data:
    signed = chain.checkpoint
    said = dict(line.split(" ", 1) for line in signed.extensions)
    return {
        "origin": signed.origin,
        "size": signed.size,
        "root": signed.root,
        "time": said.get("time"),
        "key_id": list(chain.keys)[-1],
        "lines": sum(text.count(b"\n") for text in shown.texts.values()),
        "proofs": len(shown.proofs),
    }


def _without(row: Data, *names: str) -> Data:
    return {name: value for name, value in row.items() if name not in names}


def _plain(value: Any) -> Any:
    """The same for JSON: times as text, tuples as lists."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    return value.hex() if isinstance(value, bytes) else value
