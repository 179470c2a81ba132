"""The lake's datasets: every column with its type, its meaning and its cheap rules.

Words of closed lists come from ``replay``. Every dataset but ``snapshots`` lies in partitions by ``gaming_day``.
"""

from typing import Final

import dataframely as dy
import polars as pl

from replay import cards, codes, ops
from replay.columns import SOURCES as SOURCES
from replay.columns import TYPES_OF
from warehouse.columns import (
    count,
    hexadecimal,
    line_number,
    logged_fields,
    number,
    small,
    text,
    texts,
    time,
    truth,
    whole,
    wholes,
    word,
)
from warehouse.dataset import Dataset as Dataset
from warehouse.dataset import SchemaError as SchemaError

LOGS: Final = ("terminal", "shoe")
CARD_SOURCES: Final = ("shoe", "camera")
FILE_SOURCES: Final = (*SOURCES, "footage", "sidecar", "floor", "rulebook", "other")
FACES: Final = ("down", "up")
CARDS: Final = cards.NAMES[1:]
CODES: Final = tuple(code.name for code in codes.CODES)
SEVERITIES: Final = (codes.LOW, codes.MEDIUM, codes.HIGH)
HANDLINGS: Final = ops.HANDLINGS[1:]
ROUND_VERDICTS: Final = (ops.VERDICTS[ops.CORRECT], "wrong", ops.VERDICTS[ops.UNDETERMINED])
CARRIED: Final = ("decks", "meter", "player")


class _Day(dy.Schema):
    gaming_day = dy.Date(description="gaming day of the landing folder")
    table = text("table, as in floor.toml; empty for a row about the whole floor")


class _Origin(dy.Schema):
    path = text("landing file of the line")
    line = line_number("line in that file")
    file_sha256 = hexadecimal("hash of that file")


class _Event(_Day):
    place = whole(
        "place in the table's order of events, from 1; none for a draw in a round whose cards come from the camera",
        1,
        nullable=True,
    )
    source = word("source that logged the line", LOGS)
    utc_offset_minutes = small("offset of the source's local time to UTC", -1440, 1440)
    corrected = time("time on the table's common clock, that of the terminal")
    type = word("type of event", [name for source in LOGS for name in TYPES_OF[source]])
    round_id = text("round of the event, as in rounds", nullable=True)


class _Sighting(_Day):
    corrected = time("first seen, on the common clock")
    frame = whole("frame of the footage", 0, nullable=True)
    round_id = text("round, as in rounds", nullable=True)


class EventsSchema(_Event, logged_fields(*LOGS), _Origin):  # type: ignore[misc]
    """Accepted lines of terminal and shoe, with all their fields."""


class RoundsSchema(_Day):
    """Rounds played, with cards, evidence, verdict and money."""

    round_id = text("<table>/<gaming_day>/<round>")
    round = text("round, as the terminal names it")
    shoe = text("shoe in which the round began", nullable=True)
    dealer = text("dealer at the table", nullable=True)
    shift = text("shift of floor.toml in which it began", nullable=True)
    started = time("first event")
    ended = time("round_end", nullable=True)
    complete = truth("whether round_end was logged")
    void = truth("whether the rulebook voids the round")
    void_logged = truth("whether the floor voided the round")
    dealer_cards = texts("the dealer's cards, in order")
    dealer_total = small("the dealer's points", nullable=True)
    boxes = small("boxes with a main wager", 0)
    evidence = text("sources of its evidence, such as terminal+shoe+camera")
    cards_from = word("source of its cards; none if no source has them", CARD_SOURCES, nullable=True)
    doubt = text("reason for doubt about which cards belong to the round", nullable=True)
    verdict = word("correct; wrong if any settlement is wrong; or undetermined", ROUND_VERDICTS)
    currency = text("currency of the amounts")
    handle_cents = whole("sum of the stakes", 0)
    paid_cents = whole("paid by the house")
    taken_cents = whole("collected by the house")
    over_cents = whole("overpaid: sum of the variances in the players' favour", 0)
    under_cents = dy.Int64(description="underpaid: sum of the variances against the players, not above 0", max=0)
    wagers = count("wagers")
    findings = count("findings")
    rulebook = text("rulebook in force")
    rulebook_version = text("version of the rulebook")
    floor_sha256 = hexadecimal("hash of the floor.toml in force")
    engine_version = text("version of the engine that judged it")


