"""Choice of planters, at a rate or by name, and of the rounds that they are tried on."""

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Final, NamedTuple

import numpy as np

from replay import codes, ops
from replay.simulator import log as J
from replay.simulator import people as P
from replay.simulator.plant.base import AS_PRESCRIBED, PLAYED, REGISTRY, Planter, Scene
from replay.simulator.plant.evidence import FILE_ACTS, FileAct, Material

_TRIES: Final = 60  # rounds that one planted at a rate is tried on
_OTHERS: Final = 5  # acts tried one after another until one suits
_FILE_TRIES: Final = 20


CAMERA_CODES: Final = frozenset(f"evidence.{what}-disagreement" for what in ("card", "zone", "sideways"))


class PlantError(ValueError):
    """Error for a requested irregularity that cannot be planted; the message names it and says why."""


class Order(NamedTuple):
    """A plant that was asked for by name."""

    code: str
    handling: int | None = None  # None: any

    def __str__(self) -> str:
        return self.code if self.handling is None else f"{self.code}/{ops.HANDLINGS[self.handling] or 'none'}"


def parse(text: str) -> tuple[Order, int]:
    """``shoe.ten-found:3`` or ``shoe.ten-found/unreported:3``: what to plant, and how often."""
    name, colon, count = text.rpartition(":")
    code, slash, handling = name.partition("/")
    known = (*ops.HANDLINGS[1:], "none")
    if not colon or not count.isdigit() or code not in codes.NUMBER or (slash and handling not in known):
        expected = f"a code and a number such as shoe.ten-found:3 or shoe.ten-found/unreported:3 ({', '.join(known)})"
        raise PlantError(f"--plant: found {text!r}, expected {expected}; audit21 codes lists the codes")
    number = None if not slash else 0 if handling == "none" else ops.HANDLINGS.index(handling)
    possible = {each for planter in REGISTRY.get(code, ()) for each in planter.handlings} or {0}
    if number is not None and number not in possible:
        names = ", ".join(sorted(ops.HANDLINGS[each] or "none" for each in possible))
        raise PlantError(f"--plant: {code} cannot be handled {handling} under any rulebook, only {names}")
    return Order(code, number), int(count)


class PlantingPlan:
    """The findings to plant at one table on one day."""

    def __init__(
        self,
        orders: Sequence[Order] = (),
        count: int = 0,
        has_camera: bool = False,
        seed: str = "",
        early: float = 0.5,
        without: Collection[str] = (),
    ) -> None:
        self.orders = list(orders)
        self.rng = rng = Random(seed)
        # Where a code has planters in both phases: orders that the first of them get.
        self.early = {id(order) for order in orders if rng.random() < early}
        self.picked = [_pick(has_camera, without, rng) for _ in range(count)]

    def __bool__(self) -> bool:
        return bool(self.orders or self.picked)

    def carry_out(self, scene: Scene, phase: str) -> None:
        """Plant all that belongs to a phase; what finds no round stays."""
        self.carry_out_orders(scene, phase)
        self.picked = [acts for acts in self.picked if not self._try_picked(acts, scene, phase)]

    def _try_picked(self, acts: Sequence[Planter | FileAct], scene: Scene, phase: str) -> bool:
        """The acts of a phase, up to the first that has its time later."""
        for act in acts:
            if isinstance(act, FileAct) or (phase == PLAYED and act.phase != PLAYED):
                return False
            if act.phase == phase and _try(act, None, scene, self.rng, _TRIES):
                return True
        return False

    def carry_out_orders(self, scene: Scene, phase: str) -> None:
        """Plant what was asked for by name."""
        self.orders = [order for order in self.orders if not self._plant(order, scene, phase)]

    def _plant(self, order: Order, scene: Scene, phase: str) -> bool:
        planters = REGISTRY.get(order.code, [])
        both = len({planter.phase for planter in planters}) > 1
        if both and phase == PLAYED and id(order) not in self.early:
            return False
        fitting = [planter for planter in planters if planter.phase == phase]
        self.rng.shuffle(fitting)
        return any(_try(planter, order.handling, scene, self.rng, scene.rounds()) for planter in fitting)

    def spoil(self, material: Material) -> None:
        """Do to the day's evidence what belongs to it."""
        self.spoil_by_order(material)
        for acts in self.picked:
            any(isinstance(act, FileAct) and act.apply(material, self.rng) for act in acts)

    def spoil_by_order(self, material: Material) -> None:
        """Do what was asked for by name."""
        self.orders = [order for order in self.orders if not self._spoil(order, material)]

    def _spoil(self, order: Order, material: Material) -> bool:
        act = FILE_ACTS.get(order.code)
        return act is not None and any(act.apply(material, self.rng) for _ in range(_FILE_TRIES))


