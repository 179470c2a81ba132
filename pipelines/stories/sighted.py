"""How a story agrees with where the camera saw cards lie."""

from typing import Final, NamedTuple

import numpy as np

from pipelines.stories import prices
from pipelines.stories.suppose import UNWAGERED, Line
from replay import cards, ops
from replay.columns import ABSENT, CAMERA, I32, I64, Lines, Mask
from replay.engine import layout as L
from replay.ops import ZONES
from replay.tape import Encoded, Tape

Zones = np.ndarray[tuple[int, ...], np.dtype[np.uint8]]

_DEALER, _DISCARD, _BURN, _HANDS = range(1, 5)  # in ZONES
_ORDERS: Final = 32  # positions in a zone
_CARDS: Final = 64
_PLACES: Final = len(ZONES) * _ORDERS
_KEYS: Final = _PLACES * _CARDS
_OTHERS: Final = 51  # cards that a card may be taken for
_EARLY_MS, _AT_ONCE_MS = 500, 2_000  # a card seen in the discards within that time of its draw went there at once
_DAY_MS: Final = 1 << 28


class Sightings(NamedTuple):
    """What the camera saw, sorted by round."""

    read: I64  # by reading: place and card
    against: I64  # ... and what it costs a story that has another card there, in thousandths of a nat
    read_from: I64  # by round, and one more: its first reading
    seen: I64  # round and place of every card seen, whether read or not, sorted

    def boxes(self, number: int) -> list[int]:
        """List the boxes of a round in which a card was read."""
        zone = self._zones(number)[0]
        found: list[int] = np.unique((zone[zone >= _HANDS] - _HANDS) // ops.MAX_HAND + 1).tolist()
        return found

    def drawn_to_boxes(self, number: int) -> list[tuple[int, int]]:
        """List cards read behind the two of the deal in the first hand of a box, with the box."""
        zone, order, card = self._zones(number)
        seat, hand = np.divmod(zone - _HANDS, ops.MAX_HAND)
        late = (zone >= _HANDS) & (hand == 0) & (order > 2)
        return list(zip(card[late].tolist(), (seat[late] + 1).tolist(), strict=True))

    def _zones(self, number: int) -> tuple[I64, I64, I64]:
        """Return zone, order and card of a round's readings."""
        place, card = np.divmod(self.read[self.read_from[number] : self.read_from[number + 1]], _CARDS)
        return *np.divmod(place, _ORDERS), card

    def costs(
        self, rounds: I64, tape: Tape, offsets: I64, zones: Zones, supposed: list[tuple[Line, ...]]
    ) -> tuple[I64, I64]:
        """Price the cards of candidates, each of one of ``rounds``: those seen elsewhere, and those never seen."""
        first, count = self.read_from[rounds], np.diff(self.read_from)[rounds]
        owner = np.repeat(np.arange(len(rounds)), count)
        reading = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count) + first[owner]
        known, felt, anywhere = _predicted(tape, offsets, zones, supposed)
        elsewhere, unseen = np.zeros((2, len(rounds)), np.int64)
        read = self.read[reading]
        wrong = ~np.isin(owner * _KEYS + read, known) & ~np.isin(owner * _CARDS + read % _CARDS, anywhere)
        np.add.at(elsewhere, owner[wrong], self.against[reading[wrong]])
        number, place = np.divmod(felt, _PLACES)
        hidden = (count[number] > 0) & ~np.isin(rounds[number] * _PLACES + place, self.seen)
        np.add.at(unseen, number[hidden], prices.in_thousandths(prices.HIDDEN))
        return elsewhere, unseen


def _predicted(tape: Tape, offsets: I64, zones: Zones, supposed: list[tuple[Line, ...]]) -> tuple[I64, I64, I64]:
    """List where candidates put their cards: candidate, place and card; candidate and place on the felt; candidate and
    card that may have lain anywhere, because it was removed and nobody had to suppose it.

    A card that a split moved lay second in an earlier hand of its box before. One that nobody asked for lies behind the
    dealer's cards, or in the discards where the dealer did as prescribed.
    """
    rows = np.flatnonzero(tape.op == ops.DRAW)
    number = np.searchsorted(offsets, rows, side="right") - 1
    role, seat, hand, position = (zones[rows, n].astype(np.int64) for n in range(4))
    card = tape.card[rows].astype(np.int64)
    is_box, of_dealer = role == L.TO_BOX, (role == L.TO_DEALER) | (role == L.LEFT_OVER)
    on_felt = is_box | of_dealer
    position[of_dealer] = _numbered(number[of_dealer])
    zone = np.where(is_box, _HANDS + (seat - 1) * ops.MAX_HAND + hand - 1, np.where(on_felt, _DEALER, _DISCARD))
    place = zone * _ORDERS + np.where(on_felt, np.minimum(position, _ORDERS - 1), 0)
    in_vain = role == L.LEFT_OVER
    discarded = (number[in_vain] * _PLACES + _DISCARD * _ORDERS) * _CARDS + card[in_vain]
    found = [(number * _PLACES + place) * _CARDS + card, discarded]
    for before in range(1, int(hand[is_box].max(initial=1))):
        moved = is_box & (position == 1) & (hand > before)
        earlier = (zone[moved] - hand[moved] + before) * _ORDERS + 2
        found.append((number[moved] * _PLACES + earlier) * _CARDS + card[moved])
    strict = np.array([bool(lines) for lines in supposed])
    anywhere = (role == L.REMOVED) & ~strict[number]
    for n, lines in enumerate(supposed):
        for line in lines:
            if line.code == UNWAGERED and line.seat:
                own = rows[(number == n) & np.isin(tape.aux[rows], line.cards)]
                box = (_HANDS + (line.seat - 1) * ops.MAX_HAND) * _ORDERS + np.arange(1, len(own) + 1)
                found.append((n * _PLACES + box) * _CARDS + tape.card[own])
    return np.concatenate(found), (number * _PLACES + place)[on_felt & ~in_vain], (number * _CARDS + card)[anywhere]


