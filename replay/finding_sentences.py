"""The sentence of every finding, by its code, and the further sentences that a code may have.

Fields: ``{place}`` (Box 3 hand 2), ``{wager}`` (main wager), and the finding's own arguments. Formats: ``money``
(cents), ``payment`` (cents paid and taken), ``card``, ``zone``, ``span``, ``seconds`` and ``step`` (ms),
``# round was|# rounds were`` for a number with its noun, and ``?span, # later`` for text that is left out where the
argument is absent or 0.
"""

import re
from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any, Final

from replay.wording import KIND_NAMES, capital, card_text, money, payment_text, place_text, span_text, zone_text

_DECK: Final = "Deck {deck} of {decks} at the opening inspection on {file}"
LATE: Final = "late"  # argument of findings about payments: others that were logged too late to count
_CLOCK: Final = "Clock of the {source}{device:? (device #)}"
_OUTAGE: Final = "No lines received from the {source}{device:? (device #)} from {since} to {until} UTC, "
_BACK: Final = "{back:?span, with a time # before the line above it}"
_LATE: Final = "{after:?span, # after the round}" + _BACK
SENTENCES: Final[dict[str, str]] = {
    "settlement.overpaid": "{place}, {wager}: overpaid {a:money}",
    "settlement.underpaid": "{place}, {wager}: underpaid {a:money}",
    "settlement.missing": "{place}, {wager}: {a:money} due, no payment logged",
    "settlement.missing/collection": "{place}, {wager}: {a:money} to be collected, no collection logged",
    "settlement.unexpected": "{place}, {wager}: {a:money} paid or taken with nothing due",
    "settlement.out-of-order": "{place}, {wager}: settled out of sequence",
    "shoe.ten-found": "Ten in the shoe: {card:card}",
    "shoe.ten-found/inspection": _DECK + " contains {card:card}, before the first hand",
    "shoe.tens-multiple": "Another ten in the same round: {card:card}",
    "shoe.face-up": "{card:card} found face up in the shoe",
    "shoe.face-up-multiple": "Another card found face up in the same round: {card:card}",
    "shoe.composition": "{card:card}: {a} in the shoe that the decks do not account for",
    "shoe.composition/inspection-missing": _DECK + " lacks {card:card}, before the first hand",
    "shoe.composition/inspection-extra": _DECK + " has too many {card:card}, before the first hand",
    "shoe.deck-count": "Wrong number of decks or cards: {a}",
    "shoe.decks-stale": "Decks in use for {a:# minute|# minutes}, longer than allowed",
    "shoe.burn-missed": "No card was burned",
    "shoe.cut-card-depth": "Cut card placed after {a:# card|# cards}",
    "shoe.cut-card-ignored": "{a:# round was|# rounds were} dealt after the cut card came out",
    "shoe.insufficient-cards": "The shoe ran out during the round and was refilled from the discards",
    "shoe.not-inspected": "Decks put into play without the opening inspection",
    "shoe.unshuffled": "Cards put into play unshuffled",
    "shoe.cut-card-missing": "The stack was not cut, or no cut card came out",
    "shoe.cut-shallow": "Cut {a:# card|# cards} from an end of the stack",
    "shoe.fault-play-continued": "Dealing continued after a fault of the shoe or shuffler",
    "shoe.single-set": "The shuffler dealt the same set of cards in two consecutive shoes",
    "shoe.ended-mid-round": "The shoe was changed during the round without having run out",
    "shoe.decks-withdrawn-reused": "Withdrawn decks are in play again",
    "deal.count-mismatch": "Cards drawn do not match the decisions: {a}",
    "deal.dealer-missed-card": "Dealer failed to take a card",
    "deal.player-no-cards": "{place} was dealt no cards",
    "deal.player-one-card": "{place} was dealt only one card",
    "deal.hit-not-dealt": "{place} hit and was not dealt a card",
    "deal.drawn-in-error": "A card was drawn in error",
    "deal.drawn-together": "Several cards were drawn together",
    "deal.wrong-box": "{place} was dealt another box's card",
    "deal.wrong-box/seen": "{place} has no wager and was dealt {card:card}, which belongs to {due:zone}",
    "deal.unwagered-box": "{place} was dealt in without a wager",
    "deal.unwagered-box/seen": "{place} has no wager and was dealt {count:# card|# cards}",
    "deal.hole-card-exposed": "The hole card was exposed",
    "deal.hole-card-exposed/seen": "Hole card {seen_card:card} face up {count:seconds} before the last player decision",
    "dealer.drew-on-standing-total": "Dealer drew {card:card} on {a}",
    "dealer.failed-to-draw": "Dealer stopped at {a}",
    "dealer.drew-without-effect": "Dealer drew {card:card} though no hand could change",
    "play.illegal-hit": "{place} drew a card on {a}",
    "play.illegal-double": "{place} doubled on {a}",
    "play.illegal-split": "{place}: split not permitted",
    "play.illegal-surrender": "{place}: surrender accepted when not permitted",
    "play.illegal-rescue": "{place}: double taken back when not permitted",
    "play.illegal-assign": "{place}: wager placed on a hand that the bettor may not choose",
    "play.must-draw": "{place} stood on {a}, which must draw",
    "play.decision-missing": "{place}: no final decision logged, at {a}",
    "play.out-of-turn": "{place} acted out of turn",
    "play.absent-player": "{place} was played for an absent player, to {a}",
    "wager.late": "{place}, {wager}: {a:money} placed after betting closed",
    "wager.below-minimum": "{place}, {wager}: {a:money} is below the minimum",
    "wager.above-maximum": "{place}, {wager}: {a:money} is above the maximum",
    "wager.insurance-not-open": "{place}: insurance of {a:money} placed when not open",
    "wager.insurance-excess": "{place}: insurance exceeds the limit by {a:money}",
    "wager.insurance-ineligible": "{place}: insurance on a wager that may not be insured",
    "wager.double-excess": "{place}: double exceeds the original wager by {a:money}",
    "wager.split-unequal": "{place}: split wager differs from the original by {a:money}",
    "wager.side-without-main": "{place}, {wager}: no main wager",
    "wager.side-limit": "{place}, {wager}: {a:money} is not a permitted amount",
    "wager.too-many-bettors": "{place} has more bettors than permitted",
    "wager.too-many-boxes": "{place} belongs to a player with more boxes than permitted",
    "wager.separated": "{place}: second stake of the same player in one box",
    "wager.not-offered": "{place}, {wager}: not offered at this table",
    "wager.mid-shoe-entry": "{place}: mid-shoe entry",
    "wager.not-payable": "{place}: insurance of {a:money} cannot be paid in chips",
    "reader.misused": "Card reader used under {card:card}",
    "reader.not-used": "Card reader not used under {card:card}",
    "reader.fault-play-continued": "Play continued with the card reader out of order",
    "reader.not-inspected": "Card reader not inspected at the start of the gaming day",
    "reader.contradicts-cards": "Card reader contradicts the cards",
    "progressive.protocol": "Terminal steps out of order",
    "progressive.trigger-missed": "{place}, {wager}: the cards triggered the wheel, the terminal did not",
    "progressive.trigger-false": "{place}, {wager}: the wheel was triggered without the cards for it",
    "progressive.wrong-prize": "{place}, {wager}: prize differs from the paytable by {a:money}",
    "progressive.unauthorised": "{place}, {wager}: prize of {a:money} paid without authorisation",
    "progressive.cancelled-after-deal": "{wager}: round cancelled after cards were dealt",
    "progressive.meter-drift": "{wager}: meter differs from the wagers by {a:money}",
    "progressive.late-wager": "{place}, {wager}: {a:money} placed too late",
    "progressive.malfunction": "{wager}: malfunction of the progressive system",
    "round.void-required": "The round should have been void and was played on",
    "round.void-unjustified": "The round was declared void without cause",
    "round.power-failure": "A power failure interrupted the round",
    "floor.not-permitted": "floor.toml: {setting} is {found!r}, {rulebook} requires {expected}",
    "evidence.sequence-gap": "{count:# event is|# events are} missing: {ranges}{device:? (device #)}",
    "evidence.duplicate": "{count:# event|# events} received more than once: {ranges}{device:? (device #)}",
    "evidence.source-missing": "No lines received from the {source} all day",
    "evidence.source-missing/table": "No lines received from this table all day",
    "evidence.source-missing/outage": _OUTAGE + "while {played:# round was played|# rounds were played}",
    "evidence.source-missing/outage-cards": _OUTAGE + "while {played:# card was drawn|# cards were drawn}",
    "evidence.source-missing/unwatched": "{file} was not analysed: the file is not available, or the analysis failed",
    "evidence.source-missing/unreadable": "{file} could not be analysed: {problem}",
    "evidence.source-missing/cut-short": "{file} could only be analysed for {length} minutes: {problem}",
    "evidence.source-missing/trouble": "{file}: {trouble}, from {begins} to {ends} by the camera's clock",
    "evidence.clock-skew": _CLOCK + " has an offset of {ms:step}; expected at most 30 s",
    "evidence.clock-skew/unknown": _CLOCK + " could not be determined: {why}",
    "evidence.clock-skew/stepped": _CLOCK + " stepped {count:once|# times} ({steps:steps}); expected to run evenly",
    "evidence.clock-skew/uncertain": _CLOCK + " is uncertain by {ms:seconds} for part of the day; expected at most 2 s",
    "evidence.ambiguous": "{count:# explanation is possible|# explanations are possible}, none is certain: {stories}",
    "evidence.ambiguous/camera": "The camera saw cards in places that no explanation accounts for: {stories}",
    "evidence.ambiguous/incomplete": "No explanation accounts for all cards and payments: {stories}",
    "evidence.backdated": "{place}: a line was logged late" + _LATE + "; not counted",
    "evidence.backdated/settle": "{place}, {wager}: {payment:payment} was logged late" + _LATE + "; not counted",
    "evidence.backdated/counted": "{place}: a line was logged" + _BACK + "; it counts at its place in the log",
    "evidence.card-disagreement": "{place}: the shoe read {card:card}, the camera saw {seen_card:card}",
    "evidence.zone-disagreement": "{card:card} was dealt to {due:zone}, the camera saw it"
    "{misread:?card as #} with {seen_zone:zone}{count:?, and # more after it}",
    "evidence.sideways-disagreement": "{place}: {card:card} lies sideways without a double",
    "evidence.sideways-disagreement/straight": "{place}: {card:card} lies straight on a double",
}


