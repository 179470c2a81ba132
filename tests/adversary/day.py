"""A table's gaming day: opening, shoes, dealers, rounds, pauses, closing."""

import json
import random
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tests.adversary.books import Table
from tests.adversary.landing import EASTERN
from tests.adversary.misdeals import IRREGULAR, MISDEALS, make_plan
from tests.adversary.people import PACES, make_dealer
from tests.adversary.rounds import play_round
from tests.adversary.seating import Seating
from tests.adversary.shoe import Retry, Shoe
from tests.adversary.state import Plan, Round
from tests.adversary.tape import Tape

PAUSES = ((1000, 3000), (3000, 15_000), (15_000, 60_000), (60_000, 200_000))


@dataclass(frozen=True)
class Rates:
    """Rates of misdeals and irregularities, and the classes to draw from."""

    misdeals: float
    irregular: float
    only: tuple[str, ...]


class TableDay:
    """Plays one table for one gaming day onto a tape."""

    def __init__(
        self, table: Table, day: str, seed: int, rates: Rates, late_keying: bool, camera: bool, restarts: bool
    ) -> None:
        self.table, self.day, self.rates, self.restarts = table, day, rates, restarts
        self.rng = random.Random(f"{seed}/{table.id}/{day}")
        opens = datetime.fromisoformat(f"{day}T06:00:00").replace(tzinfo=EASTERN).timestamp() * 1000
        self.tape = Tape(int(opens) + self.rng.randrange(600_000, 7_200_000), self.rng, camera)
        self.limit_ms = int(opens) + 23 * 3_600_000
        names = [f"D-{table.id}-{i}" for i in range(1, 5)]
        self.pool = [make_dealer(n, seed, late_keying) for n in names]
        self.dealer = self.rng.choice(self.pool)
        self.seating = Seating(table, self.rng)
        self.rounds: list[dict[str, Any]] = []
        self.breaks: list[tuple[int, int]] = []
        self.sets = [f"K-{table.id}-{day}-{c}" for c in ("AB" if table.shuffle == "machine" else "A")]
        self.shoes = 0
        self.shoe: Shoe

    def play(self, count: int) -> None:
        """Play count rounds, or fewer where the gaming day ends first."""
        self._open()
        shift = self.rng.randint(20, 45)
        for k in range(1, count + 1):
            self._round(f"{k:05d}")
            if self.tape.t > self.limit_ms or k == count:
                break
            shift -= 1
            new_dealer = shift <= 0
            if new_dealer:
                shift = self.rng.randint(20, 45)
            mark = self.tape.mark()
            self._between(new_dealer, restart=self.restarts and k == count // 2)
            self.tape.clear(mark)
        self._close()

    def _open(self) -> None:
        """Open the table: inspection, reader check, first shoe."""
        t, tape = self.table, self.tape
        self._pace()
        tape.key("open", decks=t.decks, dealer=self.dealer.name)
        for decks_id in self.sets:
            tape.wait(60_000, 200_000)
            tape.key(
                "inspection",
                decks_id=decks_id,
                cards=t.cards,
                tens_removed=4 * t.decks,
                by=[self.dealer.name, f"F-{t.id}"],
            )
        if t.reader:
            tape.wait(10_000, 60_000)
            tape.device("reader_check", result="ok", by=f"F-{t.id}")
        self._load()

    def _load(self) -> None:
        """Cut, load and burn a new shoe."""
        t, tape, rng = self.table, self.tape, self.rng
        self.shoes += 1
        tape.wait(*((30_000, 60_000) if t.shuffle == "machine" else (120_000, 300_000)))
        self.shoe = Shoe(f"S-{t.id}-{self.day}-{self.shoes}", t, rng, tape)
        top = rng.randint(t.book.cut_margin, t.cards - t.book.cut_margin)
        by = "dealer" if rng.random() < 0.3 else f"seat {rng.choice(sorted(self.seating.seats))}"
        tape.key("cut", shoe=self.shoe.id, by=by, from_top=top, from_bottom=t.cards - top)
        tape.wait(4000, 9000)
        decks_id = self.sets[self.shoes % len(self.sets)]
        tape.device(
            "shoe_loaded", shoe=self.shoe.id, decks_id=decks_id, decks=t.decks, cards=t.cards, shuffle=t.shuffle
        )
        if t.burns_first:
            tape.wait(1500, 4000)
            self.shoe.burn()
        tape.wait(2000, 6000)

    def _unload(self) -> None:
        """Take the rest of the cards out of the shoe."""
        self.tape.wait(3000, 8000)
        self.tape.device("shoe_ended", shoe=self.shoe.id, remaining=len(self.shoe.order) - self.shoe.drawn)

    def _close(self) -> None:
        """Close the table."""
        self._unload()
        self.tape.wait(5000, 20_000)
        self.tape.key("close")

    def _between(self, new_dealer: bool, restart: bool) -> None:
        """Do what happens between two rounds: pauses, a new shoe, a new dealer, a restart of a device."""
        rng, tape = self.rng, self.tape
        if rng.random() < 0.08:
            self.seating.move()
        if rng.random() < 0.02:
            self._pace()
        fresh = self.shoe.cut_out
        if rng.random() < 0.004:
            fresh = self._idle(1_500_000, 2_400_000) or fresh
        elif restart or (self.restarts and rng.random() < 0.01):
            fresh = self._idle(200_000, 500_000) or fresh
        elif fresh:
            self._unload()
        else:
            tape.wait(*rng.choices(PAUSES, (48, 24, 24, 4))[0])
        if new_dealer:
            self._change_dealer(burn=not fresh)
        if fresh:
            self._load()

    def _idle(self, low_ms: int, high_ms: int) -> bool:
        """Leave the table idle; return whether the cards were taken out of the shoe, as an idle table has to do."""
        must = self.table.book.burn_new_dealer or self.shoe.cut_out or self.rng.random() < 0.5
        if must:
            self._unload()
        start = self.tape.t
        self.tape.wait(low_ms, high_ms)
        self.breaks.append((start, self.tape.t))
        return must

    def _change_dealer(self, burn: bool) -> None:
        """Send in another dealer, who burns a card where the book asks for it."""
        self.dealer = self.rng.choice([d for d in self.pool if d is not self.dealer])
        self.tape.wait(2500, 10_000)
        self.tape.key("dealer_change", dealer=self.dealer.name)
        self._pace()
        if burn and self.table.book.burn_new_dealer:
            self.tape.wait(2000, 6000)
            self.shoe.burn()
        self.tape.wait(2000, 6000)

    def _pace(self) -> None:
        """Choose the pace among the dealer's."""
        self.tape.pace = PACES[self.rng.choice(self.dealer.paces)]

    def _round(self, round_id: str) -> None:
        """Play one round, again from other cards where it runs into what is not produced."""
        wanted = self._wanted()
        shoe, mark = self.shoe, self.tape.mark()
        state = (shoe.drawn, shoe.cut_at, shoe.cut_out)
        while True:
            boxes = self.seating.boxes()
            plan = make_plan(wanted, boxes, self.table.boxes, self.table.book.name, self.rng) if wanted else Plan()
            r = Round(round_id, self.table, self.dealer, shoe, self.tape, self.rng, boxes, plan)
            try:
                play_round(r)
                break
            except Retry:
                self.tape.rollback(mark)
                shoe.reshuffle_rest(*state)
        self.tape.clear(mark)
        self._note(r, shoe.id, mark[0])

    def _wanted(self) -> str:
        """Return what should go wrong in the next round, or "" for nothing."""
        x, rates = self.rng.random(), self.rates
        if x >= rates.misdeals + rates.irregular:
            return ""
        pool = MISDEALS if x < rates.misdeals else IRREGULAR
        wanted = [c for c in pool if not rates.only or c in rates.only]
        return self.rng.choice(wanted) if wanted else ""

    def _note(self, r: Round, shoe_id: str, started_ms: int) -> None:
        """Record the round's truth."""
        p = r.plan if r.plan.done else Plan("clean")
        self.rounds.append(
            {
                "round": r.id,
                "class": p.name,
                "seat": p.seat or None,
                "variant": p.variant,
                "note": p.note,
                "error_cents": sum(p.errors.values()),
                "error_by_box": json.dumps(p.errors),
                "dealer": self.dealer.name,
                "rulebook": self.table.book.name,
                "shoe": shoe_id,
                "from_true_ms": started_ms,
                "until_true_ms": self.tape.t,
            }
        )