class HandsSchema(_Day):
    """Hands of the boxes, as they ended."""

    round_id = text("round, as in rounds")
    seat = small("box", 1, ops.MAX_SEAT)
    hand = small("hand of the box", 1, ops.MAX_HAND)
    cards = texts("its cards, in order")
    total = small("its points", nullable=True)
    soft = truth("whether an ace counts eleven", nullable=True)
    outcome = text("final state of the hand", nullable=True)


class CardsSchema(_Day):
    """Cards drawn, with their zones and the camera's readings."""

    round_id = text("round, as in rounds; none for a card between rounds", nullable=True)
    shoe = text("shoe that it came from", nullable=True)
    n = whole("ordinal in the shoe", nullable=True)
    card = word("card; none where it was not read", CARDS, nullable=True)
    face = word("side up in the shoe", FACES)
    zone = text("zone that it was dealt to: seat3.hand1, dealer, discard, burn", nullable=True)
    position = small("place in the zone, from 1", nullable=True)
    ts = time("time of the draw, on the common clock")
    place = whole("place in the table's order of events, as in events", 1)
    source = word("source that read it", CARD_SOURCES)
    seen_card = word("card that the camera saw there", CARDS, nullable=True)
    seen_zone = text("zone in which the camera saw it", nullable=True)


class SettlementsSchema(_Day):
    """Wagers, and payments without a wager: expected and actual settlement."""

    round_id = text("round, as in rounds")
    seat = small("box", 0, ops.MAX_SEAT)
    bettor = small("bettor of the box", 0, ops.MAX_BETTOR)
    for_bettor = small("bettor whose option this bettor took", nullable=True)
    patron = text("number of the patron's card", nullable=True)
    kind = word("kind of wager", ops.KINDS)
    hand = small("hand of the box; 1 for wagers of the whole box", 0, ops.MAX_HAND)
    currency = text("currency of the amounts")
    stake_cents = whole("stake")
    expected_paid_cents = whole("expected payment on top of the stake")
    expected_taken_cents = whole("expected collection from the stake")
    actual_paid_cents = whole("actual payment")
    actual_taken_cents = whole("actual collection")
    variance_cents = whole("(actual paid - taken) - (expected paid - taken): above 0, overpaid")
    clause = text("clause that decides it", nullable=True)
    reason = text("deciding situation of the rulebook", nullable=True)
    odds = text("row of the paytable", nullable=True)
    verdict = word("verdict on the settlement", ops.VERDICTS)

    @dy.rule()
    def variance_is_actual_less_expected(cls) -> pl.Expr:
        expected = pl.col("expected_paid_cents") - pl.col("expected_taken_cents")
        actual = pl.col("actual_paid_cents") - pl.col("actual_taken_cents")
        return (pl.col("verdict") == ops.VERDICTS[ops.UNDETERMINED]) | (pl.col("variance_cents") == actual - expected)


class FindingsSchema(_Day):
    """Findings: irregularities and settlement errors."""

    finding_id = text("hash that identifies the finding", key=True)
    round_id = text("round, as in rounds", nullable=True)
    shoe = text("shoe", nullable=True)
    card = whole("ordinal in its shoe of the card concerned", 1, nullable=True)
    device = text("source concerned, with the device's name if there are several", nullable=True)
    path = text("landing file concerned", nullable=True)
    code = word("finding code", CODES)
    situation = text("situation of the rulebook, for findings of the engine", nullable=True)
    severity = word("severity", SEVERITIES)
    seat = small("box", nullable=True)
    bettor = small("bettor of the box", nullable=True)
    kind = word("kind of wager", ops.KINDS, nullable=True)
    hand = small("hand of the box", nullable=True)
    variance_cents = whole("variance: above 0, overpaid")
    currency = text("currency of the variance")
    clause = text("clause that was breached", nullable=True)
    rulebook = text("rulebook of the clause", nullable=True)
    clause_id = text("id of the clause in the rulebook", nullable=True)
    handling = word("whether the floor followed the rulebook's procedure", HANDLINGS, nullable=True)
    certainty = number("share of the weight of all stories in which it holds, from 0 to 1", 0, 1)
    message = text("the finding in words")
    sentence = text("name of the message's sentence")
    arguments = text("arguments of the sentence, as a JSON object")
    evidence = text("sources that show it")
    dealer = text("dealer at the table", nullable=True)
    at = time("time of the irregularity, on the common clock", nullable=True)
    event_path = text("landing file of the line that shows it", nullable=True)
    event_line = line_number("that line", nullable=True)


