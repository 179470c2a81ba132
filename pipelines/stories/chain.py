"""Which cards belong to which round, by the procedure of the game alone.

A round takes as many cards as its boxes, its decisions and the dealer's rule ask for, and the next round begins with
the card after them. Where the clocks give rounds cards that they cannot have had, the cards are shared anew along
this chain. Clocks count only as far as both logs tell of an even offset between them; a step has its price.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from pipelines.align.align import Dealt
from pipelines.stories import order, prices
from pipelines.stories.trial import Candidate, Court
from replay import ops
from replay.columns import I64, SHOE, Columns, Mask
from replay.engine import layout as L

# Prices in thousandths of a nat, like those of findings.
_STEP: Final = 9_000  # a clock stepped between two rounds
_BURN: Final = 8_000  # a card was burned that need not be, or not burned
_BLIND: Final = 12_000  # the cards of a round are not among the draws
_STRAY: Final = 1_000  # a card that belongs to no round
_LOST: Final = 6_000  # the chain is taken up anew at some draw
_SURE: Final = 7_000  # a chain that much better than any other is the only one
_WORSE: Final = 40_000  # chains that much worse than the best are given up
_GAIN: Final = 5_000  # a chain has to be that much better than the cards by the clock

_BEAM: Final = 8  # chains followed at a time
_SEEDS: Final = 30  # draws at which a chain may be taken up
_BEYOND: Final = 25  # rounds beyond those that leave something to explain until a chain is given up
_DEALER_CARDS: Final = 12  # more than a dealer draws
_AWAY_MS: Final = 15_000  # how far from the expected moment a chain is taken up
_FARTHEST_MS: Final = 90_000  # how far from its round, by the clock, a card may have been drawn
_JITTER_MS: Final = 350  # stamps are late by so much at most
_DRIFT: Final = 2e-4
_EVER_MS: Final = 1 << 60


class Link(NamedTuple):
    """A chain up to a round: its next draw, its price, and the offset of the clocks that its rounds leave."""

    at: int
    cost: int
    low_ms: float = -_EVER_MS
    high_ms: float = _EVER_MS
    when_ms: int = 0
    first: int = -1  # draws of the last round
    taken: int = 0
    clean: bool = False  # whether its cards leave nothing to explain
    before: "Link | None" = None


class Cards(NamedTuple):
    """The draws of each round: the first, and how many; in the order of the table's draws."""

    first: I64
    taken: I64


class Chained(NamedTuple):
    """The draws of each round along the chains, and whether they leave nothing to explain."""

    first: I64
    taken: I64
    clean: Mask


