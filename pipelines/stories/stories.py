"""The likeliest story of every round of a table's day."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from pipelines.judge.inferred import OrderedLines
from pipelines.stories import order, prices
from pipelines.stories.apply import applied
from pipelines.stories.sequence import Draws, runs
from pipelines.stories.suppose import UNWAGERED, Line, Round, misdeals
from pipelines.stories.trial import Candidate, Court, Tried
from pipelines.stories.weigh import Story, Weighed, weigh
from replay import ops
from replay.audit import Judged
from replay.columns import I64
from replay.engine import layout as L
from replay.floor import DEFAULT_AUDIT as DEFAULT
from replay.floor import Audit

_TURNS: Final = 3  # swaps tried one upon another
_ALONE: Final = round(-1000 * np.log(prices.ONE_CARD))
_NEAR: Final = round(-1000 * np.log(prices.NEAR_STEP))
_BRIDGE: Final = 2  # rounds between or beside others that may have got their cards unnoticed
_MUCH: Final = 15_000  # thousandths of a nat: more than one thing to explain
_MANY: Final = 3  # rounds in a row with something to explain: that is a clock, not the dealers
_BESIDE: Final = 20  # rounds among which as many findings of one kind are a clock's, too
_UNKNOWN: Final = round(-1000 * np.log(prices.UNKNOWN))
_AT_ONCE: Final = 4_096  # candidates replayed together
_FAR: Final = 8_000  # thousandths of a nat: stories that much behind the best hardly count


@dataclass(frozen=True)
class Told:
    """The stories of rounds that had to be inferred, by number of the round."""

    rounds: Mapping[int, Weighed]
    court: Court | None = None

    def applied(self, ordered: OrderedLines) -> OrderedLines | None:
        """Put the likeliest stories into the order of events; None where they change nothing."""
        chosen = [each.stories[0].candidate for each in self.rounds.values()]
        changed = [each for each in chosen if each.cost or each.supposed]
        return applied(ordered, self.court, changed) if changed and self.court else None


def tell(judged: Judged, ms: I64, slack: I64, stepped: frozenset[str] = frozenset(), audit: Audit = DEFAULT) -> Told:
    """Infer what happened in rounds whose replay leaves findings that order or cards could explain.

    ``ms`` and ``slack`` are by line: its time on the common clock, and within how many ms its order to lines of other
    devices is open; ``stepped`` are the rounds beside which a clock stepped.
    """
    suspects = _suspects(judged)
    if not len(suspects):
        return Told({})
    court = Court(judged, ms, slack, prices.costs(audit.chances))
    trial = _Trial(court)
    trial.add([Candidate(number, court.rows(number)) for number in suspects.tolist()])
    for _ in range(_TURNS):
        trial.add([turned for best in trial.open(by_cards=False) for turned in order.swaps(court, best)])
    beside = {number for number, name in enumerate(judged.encoded.rounds) if name in stepped}
    near = beside | _clustered(
        judged, sorted(best.round for best in trial.open(True) if trial.best[best.round][0] > _MUCH)
    )
    trial.add([best._replace(timed=False, cost=_NEAR) for best in trial.open(by_cards=False) if best.round in near])
    draws = Draws(court)
    for run in runs(sorted(best.round for best in trial.open(by_cards=True)), _BRIDGE):
        if near.intersection(run):
            _share(trial, draws, run)
        else:
            trial.add(
                each for part in runs([n for n in run if n in trial.best]) for each in draws.candidates(part, False)
            )
    lost = {number for number in near if number in trial.best and trial.best[number][0] > _MUCH} | beside
    unknown = [best for best in trial.open(by_cards=True) if best.round in lost]
    trial.add(best._replace(timed=False, unknown=True, cost=_UNKNOWN) for best in unknown)
    trial.add([each for best in trial.open(by_cards=True) for each in _misdealt(court, trial, best)])
    return Told({number: weigh(stories, audit.certainty) for number, stories in trial.stories.items()}, court)


def _share(trial: "_Trial", draws: Draws, run: Sequence[int]) -> None:
    """Try to share the cards of a run of rounds in sequence; where that fails, with the rounds beside it."""
    count = len(trial.court.offsets) - 1
    for more in range(_BRIDGE + 1):
        wider = list(range(max(0, run[0] - more), min(count, run[-1] + more + 1)))
        found = draws.candidates(wider, True)
        if found:
            trial.add(Candidate(number, trial.court.rows(number)) for number in wider)
            trial.add(found)
            return


def _clustered(judged: Judged, suspects: Sequence[int]) -> set[int]:
    """Find rounds beside others with the like of their findings: a clock that is off tells the same of all of them."""
    found: set[int] = set()
    for run in runs(suspects):
        if len(run) >= _MANY:
            found |= set(run)
    lines = judged.verdicts.findings
    for slot in np.unique(lines[prices.BY_CLOCK[lines[:, L.F_SLOT]], L.F_SLOT]).tolist():
        rounds = np.unique(lines[lines[:, L.F_SLOT] == slot, L.F_ROUND])
        close = np.flatnonzero(rounds[_MANY - 1 :] - rounds[: 1 - _MANY] <= _BESIDE)
        found |= {number for first in close.tolist() for number in rounds[first : first + _MANY].tolist()}
    return found


def _misdealt(court: Court, trial: "_Trial", best: Candidate) -> Iterator[Candidate]:
    """List a round's best candidate with every misdeal that may have happened in it."""
    found = Round.of(court.pool, best.rows, court.judged.table.boxes)
    if found is not None:
        for line in misdeals(found, trial.left_over[best.round]):
            yield _supposing(best, line)