class SightingsSchema(_Sighting, logged_fields("camera"), _Origin):  # type: ignore[misc]
    """Cards seen on camera."""


class ShoesSchema(_Day):
    """Shoes dealt from."""

    shoe = text("shoe")
    decks_id = text("set of decks", nullable=True)
    decks = whole("number of decks", nullable=True)
    cards_drawn = whole("cards drawn", 0)
    tens = whole("tens among them", 0)
    missing = whole("cards neither drawn nor left in the shoe", nullable=True)
    extra = whole("cards beyond those of the decks", 0)
    cut_card_n = whole("cards drawn before the cut card", nullable=True)
    remaining = whole("cards left at its end", nullable=True)
    loaded = time("time of loading, on the common clock", nullable=True)
    ended = time("end of the shoe", nullable=True)


class FilesSchema(dy.Schema):
    """Landing files, with their hashes and the numbers of lines accepted, repeated and rejected."""

    gaming_day = dy.Date(description="gaming day of the landing folder", primary_key=True)
    table = text("table of the landing folder; empty for floor.toml")
    path = text("path in the landing zone", key=True)
    source = word("kind of source", FILE_SOURCES)
    sha256 = hexadecimal("hash of its bytes")
    bytes = whole("size", 0)
    lines = whole("lines, for a file of lines", 0, nullable=True)
    accepted = whole("lines accepted", 0, nullable=True)
    repeated = whole("lines received before", 0, nullable=True)
    quarantined = whole("lines rejected", 0, nullable=True)
    seen = whole("cards seen, for footage that was analysed", 0, nullable=True)
    line_root = hexadecimal("root of the Merkle tree over its lines", nullable=True)
    log_index = whole("evidence log entry that took it into custody", 0)
    chain = hexadecimal("root of the evidence log with that entry")

    @dy.rule()
    def every_line_is_accounted_for(cls) -> pl.Expr:
        return pl.col("lines") == pl.col("accepted") + pl.col("repeated") + pl.col("quarantined")


class QuarantineSchema(_Day):
    """Rejected lines, with their bytes."""

    path = text("landing file")
    line = line_number("line in that file")
    reason = text("reason for the rejection", min_length=1)
    raw = dy.Binary(description="the line as received")
    file_sha256 = hexadecimal("hash of the landing file")


class ClocksSchema(_Day):
    """Pieces of the sources' clocks, measured against the terminal's; they give each line its corrected time."""

    source = word("source of the clock", SOURCES)
    device = text("device, if the source has several", nullable=True)
    piece = small("number of the piece, from 1", 1)
    from_seq = whole("first line of the piece, by its number at the source", 0)
    until_seq = whole("last line of the piece", 0)
    from_ = time("first line of the piece, on the source's own clock", alias="from")
    until = time("last line of the piece, on the source's own clock")
    offset_ms = whole("offset from the terminal's clock at the first line; above 0, ahead")
    drift_ppm = number("drift against the terminal's clock, in millionths; above 0, faster")
    uncertainty_ms = whole("uncertainty of the offset", 0)
    kept = whole("bounds on the offset that the piece satisfies", 0)
    broken = whole("bounds that the piece violates", 0)
    sure = truth("whether the data suffice to rely on the piece")
    note = text("reason if they do not", nullable=True)