class Day:
    """A judged table's day as a chain sees it: draws in order, and the lines of each round; all on logged clocks."""

    def __init__(self, court: Court, columns: Columns, part: I64) -> None:
        self.court, logged = court, columns.number("ts")
        encoded = court.judged.encoded
        table = encoded.table
        by_shoe = columns.source[encoded.table_source] == SHOE  # not cards that only the camera saw
        self.draws = np.flatnonzero((table.op == ops.DRAW) & by_shoe)  # rows of the table's tape
        self.by_clock_ms = court.ms[len(court.tape.op) + self.draws]
        self.drawn_ms = np.maximum.accumulate(logged[encoded.table_source[self.draws]])
        self.loads = np.flatnonzero(table.op == ops.SHOE_LOADED)
        self.checks = np.flatnonzero(table.op == ops.HOLE_CHECK)
        self.begins = _begins(court)
        changes = np.searchsorted(np.flatnonzero(table.op == ops.DEALER_CHANGE), np.append(-1, self.begins))
        self.changed = np.diff(changes) > 0  # by round: whether a new dealer came before it
        self.count = len(court.offsets) - 1
        self.cards = self._by_clock(len(logged))
        self.left = np.zeros(self.count, np.int64)  # by round: what its cards by the clock leave to explain
        self.holes = self._holes()
        self._parts(np.append(part, np.zeros(len(logged) - len(part), np.int64)))
        self._moments(logged)

    def _by_clock(self, lines: int) -> Cards:
        """Find the draws that the clocks give to each round."""
        encoded = self.court.judged.encoded
        place = np.full(lines, -1)
        place[encoded.table_source[self.draws]] = np.arange(len(self.draws))
        rows = np.flatnonzero(encoded.tape.op == ops.DRAW)
        number, at = np.searchsorted(self.court.offsets, rows, side="right") - 1, place[encoded.source[rows]]
        first = np.full(self.count, len(self.draws))
        np.minimum.at(first, number[at >= 0], at[at >= 0])
        return Cards(first, np.bincount(number[at >= 0], minlength=self.count))

    def _holes(self) -> Mask:
        """Mark draws before which lines of the shoe are missing."""
        table = self.court.judged.encoded.table
        gaps = np.flatnonzero((table.op == ops.GAP) & (table.kind == 1))
        marks = np.zeros(len(self.draws) + 1, np.bool_)
        marks[np.searchsorted(self.draws, gaps)] = True
        return marks

    def _parts(self, part: I64) -> None:
        """Say where the part of the day begins and ends that each round is in, and which draws are its own."""
        encoded = self.court.judged.encoded
        own = part[encoded.source[np.minimum(self.court.offsets[:-1], len(encoded.source) - 1)]]
        self.since, self.until = np.searchsorted(own, own), np.searchsorted(own, own, side="right")
        self.front = np.searchsorted(part[encoded.table_source[self.draws]], own)
        self.back = np.searchsorted(part[encoded.table_source[self.draws]], own, side="right")

    def _moments(self, logged: I64) -> None:
        tape, offsets = self.court.tape, self.court.offsets
        ms, number = logged[self.court.source[: len(tape.op)]], np.repeat(np.arange(self.count), np.diff(offsets))
        closes, ends = tape.op == ops.BETS_CLOSED, tape.op == ops.ROUND_END
        self.closed = _least(ms, number, closes, self.count)
        asks = (tape.op == ops.DECISION) | (tape.op == ops.OFFER)
        asks |= (tape.op == ops.WAGER) & (tape.kind == ops.INSURANCE)
        self.ended = _least(ms, number, ends, self.count)
        self.decided = np.minimum(_least(ms, number, asks, self.count), self.ended)
        staked = (tape.op == ops.WAGER) & (tape.kind == ops.MAIN) & (ms <= self.closed[number])
        boxes = np.bincount(np.unique(number[staked] << 8 | tape.seat[staked]) >> 8, minlength=self.count)
        self.initial = 2 * boxes + 1 + bool(self.court.judged.rules.hole_card)
        decides = tape.op == ops.DECISION
        more = np.where(decides, np.array([1, 0, 1, 2, 0, 0])[np.minimum(tape.kind, 5)], 0)
        self.most = self.initial + np.bincount(number, more, minlength=self.count).astype(np.int64) + _DEALER_CARDS
        self.whole = (self.closed < _EVER_MS) & (self.ended < _EVER_MS) & (boxes > 0)
        gaps = np.flatnonzero(self.court.judged.encoded.table.op == ops.GAP)
        after = np.searchsorted(self.begins, gaps)  # rounds that begin behind a gap
        self.torn = np.zeros(self.count + 2, np.bool_)
        self.torn[np.minimum(after, self.count)] = True

    def is_near(self, number: int, draw: int) -> bool:
        """Whether a draw is as near to a round, by its clock, as any clock that stepped leaves it."""
        return abs(int(self.by_clock_ms[draw] - self.closed[number])) <= _FARTHEST_MS

    def is_fresh(self, draws: I64) -> Mask:
        """Mark draws that are the first of their shoe; none is beyond the last."""
        found: Mask = np.append(self.court.judged.encoded.table.aux[self.draws] == 1, False)[draws]
        return found

    def left_over(self, number: int, at: int) -> int:
        """Count the draws that a chain up to a round leaves to none, where no other round comes in its part."""
        return max(0, int(self.back[number]) - at) if number + 1 == self.until[number] else 0

    def burned(self, number: int, at: int) -> int:
        """Count the cards burned before a round: a new shoe's first, and a new dealer's."""
        table, rules = self.court.judged.encoded.table, self.court.judged.rules
        if at >= len(self.draws):
            return 0
        if table.aux[self.draws[at]] == 1:
            return int(rules.burn_first)
        return int(self.changed[number] and rules.burn_new_dealer)

    def rows(self, number: int, first: int, last: int) -> I64:
        """Lay the round's lines of the terminal with draws behind the closing of bets."""
        own = self.court.rows(number)
        lines = own[~order.is_shoe(self.court.tape.op[own])]
        closed = int(np.flatnonzero(self.court.tape.op[lines] == ops.BETS_CLOSED)[0])
        base = len(self.court.tape.op)
        taken = self.draws[first:last]
        if not len(taken):
            return lines
        following = self.draws[last] if last < len(self.draws) else len(self.court.judged.encoded.table.op)
        checks = self.checks[(self.checks > taken[0]) & (self.checks < following)][:1]
        loads = self.loads[(self.loads > taken[0]) & (self.loads < taken[-1])]
        decided = np.flatnonzero(self.court.tape.op[lines] == ops.DECISION)
        place = int(decided[0]) if len(decided) else len(lines) - 1
        with_check = np.insert(lines, max(place, closed + 1), base + checks) if len(checks) else lines
        found: I64 = np.insert(with_check, closed + 1, base + np.sort(np.concatenate([taken, loads])))
        return found