def _supposing(best: Candidate, line: Line) -> Candidate:
    """Add a supposed line to a candidate."""
    alone = line.code == UNWAGERED and len(line.cards) == 1
    return best._replace(supposed=(line,), cost=best.cost + (_ALONE if alone else 0))


def _suspects(judged: Judged) -> I64:
    """Find rounds with findings that another order or other cards could explain."""
    verdicts = judged.verdicts
    if not len(verdicts.findings):
        return np.zeros(0, np.int64)
    code = prices.code_of(verdicts.findings)
    numbers = np.unique(verdicts.findings[prices.BY_ORDER[code], L.F_ROUND])
    blind = (judged.contexts[numbers] & ops.NO_SHOE) != 0
    void = verdicts.rounds[numbers, L.R_VOID_LOGGED] == 1
    found: I64 = numbers[~blind & ~void]
    return found


class _Trial:
    """Candidates tried so far, by round."""

    def __init__(self, court: Court) -> None:
        self.court = court
        self.stories: dict[int, list[Story]] = defaultdict(list)
        self.best: dict[int, tuple[int, Candidate, int, int]] = {}
        self.turned: set[tuple[int, bool, bytes]] = set()
        self.left_over: dict[int, set[int]] = defaultdict(set)  # by round: ordinals of cards drawn in vain as logged

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
                self.left_over[each.round] |= tried.left_over(n)
            if each.round not in self.best or cost < self.best[each.round][0]:
                self.best[each.round] = cost, each, int(tried.suspect[n]), int(tried.by_cards[n])
        for n, cost in enumerate(tried.cost.tolist()):
            if cost <= self.best[fresh[n].round][0] + _FAR:
                self.stories[fresh[n].round].append(_story(tried, n))

    def _is_new(self, each: Candidate) -> bool:
        if each.supposed or each.unknown:
            return True
        name = each.round, each.timed, each.rows.tobytes()
        known = name in self.turned
        self.turned.add(name)
        return not known

    def open(self, by_cards: bool) -> list[Candidate]:
        """List the best candidates of rounds that still leave something to explain."""
        return [best for _, best, suspect, cards in self.best.values() if (cards if by_cards else suspect)]


def _story(tried: Tried, n: int) -> Story:
    return Story(
        tried.candidates[n], int(tried.cost[n]), tried.findings(n), tried.settlements(n), bool(tried.unusual[n])
    )