def _numbered(number: I64) -> I64:
    """Number the rows of each candidate from 1 on; they are sorted by it."""
    found: I64 = np.arange(len(number)) - np.searchsorted(number, number) + 1
    return found


def sightings(lines: Lines, ms: I64, round_of: I64, encoded: Encoded) -> Sightings | None:
    """Read what the camera saw in rounds; None without a camera, or with one that reads too many cards wrong.

    ``ms`` and ``round_of`` are by line. How often it reads wrong follows from cards that it read in rounds in which
    they were not drawn.
    """
    columns = lines.columns
    rows = np.flatnonzero((columns.source == CAMERA) & (columns.file >= 0) & (round_of >= 0))
    zone = _coded(columns.text("zone")[rows], lines.words, {name: n for n, name in enumerate(ZONES)})
    rows, zone = rows[(zone > 0) & (zone != _BURN)], zone[(zone > 0) & (zone != _BURN)]
    if not len(rows):
        return None
    number, card = round_of[rows], _coded(columns.text("card")[rows], lines.words, cards.BY_NAME)
    piled = zone == _DISCARD
    place = zone * _ORDERS + np.where(piled, 0, np.clip(columns.number("order")[rows], 0, _ORDERS - 1))
    drawn, at_once = _drawn(number * _CARDS + card, ms[rows], encoded, ms)
    error = _errors(columns.number("confidence")[rows], (card > 0) & ~piled, drawn)
    if error is None:
        return None
    against = np.round(-1000 * np.log(np.maximum(error / _OTHERS, prices.ELSEWHERE))).astype(np.int64)
    kept = np.flatnonzero((card > 0) & drawn & (~piled | at_once))
    kept = kept[np.lexsort((against[kept], place[kept] * _CARDS + card[kept], number[kept]))]
    key = number[kept] * _KEYS + place[kept] * _CARDS + card[kept]
    kept = kept[np.diff(key, prepend=-1) != 0]
    return Sightings(
        place[kept] * _CARDS + card[kept],
        against[kept],
        np.searchsorted(number[kept], np.arange(len(encoded.rounds) + 1)),
        np.unique(number * _PLACES + place),
    )


def _coded(words: I32, names: list[str], codes: dict[str, int]) -> I64:
    """Number words by what they name, 0 for others."""
    used, which = np.unique(words, return_inverse=True)
    return np.array([codes.get(names[word], 0) for word in used.tolist()], np.int64)[which]


def _drawn(key: I64, seen_ms: I64, encoded: Encoded, ms: I64) -> tuple[Mask, Mask]:
    """Mark sightings of cards that were drawn in their round, and those just drawn; ``key`` is round and card."""
    rows = np.flatnonzero(encoded.tape.op == ops.DRAW)
    number = np.searchsorted(encoded.offsets, rows, side="right") - 1
    own = number * _CARDS + encoded.tape.card[rows]
    when = ms[encoded.source[rows]]
    start = int(min(when.min(initial=0), seen_ms.min()))
    times = np.sort(own * _DAY_MS + np.clip(when - start, 0, _DAY_MS - 1))
    until = np.searchsorted(times, key * _DAY_MS + np.clip(seen_ms + _EARLY_MS - start, 0, _DAY_MS - 1), side="right")
    since = key * _DAY_MS + np.clip(seen_ms - _AT_ONCE_MS - start, 0, _DAY_MS - 1)
    at_once = (until > 0) & (np.append(times, 0)[until - 1] >= since)
    return np.isin(key, own), at_once


def _errors(confidence: I64, read: Mask, drawn: Mask) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    """Estimate by sighting the chance that its card was read wrong: the camera's own rate, scaled by its confidence."""
    rate = (1 + int((read & ~drawn).sum())) / (prices.READINGS + int(read.sum()))
    if rate > prices.UNRELIABLE:
        return None
    doubt = np.where(confidence == ABSENT, 0.5, 1 - confidence / 1e6).clip(1e-3, 1)
    found: np.ndarray[tuple[int], np.dtype[np.float64]] = np.minimum(rate * doubt / doubt[read].mean(), 0.5)
    return found
