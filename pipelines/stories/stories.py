"""The likeliest story of every round of a table's day."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from pipelines.align.ordered import OrderedLines
from pipelines.stories import order, prices
from pipelines.stories.apply import applied
from pipelines.stories.suppose import IN_ERROR, Line, Round, misdeals
from pipelines.stories.trial import Candidate, Court, Tried
from pipelines.stories.weigh import Story, Weighed, weigh
from replay import ops
from replay.columns import I64
from replay.engine import layout as L
from replay.floor import DEFAULT_AUDIT as DEFAULT
from replay.floor import AuditSettings

_TURNS: Final = 3  # swaps tried one upon another
_NEAR: Final = prices.in_thousandths(prices.NEAR_STEP)
_AT_ONCE: Final = 4_096  # candidates replayed together
_FAR: Final = 12_000  # thousandths of a nat: stories that much behind the best hardly count


@dataclass(frozen=True)
class Told:
    """The stories of rounds that had to be inferred, by number of the round."""

    rounds: Mapping[int, Weighed]
    court: Court | None = None

    def applied(self, ordered: OrderedLines) -> OrderedLines | None:
        """Put the likeliest stories into the order of events; None where they change nothing."""
        if self.court is None:
            return None
        chosen = [each.stories[0].candidate for each in self.rounds.values()]
        changed = [each for each in chosen if each.supposed or not self.court.is_as_judged(each)]
        return applied(ordered, self.court, changed) if changed else None


def tell(court: Court, stepped: frozenset[str] = frozenset(), audit: AuditSettings = DEFAULT) -> Told:
    """Infer what happened in rounds whose replay leaves findings that order or cards could explain.

    ``stepped`` are the rounds beside which a clock stepped.
    """
    suspects = _suspects(court)
    if not len(suspects):
        return Told({})
    trial = _Trial(court)
    trial.add([Candidate(number, court.rows(number)) for number in suspects.tolist()])
    trial.add([Candidate(number, court.by_clock(number)) for number in suspects.tolist() if number in court.strays])
    for _ in range(_TURNS):
        trial.add([turned for best in trial.open() for turned in order.swaps(court, best)])
    seen = {number for number in trial.best if court.sightings and court.sightings.boxes(number)}
    beside = {number for number, name in enumerate(court.judged.encoded.rounds) if name in stepped}
    trial.add([_by_procedure(court, best) for best in trial.open() if best.round in beside])
    trial.add([each for best in trial.bases() if best.round in seen for each in order.with_card_beside(court, best)])
    trial.add([each for base in trial.bases() for each in _misdealt(court, trial, base)])
    weighed = {number: weigh(told, audit.certainty, number in beside) for number, told in trial.stories.items()}
    return Told(weighed, court)


def _by_procedure(court: Court, best: Candidate) -> Candidate:
    """Put every card of a round behind the line that asked for it, whatever the clocks say."""
    rows = court.rows(best.round)
    asked = court.judged.verdicts.asked[rows]
    return Candidate(best.round, order.by_procedure(court, rows, asked), cost=_NEAR, timed=False)


def _misdealt(court: Court, trial: "_Trial", best: Candidate) -> Iterator[Candidate]:
    """List a round's best candidate with every misdeal that may have happened in it."""
    found = Round.of(court.pool, best.rows, court.judged.table.boxes)
    if found is not None:
        seen = court.sightings.boxes(best.round) if court.sightings else []
        for line in misdeals(found, trial.taken[_base(best)], seen):
            yield best._replace(supposed=(line,))
        for card, seat in court.sightings.drawn_to_boxes(best.round) if court.sightings else ():
            for row in best.rows[(court.pool.op[best.rows] == ops.DRAW) & (court.pool.card[best.rows] == card)]:
                line = Line(found.closed + 1, IN_ERROR, seat, 1, cards=(int(court.pool.aux[row]),))
                yield best._replace(supposed=(line,))


def _suspects(court: Court) -> I64:
    """Find rounds with findings that order or cards could explain, with draws of no round in them, or contradicted by
    the camera.
    """
    judged, verdicts = court.judged, court.judged.verdicts
    code = prices.code_of(verdicts.findings)
    found_in = verdicts.findings[prices.BY_ORDER[code], L.F_ROUND]
    odd = np.union1d(np.array(list(court.strays), np.int64), court.contradicted())
    numbers = np.union1d(found_in, odd).astype(np.int64)
    blind = (judged.contexts[numbers] & ops.NO_SHOE) != 0
    void = verdicts.rounds[numbers, L.R_VOID_LOGGED] == 1
    found: I64 = numbers[~blind & ~void]
    return found


_Base = tuple[int, bool, int]  # round, whether the clock counts, number of rows


def _base(each: Candidate) -> _Base:
    return each.round, each.timed, len(each.rows)


class _Trial:
    """Candidates tried so far, by round."""

    def __init__(self, court: Court) -> None:
        self.court = court
        self.stories: dict[int, list[Story]] = defaultdict(list)
        self.best: dict[int, tuple[int, Candidate, int, int]] = {}
        self.base: dict[_Base, tuple[int, Candidate]] = {}  # the best that supposes no misdeal
        self.taken: dict[_Base, I64] = {}  # ... and the rows in it that asked for cards, in order
        self.turned: set[tuple[int, bool, bytes]] = set()

    def add(self, candidates: Iterable[Candidate]) -> None:
        """Try candidates, and remember the best of each round."""
        fresh = [each for each in candidates if self._is_new(each)]
        for first in range(0, len(fresh), _AT_ONCE):
            self._try(fresh[first : first + _AT_ONCE])

    def _try(self, fresh: list[Candidate]) -> None:
        tried = self.court.tries(fresh)
        for n, cost in enumerate(tried.cost.tolist()):
            each = fresh[n]
            if not each.supposed:
                name = _base(each)
                if name not in self.base or cost < self.base[name][0]:
                    self.base[name], self.taken[name] = (cost, each), tried.taken(n)
            if each.round not in self.best or cost < self.best[each.round][0]:
                self.best[each.round] = cost, each, int(tried.suspect[n]), int(tried.by_cards[n])
        for n, cost in enumerate(tried.cost.tolist()):
            if cost <= self.best[fresh[n].round][0] + _FAR:
                self.stories[fresh[n].round].append(_story(tried, n))

    def _is_new(self, each: Candidate) -> bool:
        if each.supposed:
            return True
        name = each.round, each.timed, each.rows.tobytes()
        known = name in self.turned
        self.turned.add(name)
        return not known

    def open(self) -> list[Candidate]:
        """List the best candidates of rounds that still leave something to explain."""
        return [best for _, best, suspect, _ in self.best.values() if suspect or best.round in self.court.strays]

    def bases(self) -> list[Candidate]:
        """List the candidates on which misdeals are supposed: by the clocks, and without one where that is better."""
        strays = self.court.strays
        open_ = {number: best.timed for number, (_, best, _, cards) in self.best.items() if cards or number in strays}
        return [
            base
            for (number, timed, _), (_, base) in self.base.items()
            if number in open_ and (timed or not open_[number])
        ]


def _story(tried: Tried, n: int) -> Story:
    return Story(
        tried.candidates[n],
        int(tried.cost[n]),
        tried.findings(n),
        tried.settlements(n),
        tried.cards(n),
        bool(tried.unusual[n]),
        elsewhere=int(tried.elsewhere[n]),
    )