def _least(ms: I64, number: I64, marks: Mask, count: int) -> I64:
    found = np.full(count, _EVER_MS)
    np.minimum.at(found, number[marks], ms[marks])
    return found


def _begins(court: Court) -> I64:
    """Find the row of the table's tape at which each round begins."""
    table = court.judged.encoded.table
    rows = np.flatnonzero(table.op == ops.ROUND_BEGIN)[::-1]
    found = np.zeros(len(court.offsets) - 1, np.int64)
    found[table.aux[rows]] = rows
    return np.maximum.accumulate(found)


def shared(court: Court, columns: Columns, part: I64) -> Dealt | None:
    """Share the cards of a day along chains where the clocks give rounds cards that they cannot have had.

    ``part`` has by line the part of the day, beyond which no chain goes. None where nothing is to be changed.
    """
    day = Day(court, columns, part)
    odd, cost, moved = _odd(day)
    cards = _chained(day, odd, cost, moved)
    if cards is None:
        return None
    encoded = court.judged.encoded
    words = np.zeros(day.count, np.int64)
    rows = np.flatnonzero(~order.is_shoe(encoded.tape.op))
    words[np.searchsorted(court.offsets, rows, side="right") - 1] = columns.text("round")[encoded.source[rows]]
    belongs, moved_lines = np.zeros(len(columns.type), np.int64), np.zeros(len(columns.type), np.bool_)
    for number in np.flatnonzero(cards.taken).tolist():
        own = day.draws[cards.first[number] : cards.first[number] + cards.taken[number]]
        belongs[encoded.table_source[own]] = words[number]
    same = (cards.first == day.cards.first) & (cards.taken == day.cards.taken)
    for number in np.flatnonzero(~same).tolist():
        for which in (cards, day.cards):
            own = day.draws[which.first[number] : which.first[number] + which.taken[number]]
            moved_lines[encoded.table_source[own]] = True
    clean = np.where(same, ~odd, cards.clean) & (cards.taken > 0)
    return Dealt(belongs, frozenset(words[clean].tolist()), moved_lines)


