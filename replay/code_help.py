"""Finding codes explained: the meaning of each in a sentence, and what to do about it."""

from typing import Final, NamedTuple

from replay import codes
from replay.severity import BY_MONEY

BY_VARIANCE: Final = "by variance"  # the severity of a code that goes by its money
_MEANS: Final = {
    "settlement.overpaid": "More was paid on a wager, or less collected, than the rulebook prescribes.",
    "settlement.underpaid": "Less was paid on a wager, or more collected, than the rulebook prescribes.",
    "settlement.missing": "A payment or collection was due, and none was logged.",
    "settlement.unexpected": "Money was paid or taken with nothing due.",
    "settlement.out-of-order": "A wager was settled out of the prescribed sequence.",
    "shoe.ten-found": "A ten was drawn from a shoe that must hold none.",
    "shoe.tens-multiple": "A further ten was drawn in the same round.",
    "shoe.face-up": "A card was found face up in the shoe.",
    "shoe.face-up-multiple": "A further card was found face up in the same round.",
    "shoe.composition": "The cards drawn from a shoe do not match its decks.",
    "shoe.deck-count": "A shoe was loaded with the wrong number of decks for the table.",
    "shoe.decks-stale": "Decks were used for longer than the rulebook allows.",
    "shoe.burn-missed": "A burn card was due and none was drawn.",
    "shoe.cut-card-depth": "The cutting card was placed outside the prescribed part of the shoe.",
    "shoe.cut-card-ignored": "A new round began after the cutting card had been drawn.",
    "shoe.insufficient-cards": "The shoe ran out during a round and was refilled from the discards.",
    "shoe.not-inspected": "Decks came into play without the prescribed opening inspection.",
    "shoe.unshuffled": "Cards came into play without a shuffle.",
    "shoe.cut-card-missing": "A shoe came into play without a cut.",
    "shoe.cut-shallow": "The cards were cut too near to one end of the stack.",
    "shoe.fault-play-continued": "Play went on although the shoe or the shuffler had reported a fault.",
    "shoe.single-set": "A table with a shuffler was run on one set of decks where two are prescribed.",
    "shoe.ended-mid-round": "The shoe was changed during a round without having run out.",
    "shoe.decks-withdrawn-reused": "Decks that had been withdrawn came back into play.",
    "deal.count-mismatch": "The number of cards in a round does not match its wagers and decisions.",
    "deal.dealer-missed-card": "The dealer failed to take one of the dealer's own initial cards.",
    "deal.player-no-cards": "A box with a wager was dealt no cards.",
    "deal.player-one-card": "A box with a wager was dealt only one of its first two cards.",
    "deal.hit-not-dealt": "A box asked for a card and was dealt none.",
    "deal.drawn-in-error": "A card was drawn that no box had asked for.",
    "deal.drawn-together": "Two cards left the shoe together.",
    "deal.wrong-box": "A card was dealt to the wrong box.",
    "deal.unwagered-box": "A box without a wager was dealt in.",
    "deal.hole-card-exposed": "The dealer's hole card was seen before players had finished.",
    "dealer.drew-on-standing-total": "The dealer drew a card on a total on which the dealer has to stand.",
    "dealer.failed-to-draw": "The dealer stood on a total on which the dealer has to draw.",
    "dealer.drew-without-effect": "The dealer drew with no wager left to be decided.",
    "play.illegal-hit": "A hit was accepted when it was not permitted.",
    "play.illegal-double": "A double was accepted when it was not permitted.",
    "play.illegal-split": "A split was accepted when it was not permitted.",
    "play.illegal-surrender": "A surrender was accepted when it was not permitted.",
    "play.illegal-rescue": "A double was taken back when it was not permitted.",
    "play.illegal-assign": "A wager was assigned to a split hand when it was not permitted.",
    "play.must-draw": "A hand stood on a total on which it has to draw.",
    "play.decision-missing": "A hand has no final decision in the log.",
    "play.out-of-turn": "A box acted before its turn.",
    "play.absent-player": "The hand of an absent player was not played as prescribed.",
    "wager.late": "A main, pair or match wager was placed after bets were closed.",
    "wager.below-minimum": "A wager was below the table's minimum.",
    "wager.above-maximum": "A wager was above the table's maximum.",
    "wager.insurance-not-open": "An insurance wager was accepted when insurance was not open.",
    "wager.insurance-excess": "An insurance wager was above its limit.",
    "wager.insurance-ineligible": "An insurance wager was accepted from a hand that may not insure.",
    "wager.double-excess": "A double was above, or below, the amount that is permitted.",
    "wager.split-unequal": "A split wager was not equal to the original wager.",
    "wager.side-without-main": "A side wager was accepted without a main wager.",
    "wager.side-limit": "A side wager was outside its limits.",
    "wager.too-many-bettors": "A box had more bettors than permitted.",
    "wager.too-many-boxes": "A player bet on more boxes than permitted.",
    "wager.separated": "A player's boxes were not next to each other where they have to be.",
    "wager.not-offered": "A wager was accepted that the table does not offer.",
    "wager.mid-shoe-entry": "Mid-shoe entry: a player entered during a shoe at a table that does not permit it.",
    "wager.not-payable": "A wager cannot be paid exactly in the table's smallest chips.",
    "reader.misused": "The card reader was used when not permitted.",
    "reader.not-used": "The card reader was not used when required.",
    "reader.fault-play-continued": "Play went on although the card reader had reported a fault.",
    "reader.not-inspected": "The card reader was used on a day without its inspection.",
    "reader.contradicts-cards": "The card reader contradicts the cards that were dealt.",
    "progressive.protocol": "A step of the progressive's procedure was left out or out of sequence.",
    "progressive.trigger-missed": "A hand met the progressive's condition and no spin was triggered.",
    "progressive.trigger-false": "A spin was triggered without the required hand.",
    "progressive.wrong-prize": "The prize paid does not match the symbol on the wheel.",
    "progressive.unauthorised": "A prize was paid without the required authorisation.",
    "progressive.cancelled-after-deal": "The progressive's round was cancelled after cards had been dealt.",
    "progressive.meter-drift": "A meter does not match the sum of its wagers and payouts.",
    "progressive.late-wager": "A progressive wager was placed after bets were closed.",
    "progressive.malfunction": "The progressive failed during a round.",
    "round.void-required": "Play went on in a round that had to be voided.",
    "round.void-unjustified": "A round was voided without a reason in the rulebook.",
    "round.power-failure": "The power failed during a round.",
    "floor.not-permitted": "floor.toml has a setting that the rulebook does not permit; the rulebook is applied.",
    "evidence.sequence-gap": "Lines are missing between two sequence numbers of one device.",
    "evidence.duplicate": "A sequence number was used twice.",
    "evidence.source-missing": "A device was silent, or its file could not be used.",
    "evidence.clock-skew": "A clock was set or stepped, or its offset cannot be determined.",
    "evidence.ambiguous": "Several explanations fit a round's evidence and none is certain; no error is attributed.",
    "evidence.backdated": "A line was logged after its round, or with a time before that of the line above it.",
    "evidence.card-disagreement": "Camera and shoe read different cards.",
    "evidence.zone-disagreement": "The camera saw a card in a different place than logged.",
    "evidence.sideways-disagreement": "The camera saw a card laid sideways that was logged upright, or the reverse.",
}
_DO: Final = {
    "settlement.": "Check the footage of the settlement, correct the payment if possible, and speak to the dealer.",
    "settlement.out-of-order": "Remind the dealer of the sequence; investigate if there are settlement errors as well.",
    "shoe.": "Check on the shoe's page that its decks were inspected, shuffled and withdrawn as prescribed.",
    "shoe.composition": "Secure and count the decks at once: cards were added, removed or exchanged.",
    "shoe.decks-withdrawn-reused": "Secure the decks at once and establish who returned them to play.",
    "deal.": "Review the footage of the deal, and check whether the floor ruled as prescribed.",
    "dealer.": "Check whether the result of any wager was affected, and speak to the dealer.",
    "play.": "Check who accepted the decision, and whether the floor ruled on it as prescribed.",
    "wager.": "Check when and by whom the wager was accepted, and whether it was refused or taken back as prescribed.",
    "wager.late": "Review the footage from the closing of bets: a wager placed after cards are known is past posting.",
    "reader.": "Take the reader out of use until it is inspected, and check the rounds since the last inspection.",
    "progressive.": "Compare the progressive's own log with the round, and check the prize and the meters.",
    "progressive.unauthorised": "Establish who paid the prize and why no supervisor had authorised it.",
    "round.": "Check the floor's reason, and the payments and collections of the round.",
    "round.power-failure": "Check that the round was completed or voided as prescribed.",
    "floor.not-permitted": "Correct floor.toml, or have the regulator's approval written into a rulebook.",
    "evidence.": "Ask for the original of the log, and check the device and its clock.",
    "evidence.ambiguous": "Compare the explanations on the round's page with its footage.",
    "evidence.card-disagreement": "Review the still of the finding: if the camera is right, the shoe's log is wrong.",
    "evidence.zone-disagreement": "Review the still beside the finding and the footage of the deal.",
    "evidence.sideways-disagreement": "Review the still beside the finding: a double may not have been logged.",
}


class CodeHelp(NamedTuple):
    """A finding code in words."""

    code: str
    severity: str
    means: str
    shown_by: str
    do: str

    @property
    def group(self) -> str:
        """The first part of the code."""
        return self.code.partition(".")[0]


def code_help() -> list[CodeHelp]:
    """Every code, in the order of the list of codes."""
    return [
        CodeHelp(each.name, _severity(each), _MEANS[each.name], shown_by(each.evidence), _to_do(each.name))
        for each in codes.CODES
    ]


def _severity(code: codes.Code) -> str:
    return BY_VARIANCE if code.name in BY_MONEY else code.severity


def shown_by(evidence: str) -> str:
    """The logs that have to be there for a code to be found, in words."""
    if evidence == codes.REPORTED:
        return "a line that reports it, the camera, or inference from the other lines"
    return evidence.replace("+", " and ")


def _to_do(name: str) -> str:
    return _DO.get(name) or _DO[name.partition(".")[0] + "."]