_LATE_PAYMENT: Final = "; {payment:payment} was logged {after_ms:span} later"


def sentence(
    form: str, seat: int | None, hand: int | None, bettor: int | None, kind: str | None, said: Mapping[str, Any]
) -> str:
    """Write a finding's sentence, without a full stop.

    Payments that were logged too late to count, if the arguments have any as ``late``, are told behind it.
    """
    place = capital(place_text(seat, hand, bettor))
    wager = KIND_NAMES.get(kind or "", "wager")
    text = _WORDS.vformat(SENTENCES[form], (), {"place": place, "wager": wager, **said})
    for late in said.get(LATE, ()):
        text += _WORDS.vformat(_LATE_PAYMENT, (), late)
    return text if SENTENCES[form].startswith("{file}") else capital(text)


class _Words(Formatter):
    """Formats arguments by their meaning."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if optional := _OPTIONAL.fullmatch(format_spec):
            return optional[2].replace("#", _formatted(value, optional[1])) if value else ""
        if "|" in format_spec:
            one, many = format_spec.split("|")
            return (one if value == 1 else many).replace("#", f"{value:,}")
        return _formatted(value, format_spec)


def _formatted(value: Any, name: str) -> str:
    return _FORMATS[name](value) if name else str(value)


def _card(name: str | None) -> str:
    return card_text(name) if name else "a card"


_WORDS: Final = _Words()
_OPTIONAL: Final = re.compile(r"\?([a-z]*)(.*)")
_FORMATS: Final[dict[str, Callable[[Any], str]]] = {
    "money": money,
    "payment": payment_text,
    "card": _card,
    "zone": zone_text,
    "span": span_text,
    "seconds": lambda ms: f"{abs(ms) / 1000:.1f} s",
    "step": lambda ms: f"{ms / 1000:+.1f} s",
    "steps": lambda steps: ", ".join(f"{ms / 1000:+.1f} s" for ms in steps),
}
