"""The finding codes: how grave each is, and which evidence shows it."""

from typing import Final, NamedTuple

from replay import situations

LOW, MEDIUM, HIGH = "low", "medium", "high"


class Code(NamedTuple):
    """A finding code; its sentence is in ``finding_sentences``."""

    name: str
    severity: str
    evidence: str


_TERMINAL: Final = "terminal"
_CARDS: Final = "terminal+shoe"
# What nobody would know of without the line that reports it.
REPORTED: Final = "terminal (irregularity line) or camera"

CODES: Final[tuple[Code, ...]] = (
    Code("settlement.overpaid", HIGH, _CARDS),
    Code("settlement.underpaid", HIGH, _CARDS),
    Code("settlement.missing", HIGH, _CARDS),
    Code("settlement.unexpected", HIGH, _CARDS),
    Code("settlement.out-of-order", LOW, _CARDS),
    Code("shoe.ten-found", MEDIUM, "shoe"),
    Code("shoe.tens-multiple", HIGH, "shoe"),
    Code("shoe.face-up", LOW, "shoe"),
    Code("shoe.face-up-multiple", MEDIUM, "shoe"),
    Code("shoe.composition", HIGH, "shoe"),
    Code("shoe.deck-count", HIGH, _CARDS),
    Code("shoe.decks-stale", MEDIUM, _CARDS),
    Code("shoe.burn-missed", LOW, _CARDS),
    Code("shoe.cut-card-depth", LOW, "shoe"),
    Code("shoe.cut-card-ignored", MEDIUM, _CARDS),
    Code("shoe.insufficient-cards", MEDIUM, "shoe"),
    Code("shoe.not-inspected", MEDIUM, _CARDS),
    Code("shoe.unshuffled", HIGH, "shoe"),
    Code("shoe.cut-card-missing", LOW, _CARDS),
    Code("shoe.cut-shallow", LOW, _TERMINAL),
    Code("shoe.fault-play-continued", MEDIUM, _CARDS),
    Code("shoe.single-set", LOW, "shoe"),
    Code("shoe.ended-mid-round", MEDIUM, _CARDS),
    Code("shoe.decks-withdrawn-reused", HIGH, _CARDS),
    Code("deal.count-mismatch", HIGH, _CARDS),
    Code("deal.dealer-missed-card", MEDIUM, REPORTED),
    Code("deal.player-no-cards", MEDIUM, REPORTED),
    Code("deal.player-one-card", MEDIUM, REPORTED),
    Code("deal.hit-not-dealt", MEDIUM, REPORTED),
    Code("deal.drawn-in-error", MEDIUM, REPORTED),
    Code("deal.drawn-together", LOW, REPORTED),
    Code("deal.wrong-box", MEDIUM, REPORTED),
    Code("deal.unwagered-box", MEDIUM, REPORTED),
    Code("deal.hole-card-exposed", MEDIUM, REPORTED),
    Code("dealer.drew-on-standing-total", MEDIUM, _CARDS),
    Code("dealer.failed-to-draw", HIGH, _CARDS),
    Code("dealer.drew-without-effect", LOW, _CARDS),
    Code("play.illegal-hit", MEDIUM, _CARDS),
    Code("play.illegal-double", MEDIUM, _CARDS),
    Code("play.illegal-split", MEDIUM, _CARDS),
    Code("play.illegal-surrender", MEDIUM, _CARDS),
    Code("play.illegal-rescue", MEDIUM, _CARDS),
    Code("play.illegal-assign", MEDIUM, _TERMINAL),
    Code("play.must-draw", MEDIUM, _CARDS),
    Code("play.decision-missing", LOW, _CARDS),
    Code("play.out-of-turn", LOW, _TERMINAL),
    Code("play.absent-player", LOW, _CARDS),
    Code("wager.late", HIGH, _TERMINAL),
    Code("wager.below-minimum", LOW, _TERMINAL),
    Code("wager.above-maximum", MEDIUM, _TERMINAL),
    Code("wager.insurance-not-open", MEDIUM, _CARDS),
    Code("wager.insurance-excess", MEDIUM, _TERMINAL),
    Code("wager.insurance-ineligible", MEDIUM, _CARDS),
    Code("wager.double-excess", MEDIUM, _TERMINAL),
    Code("wager.split-unequal", MEDIUM, _TERMINAL),
    Code("wager.side-without-main", MEDIUM, _TERMINAL),
    Code("wager.side-limit", LOW, _TERMINAL),
    Code("wager.too-many-bettors", LOW, _TERMINAL),
    Code("wager.too-many-boxes", LOW, _TERMINAL),
    Code("wager.separated", LOW, _TERMINAL),
    Code("wager.not-offered", MEDIUM, _TERMINAL),
    Code("wager.mid-shoe-entry", LOW, _CARDS),
    Code("wager.not-payable", LOW, _TERMINAL),
    Code("reader.misused", HIGH, "shoe+reader"),
    Code("reader.not-used", HIGH, "shoe+reader"),
    Code("reader.fault-play-continued", HIGH, "shoe+reader"),
    Code("reader.not-inspected", MEDIUM, "reader"),
    Code("reader.contradicts-cards", HIGH, "shoe+reader"),
    Code("progressive.protocol", MEDIUM, _TERMINAL),
    Code("progressive.trigger-missed", HIGH, _CARDS),
    Code("progressive.trigger-false", HIGH, _CARDS),
    Code("progressive.wrong-prize", HIGH, _TERMINAL),
    Code("progressive.unauthorised", HIGH, _TERMINAL),
    Code("progressive.cancelled-after-deal", MEDIUM, _CARDS),
    Code("progressive.meter-drift", HIGH, _TERMINAL),
    Code("progressive.late-wager", MEDIUM, _TERMINAL),
    Code("progressive.malfunction", MEDIUM, "terminal+shoe"),
    Code("round.void-required", HIGH, _CARDS),
    Code("round.void-unjustified", HIGH, _TERMINAL),
    Code("round.power-failure", MEDIUM, REPORTED),
    Code("floor.not-permitted", HIGH, "floor.toml"),
    Code("evidence.sequence-gap", MEDIUM, "any source"),
    Code("evidence.duplicate", LOW, "any source"),
    Code("evidence.source-missing", HIGH, "any source"),
    Code("evidence.clock-skew", LOW, "any source"),
    Code("evidence.ambiguous", LOW, "terminal+shoe"),
    Code("evidence.backdated", HIGH, "any source"),
    Code("evidence.card-disagreement", HIGH, "shoe+camera"),
    Code("evidence.zone-disagreement", HIGH, "shoe+camera"),
    Code("evidence.sideways-disagreement", LOW, "terminal+camera"),
)

NUMBER: Final[dict[str, int]] = {code.name: number for number, code in enumerate(CODES)}
OF_SLOT: Final[tuple[int, ...]] = tuple(NUMBER.get(situations.code(slot), 255) for slot in range(situations.COUNT))
