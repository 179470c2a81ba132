"""Progressive wagers gone wrong: every way to plant it gives exactly its findings, meters included."""

from collections import Counter
from functools import cache
from random import Random
from typing import Final

import numpy as np
import pytest

from replay import meters as audited
from replay import ops, situations
from replay.simulator import day, judge, meters, people, settle, strategy
from replay.simulator import log as J
from replay.simulator.plant import PLAYED, REGISTRY, SETTLED, Planter, Scene, Truth
from tests.generator import Setup, from_data, plain_setup
from tests.replay.plant import harness
from tests.replay.plant.harness import Day, Planted
from tests.rules.test_paytables import SPIN_PRIZES
from tests.some import some

MARYLAND: Final = ("md-pontoon21", "md-spanish21")
MASSACHUSETTS: Final = "ma-pontoon21"
ROUNDS: Final = 200
FAMILY: Final = [
    planter for code, planters in REGISTRY.items() if code.startswith("progressive.") for planter in planters
]
# What only one state's rules have: Bonus Spin and stakes without a paytable, or the terminal's protocol.
ONLY_MARYLAND: Final = {"miss_blackjack", "spin_for_nothing", "pay_small_stake"}
ONLY_MASSACHUSETTS: Final = {"cancel_round", "fail_in_round", "fail_in_spin"} | {
    planter.act.__name__ for planter in REGISTRY["progressive.protocol"]
}


def table(book: str, letter: str) -> Setup:
    """A table with all progressive wagers that its rulebook knows."""
    spin = {"bonus_spin": letter} if book in MARYLAND else {"hole_card": letter in "AB"}
    data = plain_setup(book, bsx16=True, **spin).data
    ids = (("first", 150_000, 1_000_000), ("second", 50_000, 500_000), ("spin", 100_000, 500_000))
    data["meter"] = [{"id": name, "rate_ppm": rate, "reset_cents": reset} for name, rate, reset in ids]
    jackpot = {"meter": "spin"} if letter in "BD" else {"jackpot_cents": 1_000_000}
    systems = {"bsx16": {"meter": "first", "secondary_meter": "second", "authorise_from_cents": 120_000}}
    if book in MARYLAND:
        systems["bonus-spin"] = {**jackpot, "authorise_from_cents": 120_000}
    data["table"][0]["progressive"] = systems
    return from_data(data)


@cache
def a_day(book: str, letter: str, seed: int) -> Day:
    """A day at such a table, with patrons who stake on wheels more often than not."""
    setup = table(book, letter)
    on = harness.play(setup, seed, 1)
    on.cast.patrons[:, [people.P_SPIN_PPM, people.P_BSX_PPM]] = 800_000
    wanted = day.Conditions(ROUNDS, setup.table.boxes, meters=meters.bits(setup.table))
    log = day.play_day(on.record, strategy.solve(setup.rules), wanted, on.cast, np.random.SeedSequence(seed))
    J.renumber(log, on.cards())
    shoes = ["", *(f"S{n + 1}" for n in range(int((log.op == ops.SHOE_LOADED).sum())))]
    return on._replace(log=log, names=on.names._replace(shoes=shoes))


def findings(on: Day, log: J.Log) -> list[Truth]:
    """Return the findings of an audit of the day, with its meters."""
    tape, offsets = J.tape(log)
    systems, known = on.setup.table.progressive, on.setup.floor.meters
    watched = {
        (system, key == "secondary_meter"): known[systems[name][key]]
        for system, name in enumerate(ops.SYSTEMS)
        for key in ("meter", "secondary_meter")
        if key in systems.get(name, {})
    }
    book = on.setup.table.book
    clause = book.clauses[book.clause_for(situations.PROGRESSIVE__METER_DRIFT)].id
    nowhere = (None, None, None, None, None)
    drifts = [
        Truth("progressive.meter-drift", drift.round + 1, *nowhere, 0, clause, None)
        for drift in audited.reconcile(tape, offsets, watched)
    ]
    return harness.findings(on, log) + drifts