class StoriesSchema(_Day):
    """Candidate explanations of rounds that had to be inferred; rank 1 is in the order of events."""

    round_id = text("round, as in rounds")
    rank = small("rank by weight; 1 is the likeliest", 1)
    weight = number("share of the weight of all candidates; those of a round sum to 1", 0, 1)
    summary = text("the supposed course of events, in a sentence")
    leaves = texts("findings that remain under it")
    leaves_codes = texts("codes of these findings, in the same order")
    variance_cents = whole("variance under it: above 0, overpaid")
    deviations = texts("codes of the supposed misdeals that were not logged")
    alternatives = texts("the supposed misdeal and those indistinguishable from it: code, cards and boxes")
    also = text("other possibilities, as in the messages of its findings")
    against = texts("reasons against it")
    order = wholes("places in the order of events of the round's lines, in the order of this story")
    place = whole("place in the order of events of the supposed line, for rank 1", nullable=True)
    at = whole("place of the supposed line within the order, from 0", nullable=True)
    code = text("code of the supposed line", nullable=True)
    seat = small("box of that line", nullable=True)
    bettor = small("passes of the deal in which cards were exchanged: 1, 2, or 3 for both", nullable=True)
    hand = small("hand of that line", nullable=True)
    missed_card = small("number of the initial card that was missed", nullable=True)
    ruling = texts("rulings on it", nullable=True)
    refused_by = wholes("box that cards were exchanged with, or boxes any of which it was", nullable=True)
    n_list = wholes("ordinals of the cards concerned", nullable=True)


class CarrySchema(_Day):
    """State at the end of the day, carried into the next one."""

    kind = word("kind of state", CARRIED)
    key = text("set of decks, meter or player")
    a = whole("first number of the state")
    b = whole("second number")
    c = whole("third number")


class RestatementsSchema(_Day):
    """Days that changed after they were signed off."""

    snapshot = whole("snapshot that restates the day", 1)
    before = whole("snapshot that was signed off", 1)
    code = word("finding code; none for the day as a whole", CODES, nullable=True)
    currency = text("currency of the variances")
    findings_before = whole("findings as signed off", 0)
    findings_after = whole("findings as restated", 0)
    variance_before = whole("variance as signed off, in cents")
    variance_after = whole("variance as restated, in cents")
    reason = text("reason for the change")


def _dataset(schema: type[dy.Schema], *sort: str) -> Dataset:
    return Dataset(schema.__name__.removesuffix("Schema").lower(), schema, ("table", *sort))


DATASETS: Final[dict[str, Dataset]] = {
    dataset.name: dataset
    for dataset in (
        _dataset(EventsSchema, "source", "seq", "device"),
        _dataset(RoundsSchema, "started", "round_id"),
        _dataset(HandsSchema, "round_id", "seat", "hand"),
        _dataset(CardsSchema, "place"),
        _dataset(SettlementsSchema, "round_id", "seat", "bettor", "kind", "hand"),
        _dataset(FindingsSchema, "at", "code", "round_id", "seat", "bettor", "hand"),
        _dataset(SightingsSchema, "corrected", "seq"),
        _dataset(ShoesSchema, "loaded", "shoe"),
        _dataset(FilesSchema, "path"),
        _dataset(QuarantineSchema, "path", "line"),
        _dataset(ClocksSchema, "source", "device", "piece"),
        _dataset(StoriesSchema, "round_id", "rank"),
        _dataset(CarrySchema, "kind", "key"),
        _dataset(RestatementsSchema, "code"),
    )
}


class SnapshotsSchema(dy.Schema):
    """Publications, each with the version of every dataset that belongs to it."""

    snapshot = whole("number of the snapshot, from 1", 1)
    published = time("time of publication")
    run_id = text("run that published it")
    gaming_day = dy.Date(description="gaming day added or replaced")
    reason = text("reason for the audit")
    restates = truth("whether the day had been signed off")
    inputs = text("hash of the day's inputs")
    carry_in = text("hash of the state carried into the day")
    carry_out = text("hash of the state carried out of the day")
    engine_version = text("version of the engine that judged it")
    versions = dy.Struct(
        {name: whole(f"version of {name}", 0) for name in DATASETS}, description="Delta version of every dataset"
    )


SNAPSHOTS: Final = Dataset("snapshots", SnapshotsSchema, ("snapshot",), partitioned=False)


def check(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    """The frame in the dataset's column order and types; ``SchemaError`` where it breaks a rule."""
    return DATASETS[name].check(frame)