def _chained(day: Day, odd: Mask, cost: I64, moved: Mask) -> "Chained | None":
    """Share cards anew around odd rounds beside others, and those whose cards are not next to their neighbours'.

    A single odd round between good ones has its own cards.
    """
    padded = np.pad(odd, 2)
    beside = padded[:-4] | padded[1:-3] | padded[3:-1] | padded[4:]
    first, count = day.cards.first.copy(), day.cards.taken.copy()
    clean = np.zeros(day.count, np.bool_)
    changed, number = False, 0
    places = np.flatnonzero(odd & (moved | beside))
    while True:
        places = places[places >= number]
        if not len(places):
            break
        begin = max(int(places[0]) - 1, number, int(day.since[places[0]]))
        found, number = _follow(day, odd, cost, begin, first, count)
        for at, link in found:
            changed |= bool(first[at] != link.first or count[at] != link.taken) and bool(link.taken or count[at])
            first[at], count[at], clean[at] = link.first, link.taken, link.clean
    return Chained(first, count, clean) if changed else None


def _odd(day: Day) -> tuple[Mask, I64, Mask]:
    """Mark rounds that leave something to explain by their cards, with what that costs, and those without cards or
    with cards between them and the round before.
    """
    judged = day.court.judged
    findings = judged.verdicts.findings
    code = prices.code_of(findings)
    counts = prices.BY_CARDS[code] | (prices.BY_ORDER[code] & ~prices.BY_CLOCK[findings[:, L.F_SLOT]])
    cost = np.bincount(
        findings[counts, L.F_ROUND], day.court.price[code[counts]].astype(np.float64), minlength=day.count
    ).astype(np.int64)
    day.left = cost.copy()
    blind = ((judged.contexts & ops.NO_SHOE) != 0) | (day.cards.taken == 0)
    cost[blind] += _BLIND
    moved = blind.copy()
    last = np.append(0, day.cards.first + day.cards.taken)[
        :-1
    ]  # by round: the draw behind the cards of the round before
    known = ~blind & ~np.append(False, blind[:-1]) & ~day.torn[: day.count] & ~day.holes[day.cards.first]
    off = day.cards.first - last
    for number in np.flatnonzero(known & ((off != 0) | day.changed | day.is_fresh(last))).tolist():
        wrong = abs(int(off[number]) - day.burned(number, int(last[number])))
        cost[number] += _BURN * wrong
        moved[number] |= wrong > 0
    odd = cost > 0
    void = judged.verdicts.rounds[:, L.R_VOID_LOGGED] == 1
    odd[void] = False
    return odd, cost, moved


def _follow(day: Day, odd: Mask, cost: I64, begin: int, first: I64, count: I64) -> tuple[list[tuple[int, Link]], int]:
    """Follow the chains from a round on until one is the only one and as the clocks have it.

    Returns the links of the best chain, none where it is not better, and the round from which to look on.
    """
    links = [_start(day, begin, first, count)]
    quiet = 0
    for number in range(begin, int(day.until[begin])):
        links = _step(day, number, links)
        links = _best(link._replace(cost=link.cost + _STRAY * day.left_over(number, link.at)) for link in links)
        quiet = 0 if odd[number] else quiet + 1
        settled = links[0].at == first[number] + count[number] and count[number] > 0
        only = len(links) == 1 or links[1].cost - links[0].cost > _SURE
        if quiet and settled and only and not (number + 1 < day.count and odd[number + 1]):
            break
        if quiet > _BEYOND:
            return [], number + 1
    best = links[0]
    if best.cost >= _by_clock(day, cost, begin, number, first, count) - _GAIN:
        return [], number + 1
    path = []
    link: Link | None = best
    for at in range(number, begin - 1, -1):
        assert link is not None
        path.append((at, link))
        link = link.before
    return path, number + 1