def plant_all(on: Day, planters: list[Planter], rounds: list[int] | None = None) -> tuple[Planted, set[str]]:
    """A day on which each planter has its way once, as far as it finds a round, and which of them did."""
    rng = Random(f"{on.seed}/{len(planters)}")
    order = list(range(1, ROUNDS + 1)) if rounds is None else rounds
    done: set[str] = set()
    running, used, truth = meters.Meters(on.setup.floor), set[int](), list[Truth]()
    log, judged = J.joined([on.log]), None
    for phase in (PLAYED, SETTLED):
        setup = on.setup
        scene = Scene(log, on.names, setup.table, setup.rules, on.cast, rng, judged, used=used)
        for planter in rng.sample(planters, len(planters)):
            rng.shuffle(order)
            if planter.phase == phase and any(
                scene.attempt(planter, number, ops.NOTHING_PRESCRIBED) for number in order
            ):
                done.add(planter.act.__name__)
        log = scene.apply()
        truth += scene.truth
        if phase == PLAYED:
            running.fill([(setup.table, log)])
            judged = judge.judge(log, on.names, setup.rules)
            log = settle.settled(log, judged, on.record)
            J.renumber(log, on.cards())
    running.refill([(on.setup.table, log)])
    return Planted(truth, findings(on, log), log), done


DAYS: Final = [(book, letter, seed) for book in MARYLAND for letter, seed in (("B", 2), ("C", 2), ("D", 1))] + [
    (MASSACHUSETTS, letter, seed) for letter, seed in (("A", 2), ("C", 2), ("C", 1))
]


@pytest.mark.parametrize("book", [*MARYLAND, MASSACHUSETTS])
def test_a_day_on_which_everything_goes_wrong(book: str) -> None:
    suited: set[str] = set()
    for each, letter, seed in DAYS:
        if each == book:
            left = [planter for planter in FAMILY if planter.act.__name__ not in suited]
            planted, done = plant_all(a_day(book, letter, seed), left)
            harness.assert_same(planted, f"{book} {letter} {seed}")
            suited |= done
    expected = {planter.act.__name__ for planter in FAMILY}
    expected -= ONLY_MARYLAND if book == MASSACHUSETTS else ONLY_MASSACHUSETTS
    assert expected - {"pay_small_stake"} <= suited <= expected  # few stakes are that small


@pytest.mark.parametrize("planter", FAMILY, ids=lambda planter: planter.act.__name__)
@pytest.mark.parametrize("book", ["mbs-pontoon", "div15-pontoon"])
def test_nothing_goes_wrong_where_there_are_no_wheels(book: str, planter: Planter) -> None:
    assert harness.plant(planter, harness.a_day(book, 1, 40), ops.NOTHING_PRESCRIBED) is None


def planted_by(name: str, book: str, letter: str, seed: int) -> Planted:
    """Plant one finding in a day."""
    planter = next(planter for planter in FAMILY if planter.act.__name__ == name)
    planted, done = plant_all(a_day(book, letter, seed), [planter])
    assert done
    harness.assert_same(planted, name)
    return planted


# The rulebooks' own words and figures.

# ma 16: the clause of each step that is forgotten, taken too early or not to be taken.
STEPS: Final = {
    "16(d)",  # start round when all wagers are placed
    "16(e)",  # and only then the cards
    "16(f)",  # no trigger: end round at once
    "16(h)",  # trigger and spin when all else is settled
    "16(i)",  # confirm
    "16(j)",  # hot spot
    "16(k)",  # enable spin
    "16(m)",  # disable spin
    "16(n)",  # pay or cancel
    "16(n)(1)",  # cancel only for a malfunction
    "16(o)",  # pay jackpot
    "16(p)",  # paid
    "16(q)",  # end round
    "16(s)",  # must-hit after the end
}


def test_every_step_of_the_protocol_can_go_wrong() -> None:
    """16(d) to 16(s): each clause is broken somewhere, and nothing else is."""
    forget = next(planter for planter in FAMILY if planter.act.__name__ == "forget_step")
    others = [planter for planter in REGISTRY["progressive.protocol"] if planter is not forget]
    on = a_day(MASSACHUSETTS, "A", 2)
    spun = np.unique(on.log.round[(on.log.op == ops.PROGRESSIVE) & (on.log.kind == ops.TRIGGER)]).tolist()
    planted, _ = plant_all(on, others)
    harness.assert_same(planted, "protocol")
    cited = {truth.clause for truth in planted.truth}
    for times in range(6, 16):
        if cited == STEPS:
            break
        planted, _ = plant_all(on, [forget] * times, spun + [number for number in range(1, 6) if number not in spun])
        harness.assert_same(planted, f"protocol {times}")
        cited |= {truth.clause for truth in planted.truth}
    assert cited == STEPS


