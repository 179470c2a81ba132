"""Limitations of a round's evidence, in plain words."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

from dashboards.packets.gather import Dossier, Row
from warehouse.evidence.bundle_files import GONE

Data = dict[str, Any]
_MUCH_MS: Final = 2000


def limits(dossier: Dossier, listed: list[Data], settled: list[Data], sources: list[Data], stills: int) -> list[str]:
    """Return the limitations of this round's evidence, the gravest first, then those of all such evidence."""
    return [
        *_gone(sources),
        *_sources(dossier, stills),
        *_round(dossier, settled),
        *_cards(listed),
        *_clocks(dossier),
        *_around(dossier),
        *_always(dossier),
    ]


def _gone(sources: list[Data]) -> Iterator[str]:
    for row in sources:
        if row["state"] == GONE:
            yield (
                f"The lines of {row['path']} are not in the bundle: the lake no longer keeps that file, or it has no "
                "lines. Its hash is on record; this packet's data on its lines are those that were published."
            )


def _sources(dossier: Dossier, stills: int) -> Iterator[str]:
    evidence = str(dossier.round["evidence"]).split("+")
    by_camera = any(row["source"] == "camera" for row in dossier.cards)
    if "shoe" not in evidence and by_camera:
        yield (
            "The dealing shoe has no record of this round. Its cards are those that a camera saw; their ordinals in "
            "the shoe are not known, and a card that the camera did not see is missing."
        )
    elif "shoe" not in evidence:
        yield (
            "The dealing shoe has no record of this round and no camera saw its cards. The cards dealt are not known, "
            "and no settlement that depends on them can be confirmed or refuted."
        )
    if "camera" not in evidence:
        yield "No camera saw this round. The hand of each card follows from the order of dealing and the terminal."
    elif not stills:
        yield "No still of footage belongs to this round; the camera's readings are shown without pictures."


def _round(dossier: Dossier, settled: list[Data]) -> Iterator[str]:
    if doubt := dossier.round["doubt"]:
        yield f"It is in doubt which cards belong to this round: {doubt}."
    if not dossier.round["complete"]:
        yield "The terminal did not log the end of this round."
    if open_ := [row for row in settled if row["verdict"] == "undetermined"]:
        places = ", ".join(f"{row['place']} {row['kind_name']}" for row in open_)
        yield f"The expected settlement could not be determined for: {places}."
    if changed := [row for row in settled if not row["is_same_again"]]:
        places = ", ".join(f"{row['place']} {row['kind_name']}" for row in changed)
        yield (
            f"Judged again by the software that made this packet, the result differs from the published one for: "
            f"{places}. The published amounts are shown."
        )


def _cards(listed: list[Data]) -> Iterator[str]:
    if count := sum(card["agreement"] == "disagree" for card in listed):
        yield f"Sources disagree on {_count(count, 'card')}; both readings are shown and neither was changed."
    unread = [card for card in listed if card["why"] == "the camera saw a card here and did not read it"]
    if unread:
        yield f"The camera saw {_count(len(unread), 'card')} without reading rank and suit."
    unseen = [card for card in listed if card["why"] == "no camera saw it"]
    if unseen and len(unseen) < len(listed):
        yield f"For {_count(len(unseen), 'card')} there is no sighting; the shoe's reading stands alone."


def _clocks(dossier: Dossier) -> Iterator[str]:
    unsure = {_clock_name(row): row["note"] for row in dossier.clocks if not row["sure"]}
    for name, note in unsure.items():
        yield f"The clock offset of the {name} could not be determined: {note or 'insufficient data'}."
    for row in dossier.clocks:
        if row["sure"] and row["uncertainty_ms"] > _MUCH_MS and _in_force(row, dossier.round):
            yield f"The clock offset of the {_clock_name(row)} is uncertain by {row['uncertainty_ms'] / 1000:.1f} s."


def _clock_name(row: Row) -> str:
    return f"{row['source']} {row['device']}" if row["device"] else str(row["source"])


def _in_force(piece: Row, played: Row) -> bool:
    """Tell whether a piece of a clock covers a part of the round."""
    offset = timedelta(milliseconds=piece["offset_ms"])
    ended = played["ended"] or played["started"]
    return bool(piece["from"] - offset <= ended and piece["until"] - offset >= played["started"])


def _around(dossier: Dossier) -> Iterator[str]:
    for row in dossier.around:
        if row["code"].startswith("evidence."):
            where = f" ({row['path']})" if row["path"] else ""
            yield f"Of the table's day: {row['message'].rstrip('.')}{where}."


def _always(dossier: Dossier) -> Iterator[str]:
    yield (
        "Amounts are those that the dealer's terminal logged. Chips were not counted from pictures, and speech at the "
        "table is not recorded."
    )
    yield "A patron is the number of a player's card, as logged; the holder's identity was not checked."
    yield (
        "Clauses are paraphrased. The regulator's document is the authority, and its numbering is used. Where its text "
        "leaves a question open, the reading applied is named with its reason."
    )
    if dossier.as_of is not None:
        yield (
            f"This packet shows the evidence as of {dossier.as_of:%Y-%m-%d %H:%M} UTC. Later evidence is left out on "
            "purpose."
        )


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
