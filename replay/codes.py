"""The finding codes: how grave, shown by which evidence, and how a finding is worded."""

from typing import Final, NamedTuple

from replay import slots

LOW, MEDIUM, HIGH = "low", "medium", "high"


class Code(NamedTuple):
    """A finding code. In ``message``, ``{place}``, ``{card}``, ``{a}`` (a number) and ``{money}`` are filled in."""

    name: str
    severity: str
    evidence: str
    message: str


_TERMINAL: Final = "terminal"
_CARDS: Final = "terminal+shoe"
# What nobody would know of without the line that reports it.
REPORTED: Final = "terminal (irregularity line) or camera"

CODES: Final[tuple[Code, ...]] = (
    Code("settlement.overpaid", HIGH, _CARDS, "{place} {kind}: the player got {money} too much"),
    Code("settlement.underpaid", HIGH, _CARDS, "{place} {kind}: the player got {money} too little"),
    Code("settlement.missing", HIGH, _CARDS, "{place} {kind}: due and not logged, {money}"),
    Code("settlement.unexpected", HIGH, _CARDS, "{place} {kind}: {money} moved where nothing was due"),
    Code("settlement.out-of-order", LOW, _CARDS, "{place} {kind}: settled at another moment than prescribed"),
    Code("shoe.ten-found", MEDIUM, "shoe", "a ten, {card}, came out of the shoe"),
    Code("shoe.tens-multiple", HIGH, "shoe", "a further ten, {card}, came out of the shoe in the same round"),
    Code("shoe.face-up", LOW, "shoe", "{card} lay face up in the shoe"),
    Code("shoe.face-up-multiple", MEDIUM, "shoe", "a further card, {card}, lay face up in the shoe in the same round"),
    Code("shoe.composition", HIGH, "shoe", "{card}: {a} in the shoe that the decks do not account for"),
    Code("shoe.deck-count", HIGH, _CARDS, "{a} decks or cards where the table plays another number"),
    Code("shoe.decks-stale", MEDIUM, _CARDS, "decks in use for {a} minutes, longer than allowed"),
    Code("shoe.burn-missed", LOW, _CARDS, "no card was burned"),
    Code("shoe.cut-card-depth", LOW, "shoe", "the cut card lay after {a} cards"),
    Code("shoe.cut-card-ignored", MEDIUM, _CARDS, "{a} rounds were dealt after the cut card came out"),
    Code("shoe.insufficient-cards", MEDIUM, "shoe", "the shoe ran out in mid-round and was refilled from the discards"),
    Code("shoe.not-inspected", MEDIUM, _CARDS, "decks came into play without the opening inspection"),
    Code("shoe.unshuffled", HIGH, "shoe", "the cards came into play unshuffled"),
    Code("shoe.cut-card-missing", LOW, _CARDS, "the stack was not cut, or no cut card came out"),
    Code("shoe.cut-shallow", LOW, _TERMINAL, "the cut was {a} cards from an end of the stack"),
    Code("shoe.fault-play-continued", MEDIUM, _CARDS, "dealing went on after a fault of shoe or shuffler"),
    Code("shoe.single-set", LOW, "shoe", "with a shuffler, the same set of cards came into two shoes running"),
    Code("shoe.ended-mid-round", MEDIUM, _CARDS, "the shoe was changed in mid-round without having run out"),
    Code("shoe.decks-withdrawn-reused", HIGH, _CARDS, "decks that had been withdrawn are in play again"),
    Code("deal.count-mismatch", HIGH, _CARDS, "cards drawn do not fit the decisions: {a}"),
    Code("deal.dealer-missed-card", MEDIUM, REPORTED, "the dealer missed a card of the own hand"),
    Code("deal.player-no-cards", MEDIUM, REPORTED, "{place} got no cards"),
    Code("deal.player-one-card", MEDIUM, REPORTED, "{place} got one card only"),
    Code("deal.hit-not-dealt", MEDIUM, REPORTED, "{place} asked for a card and did not get it"),
    Code("deal.drawn-in-error", MEDIUM, REPORTED, "a card was drawn in error"),
    Code("deal.drawn-together", LOW, REPORTED, "several cards were drawn together"),
    Code("deal.wrong-box", MEDIUM, REPORTED, "{place} got another box's card"),
    Code("deal.unwagered-box", MEDIUM, REPORTED, "{place} got cards without a wager"),
    Code("deal.hole-card-exposed", MEDIUM, REPORTED, "the hole card was exposed"),
    Code("dealer.drew-on-standing-total", MEDIUM, _CARDS, "the dealer drew {card} on {a}"),
    Code("dealer.failed-to-draw", HIGH, _CARDS, "the dealer stopped at {a}"),
    Code("dealer.drew-without-effect", LOW, _CARDS, "the dealer drew {card} though no hand could change"),
    Code("play.illegal-hit", MEDIUM, _CARDS, "{place} drew a card on {a}"),
    Code("play.illegal-double", MEDIUM, _CARDS, "{place} doubled on {a}"),
    Code("play.illegal-split", MEDIUM, _CARDS, "{place} split against the rules"),
    Code("play.illegal-surrender", MEDIUM, _CARDS, "{place} surrendered when it was not open"),
    Code("play.illegal-rescue", MEDIUM, _CARDS, "{place} took a double back when it was not open"),
    Code("play.illegal-assign", MEDIUM, _TERMINAL, "{place} put the wager on a hand that it may not choose"),
    Code("play.must-draw", MEDIUM, _CARDS, "{place} stood on {a}, which has to draw"),
    Code("play.decision-missing", LOW, _CARDS, "{place} has no decision that ends it, at {a}"),
    Code("play.out-of-turn", LOW, _TERMINAL, "{place} acted out of turn"),
    Code("play.absent-player", LOW, _CARDS, "{place} was played for an absent player, to {a}"),
    Code("wager.late", HIGH, _TERMINAL, "{place} {kind} of {money} came after betting had closed"),
    Code("wager.below-minimum", LOW, _TERMINAL, "{place} {kind} of {money} is below the minimum"),
    Code("wager.above-maximum", MEDIUM, _TERMINAL, "{place} {kind} of {money} is above the maximum"),
    Code("wager.insurance-not-open", MEDIUM, _CARDS, "{place} insured {money} when insurance was not open"),
    Code("wager.insurance-excess", MEDIUM, _TERMINAL, "{place} insured {money} more than allowed"),
    Code("wager.insurance-ineligible", MEDIUM, _CARDS, "{place} may not insure this wager"),
    Code("wager.double-excess", MEDIUM, _TERMINAL, "{place} doubled with {money} more than the original"),
    Code("wager.split-unequal", MEDIUM, _TERMINAL, "{place} split wager differs by {money} from the original"),
    Code("wager.side-without-main", MEDIUM, _TERMINAL, "{place} {kind} without a main wager"),
    Code("wager.side-limit", LOW, _TERMINAL, "{place} {kind} of {money} is not an amount that is allowed"),
    Code("wager.too-many-bettors", LOW, _TERMINAL, "{place} has more bettors than allowed"),
    Code("wager.too-many-boxes", LOW, _TERMINAL, "{place} belongs to a player with more boxes than allowed"),
    Code("wager.separated", LOW, _TERMINAL, "{place} is a second stake of the same player in one box"),
    Code("wager.not-offered", MEDIUM, _TERMINAL, "{place} {kind} is not offered at this table"),
    Code("wager.mid-shoe-entry", LOW, _CARDS, "{place} came in during the shoe"),
    Code("wager.not-payable", LOW, _TERMINAL, "{place} insurance of {money} could not be paid in chips"),
    Code("reader.misused", HIGH, "shoe+reader", "the card reader was used under {card}"),
    Code("reader.not-used", HIGH, "shoe+reader", "the card reader was not used under {card}"),
    Code("reader.fault-play-continued", HIGH, "shoe+reader", "play went on with the card reader out of order"),
    Code("reader.not-inspected", MEDIUM, "reader", "the card reader was not inspected when the gaming day began"),
    Code("reader.contradicts-cards", HIGH, "shoe+reader", "the card reader said otherwise than the cards"),
    Code("progressive.protocol", MEDIUM, _TERMINAL, "the terminal's steps were out of order"),
    Code(
        "progressive.trigger-missed",
        HIGH,
        _CARDS,
        "{place} {kind}: the cards triggered the wheel, the terminal did not",
    ),
    Code("progressive.trigger-false", HIGH, _CARDS, "{place} {kind}: the wheel was triggered, the cards do not"),
    Code("progressive.wrong-prize", HIGH, _TERMINAL, "{place} {kind}: the prize differs by {money} from the paytable"),
    Code(
        "progressive.unauthorised", HIGH, _TERMINAL, "{place} {kind}: a prize of {money} was paid without authorisation"
    ),
    Code("progressive.cancelled-after-deal", MEDIUM, _CARDS, "{kind}: the round was cancelled after cards were dealt"),
    Code("progressive.meter-drift", HIGH, _TERMINAL, "the meter is {money} off what the wagers give"),
    Code("progressive.late-wager", MEDIUM, _TERMINAL, "{place} {kind} of {money} came too late"),
    Code("progressive.malfunction", MEDIUM, "terminal+shoe", "{kind}: a malfunction of the progressive system"),
    Code("round.void-required", HIGH, _CARDS, "the round had to be void and was played on"),
    Code("round.void-unjustified", HIGH, _TERMINAL, "the round was called void without cause"),
    Code("round.power-failure", MEDIUM, REPORTED, "a power failure interrupted the round"),
    Code("floor.not-permitted", HIGH, "floor.toml", "floor.toml asks for what the rulebook does not allow"),
    Code("evidence.sequence-gap", MEDIUM, "any source", "events are missing from a source"),
    Code("evidence.duplicate", LOW, "any source", "an event number came twice"),
    Code("evidence.source-missing", HIGH, "any source", "a source is missing"),
    Code("evidence.clock-skew", LOW, "any source", "a source's clock is off"),
    Code("evidence.ambiguous", LOW, "terminal+shoe", "several explanations are possible and none is certain"),
    Code("evidence.backdated", HIGH, "any source", "a line was logged after its round, or with a time that goes back"),
    Code("evidence.card-disagreement", HIGH, "shoe+camera", "shoe and camera saw different cards"),
    Code("evidence.zone-disagreement", HIGH, "shoe+camera", "a card lay elsewhere than it was dealt"),
    Code(
        "evidence.sideways-disagreement",
        LOW,
        "terminal+camera",
        "a card lay sideways without a double, or straight with one",
    ),
)

NUMBER: Final[dict[str, int]] = {code.name: number for number, code in enumerate(CODES)}
OF_SLOT: Final[tuple[int, ...]] = tuple(NUMBER.get(slots.code(slot), 255) for slot in range(slots.COUNT))