def stake_of(planted: Planted) -> int:
    """Cents of the wager that the only finding is about."""
    truth = planted.truth[0]
    log, kind = planted.log, ops.KINDS.index(truth.kind or "")
    own = (log.op == ops.WAGER) & (log.round == truth.round) & (log.seat == truth.seat) & (log.kind == kind)
    return int(log.cents[own & (log.bettor == truth.bettor)][0])


@pytest.mark.parametrize(
    ("book", "letter", "stakes", "clauses"),
    [
        # 6.G(2) $1.10 or $5, of which table B is for the smaller; 6.G(3) only $5 has a paytable. 2.B: lock-outs.
        ("md-pontoon21", "B", {"bonus-spin": 110, "bsx16": 500}, {"bonus-spin": "2.B(7)(b)", "bsx16": "2.B(8)(b)"}),
        # 6.G(2) $1 or $5; 2.B(7)(b), and 6.D for what has no lock-out of its own.
        ("md-spanish21", "B", {"bonus-spin": 100, "bsx16": 500}, {"bonus-spin": "2.B(7)(b)", "bsx16": "6.D"}),
        ("ma-pontoon21", "A", {"bsx16": 500}, {"bsx16": "16(a)/timing"}),
    ],
)
@pytest.mark.parametrize("name", ["stake_late", "stake_late_and_lose"])
def test_late_stakes(name: str, book: str, letter: str, stakes: dict[str, int], clauses: dict[str, str]) -> None:
    planted = planted_by(name, book, letter, 2)
    truth = planted.truth[0]
    assert truth.kind is not None
    assert truth.clause == clauses[truth.kind]
    assert stake_of(planted) == stakes[truth.kind]
    assert truth.variance_cents == (-stakes[truth.kind] if name == "stake_late_and_lose" else 0)


@pytest.mark.parametrize(("book", "letter"), [("md-pontoon21", "C"), ("md-spanish21", "B"), ("md-spanish21", "D")])
def test_a_wrong_prize_is_told_by_the_row_of_its_paytable(book: str, letter: str) -> None:
    """12.D(1) to (4): the wheel pays what it shows."""
    rows = {f"{dollars * 100}": clause for clause, dollars in SPIN_PRIZES[letter]}
    planted = planted_by("misread_wheel", book, letter, 2)
    truth, log = planted.truth[0], planted.log
    prizes = (log.op == ops.PROGRESSIVE) & (log.kind == ops.PRIZE) & (log.round == truth.round)
    own = prizes & (log.seat == truth.seat) & (log.card == ops.KINDS.index(truth.kind or "") - ops.BONUS_SPIN)
    logged, symbol = int(log.cents[own][0]), int(log.aux[own][0])
    assert logged != symbol
    assert truth.variance_cents in (0, logged - symbol)
    if truth.kind == "bonus-spin":
        assert truth.clause == rows[str(symbol)]


def test_unauthorised_prizes_rest_on_a_clause_only_in_massachusetts() -> None:
    """16(p)(1); in Maryland on the house's own threshold."""
    assert planted_by("pay_without_asking", MASSACHUSETTS, "A", 2).truth[0].clause == "16(p)(1)"
    assert planted_by("pay_without_asking", "md-pontoon21", "C", 2).truth[0].clause == ""


def test_a_spin_for_nothing_costs_its_prize() -> None:
    """6.G(2): only a blackjack in the first two cards triggers it."""
    truth = planted_by("spin_for_nothing", "md-pontoon21", "C", 2).truth
    assert [(found.code, found.clause) for found in truth] == [("progressive.trigger-false", "6.G(2)")]
    assert truth[0].variance_cents in {dollars * 100 for _, dollars in SPIN_PRIZES["C"]}


@pytest.mark.parametrize(("book", "clause"), [("md-pontoon21", "12.D(6)(a)"), (MASSACHUSETTS, "16(r)(2)")])
def test_a_meter_drifts_by_its_clause(book: str, clause: str) -> None:
    truth = planted_by("go_astray", book, "D", 1).truth
    assert [(found.code, found.clause, found.variance_cents) for found in truth] == [
        ("progressive.meter-drift", clause, 0)
    ]


def test_a_clean_day_has_no_drift() -> None:
    for book, letter, seed in some(DAYS[::3]):
        planted, done = plant_all(a_day(book, letter, seed), [])
        assert not done
        assert Counter(planted.found) == Counter()