def _by_clock(day: Day, cost: I64, begin: int, last: int, first: I64, count: I64) -> int:
    """Price the cards as the clocks share them: what the rounds leave to explain, steps, and cards of no round."""
    link = _start(day, begin, first, count)
    for number in range(begin, last + 1):
        price = int(cost[number])
        if count[number] and day.whole[number]:
            price += _STRAY * max(0, int(first[number]) - link.at - day.burned(number, link.at))
            stop = int(first[number] + count[number])
            link = _timed(day, number, link, int(first[number]), int(count[number]), stop, price)
        else:
            link = link._replace(cost=link.cost + price)
    return link.cost + _STRAY * day.left_over(last, link.at)


def _start(day: Day, begin: int, first: I64, count: I64) -> Link:
    """Begin a chain behind a round whose cards are known, with the offset that the rounds before leave."""
    since = int(day.since[begin])
    known = [number for number in range(max(since, begin - 6), begin) if count[number] > 0 and day.whole[number]]
    if begin == since:
        at = int(day.front[begin])
    else:
        at = int(first[begin - 1] + count[begin - 1]) if count[begin - 1] > 0 else _seed(day, begin)
    link = Link(at, 0)
    for number in known:
        link = _timed(day, number, link, int(first[number]), int(count[number]), link.at, 0)
    return link._replace(cost=0, before=None, at=at)


def _seed(day: Day, number: int) -> int:
    """Take up a chain at the first draw after the round before, by the clock; at the first of all at the beginning."""
    known = np.flatnonzero(day.cards.taken[:number])
    if not len(known):
        return int(day.front[number])
    return int(day.cards.first[known[-1]] + day.cards.taken[known[-1]])


def _timed(day: Day, number: int, link: Link, first: int, taken: int, at: int, cost: int) -> Link:
    """Add a round to a chain, with what its cards say of the offset between the clocks."""
    added = link._replace(at=at, cost=link.cost + cost, first=first, taken=taken, clean=not cost, before=link)
    if not taken:
        return added._replace(clean=False)
    when = int(day.closed[number])
    wider = _DRIFT * max(when - link.when_ms, 0) if link.when_ms else 0.0
    high = float(day.drawn_ms[first] - day.closed[number]) + _JITTER_MS
    dealt = min(taken, int(day.initial[number])) - 1
    low = (
        max(
            float(day.drawn_ms[first + taken - 1] - day.ended[number]),
            float(day.drawn_ms[first + dealt] - day.decided[number]),
        )
        - _JITTER_MS
    )
    stepped = added._replace(cost=added.cost + _STEP, when_ms=when)
    if low > high:  # the clock stepped while the round was played
        return stepped._replace(low_ms=-_EVER_MS, high_ms=_EVER_MS, clean=False)
    least, most = max(low, link.low_ms - wider), min(high, link.high_ms + wider)
    if least > most:
        return stepped._replace(low_ms=low, high_ms=high)
    return added._replace(low_ms=least, high_ms=most, when_ms=when)


def _step(day: Day, number: int, links: list[Link]) -> list[Link]:
    """Add a round to every chain in every way that it may have taken its cards; the best chains first."""
    if not day.whole[number]:
        return [_timed(day, number, link, link.at, 0, link.at, 0) for link in links]
    found = _ways(day, number, _starts(day, number, links))
    found += [(_timed(day, number, link, link.at, 0, link.at, _BLIND)) for link in links]
    least = min(link.cost for link in found)
    torn = day.torn[number] or day.torn[number + 1]
    if torn or least - links[0].cost > _SURE:
        found += _ways(day, number, [(place, links[0], price) for place, price in _seeds(day, number, links[0])])
    return _best(found)


def _best(found: Iterable[Link]) -> list[Link]:
    """Keep the best chain to each draw, and of those the best few."""
    by_draw: dict[int, Link] = {}
    for link in sorted(found, key=lambda link: link.cost):
        by_draw.setdefault(link.at, link)
    best = list(by_draw.values())[:_BEAM]
    return [link for link in best if link.cost <= best[0].cost + _WORSE]