class Picker:
    """Hands out plants to the tables' days, in the order in which these are simulated."""

    def __init__(
        self,
        rate: float,
        orders: Mapping[Order, int],
        places: Sequence[str],
        seed: int,
        without: Collection[str] = (),
    ) -> None:
        """``without`` lists codes that are not planted."""
        if banned := sorted({order.code for order in orders} & set(without)):
            raise PlantError(
                f"--plant: {', '.join(banned)} depends on the time of day, which --pace or --clocks change"
            )
        self.rate, self.seed, self.without = rate, seed, without
        self.has_camera = any(order.code in CAMERA_CODES for order in orders)
        self.waiting: list[Order] = []  # orders that have found no round yet
        self.assigned: dict[str, list[Order]] = {}
        rng = Random(f"{seed}/plants")
        for order, count in orders.items():
            for _ in range(count):
                self.assigned.setdefault(rng.choice(places), []).append(Order(*order))

    def state(self) -> tuple[list[Order], dict[str, list[Order]]]:
        """List what is still to be planted."""
        return list(self.waiting), {place: list(orders) for place, orders in self.assigned.items()}

    def plan(self, place: str, rounds: int, has_camera: bool, early: float) -> PlantingPlan:
        """The plan of one table's day; ``early`` is the share of orders that may go to planters of either phase."""
        orders, self.waiting = self.waiting + self.assigned.pop(place, []), []
        seed = f"{self.seed}/{place}/plan"
        rng = Random(seed)
        count = sum(rng.random() < self.rate for _ in range(rounds)) if self.rate else 0
        return PlantingPlan(orders, count, has_camera, seed, early, self.without)

    def take_back(self, plan: PlantingPlan) -> None:
        """Orders that this table had no round for go to the next."""
        self.waiting += plan.orders


def _pick(has_camera: bool, without: Collection[str], rng: Random) -> list[Planter | FileAct]:
    """A few acts, by how often what they do goes wrong on a floor: the first that suits the table is taken."""
    every: list[Planter | FileAct] = [planter for planters in REGISTRY.values() for planter in planters]
    every += [act for act in FILE_ACTS.values() if has_camera or act.code not in CAMERA_CODES]
    every = [act for act in every if act.code not in without]
    return rng.choices(every, [act.weight for act in every], k=_OTHERS)


def _try(planter: Planter, handling: int | None, scene: Scene, rng: Random, tries: int) -> bool:
    """Try a planter on rounds until one suits it."""
    handlings = [each for each in planter.handlings if handling in (None, each)]
    if not handlings:
        return False
    return any(
        scene.attempt(planter, number, each)
        for number in _likely_rounds(scene, rng)[:tries]
        for each in _likely_handlings(scene, number, handlings, rng)
    )


def _likely_handlings(scene: Scene, number: int, handlings: list[int], rng: Random) -> list[int]:
    """Return the handlings in random order; the prescribed one first if the supervisor on duty notices the error."""
    mixed = rng.sample(handlings, len(handlings))
    on_duty = bisect_right([since for since, _ in scene.cast.supervisors], scene.began_ms(number)) - 1
    notices = rng.random() < scene.cast.catch[max(0, on_duty)]
    return sorted(mixed, key=lambda each: each != AS_PRESCRIBED) if notices else mixed


def _likely_rounds(scene: Scene, rng: Random) -> list[int]:
    """The rounds in random order, those of careless dealers rather first."""
    starts, _ = J.bounds(scene.log)
    at = np.searchsorted(scene.cast.dealers[:, P.D_FROM_MS], scene.log.ms[starts], side="right") - 1
    weights = scene.cast.dealers[np.maximum(at, 0), P.D_ERROR_WEIGHT_PERMILLE] / 1000
    chances = np.random.default_rng(rng.getrandbits(64)).random(len(starts))
    keys = np.log(chances) / np.maximum(weights, 0.01)
    return [int(n) + 1 for n in np.argsort(-keys)]