def _starts(day: Day, number: int, links: Sequence[Link]) -> list[tuple[int, Link, int]]:
    found = []
    for link in links:
        burned = day.burned(number, link.at)
        found += [(link.at + burned, link, 0), (link.at + 1 - burned, link, _BURN)]
    return found


def _seeds(day: Day, number: int, link: Link) -> list[tuple[int, int]]:
    """List draws near the moment at which bets were closed, behind the chain's own, at which it may be taken up."""
    wide = link.high_ms - link.low_ms < _AWAY_MS * 4
    low, high = (link.low_ms, link.high_ms) if wide else (-2.0 * _AWAY_MS, 2.0 * _AWAY_MS)
    lo, hi = np.searchsorted(day.drawn_ms, [day.closed[number] + low - _AWAY_MS, day.closed[number] + high + _AWAY_MS])
    middle = int(np.searchsorted(day.drawn_ms, day.closed[number] + (low + high) / 2))
    places = sorted(range(max(int(lo), link.at), int(hi) + 1), key=lambda place: abs(place - middle))[:_SEEDS]
    return [(place, _LOST + 100 * abs(place - middle)) for place in places]


def _ways(day: Day, number: int, starts: Sequence[tuple[int, Link, int]]) -> list[Link]:
    """Lay a round's cards from each start on: as many as it asks for, one or two more or fewer."""
    size = len(day.draws)
    places = sorted({start for start, _, _ in starts if start + 2 < size + 1 and day.is_near(number, start)})
    if not places:
        return []
    took = _took(day, number, places)
    ways = [
        (place, count)
        for place, asked in zip(places, took, strict=True)
        for count in range(max(asked - 2, 1), asked + 3)
        if place + count <= size and not day.holes[place + 1 : place + count].any()
    ]
    cost = dict(zip(ways, _costs(day, number, ways), strict=True)) if ways else {}
    own = int(day.cards.first[number]), int(day.cards.taken[number])
    if own in cost:  # in the order of the clocks it may leave less
        cost[own] = min(cost[own], int(day.left[number]))
    by_place: dict[int, list[int]] = {}
    for place, count in ways:
        by_place.setdefault(place, []).append(count)
    return [
        _timed(day, number, link, start, count, start + count, price + cost[start, count])
        for start, link, price in starts
        for count in by_place.get(start, ())
    ]


def _took(day: Day, number: int, places: Sequence[int]) -> list[int]:
    """Count the cards that a round asks for when they are dealt from some draw on."""
    rows = [day.rows(number, place, min(place + int(day.most[number]), len(day.draws))) for place in places]
    verdicts, tape, offsets = day.court.replayed([Candidate(number, each) for each in rows], ops.NO_SHOE)
    role, is_draw = verdicts.zones[:, 0], tape.op == ops.DRAW
    left = is_draw & ((role == L.LEFT_OVER) | (role == L.UNPLACED))
    found = []
    for n in range(len(places)):
        own = slice(int(offsets[n]), int(offsets[n + 1]))
        vain = np.flatnonzero(left[own])
        found.append(int(is_draw[own][: vain[0] if len(vain) else None].sum()))
    return found


def _costs(day: Day, number: int, ways: Sequence[tuple[int, int]]) -> list[int]:
    """Price what each way leaves to explain."""
    rows = [day.rows(number, place, place + count) for place, count in ways]
    verdicts, _, _ = day.court.replayed([Candidate(number, each) for each in rows], ops.NO_SHOE)
    code = prices.code_of(verdicts.findings)
    counts = prices.BY_CARDS[code] | (prices.BY_ORDER[code] & ~prices.BY_CLOCK[verdicts.findings[:, L.F_SLOT]])
    cost = np.zeros(len(ways), np.int64)
    np.add.at(cost, verdicts.findings[counts, L.F_ROUND], day.court.price[code[counts]])
    if day.court.judged.verdicts.rounds[number, L.R_VOID_LOGGED]:
        cost[:] = 0
    found: list[int] = cost.tolist()
    return found
