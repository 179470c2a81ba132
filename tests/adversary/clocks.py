"""Device clocks: offset, drift, jitter, steps and restarts."""

import random
from dataclasses import dataclass

MODES = ("none", "mild", "offset", "drift", "jitter", "step", "restart", "hostile")
JITTER_MS = 300


@dataclass
class Piece:
    """A stretch of a device's clock: stamp = true time + offset at from_ms + drift since from_ms."""

    from_ms: int
    until_ms: int
    offset_ms: float
    drift_ppm: float


class Clock:
    """A device's clock in pieces, with jitter; stamps within a piece never run backwards."""

    def __init__(self, pieces: list[Piece], jitter_ms: int, rng: random.Random) -> None:
        self.pieces, self.jitter_ms, self.rng = pieces, jitter_ms, rng

    def stamps(self, times: list[int]) -> list[int]:
        """Return the stamps in milliseconds for true times in order."""
        out: list[int] = []
        i, last = 0, 0.0
        rnd = self.rng.random
        for t in times:
            while t >= self.pieces[i].until_ms and i + 1 < len(self.pieces):
                i, last = i + 1, 0.0
            p = self.pieces[i]
            stamp = t + p.offset_ms + p.drift_ppm * (t - p.from_ms) / 1e6
            if self.jitter_ms:
                stamp += rnd() * self.jitter_ms
            last = max(last, stamp)
            out.append(int(last))
        return out


def make_clock(
    mode: str, source: str, span: tuple[int, int], breaks: list[tuple[int, int]], rng: random.Random
) -> Clock:
    """Return the clock of one device for a day that spans these true times; restarts happen in breaks."""
    start, end = span
    shoe, hostile = source == "shoe", mode == "hostile"
    offset = drift = 0.0
    if shoe and mode != "none":
        reach = 29000 if mode == "offset" else 20000 if mode != "jitter" else 5000
        offset = rng.uniform(-reach, reach)
    if shoe and (mode in ("drift", "mild") or hostile):
        reach = 20 if mode == "mild" else 100
        drift = rng.uniform(-reach, reach)
    if source == "camera":
        offset = rng.uniform(-3000, 3000)
    changes: list[tuple[int, float | None]] = []
    if source != "camera" and (mode == "step" or hostile):
        count = rng.randint(0, 3) if source == "terminal" else rng.randint(1, 3)
        changes += [(rng.randrange(start, end), rng.uniform(-10000, 10000)) for _ in range(count)]
    if source != "camera" and (mode == "restart" or hostile):
        changes += [((a + b) // 2, None) for a, b in breaks if shoe or rng.random() < 0.3]
    jitter = int(rng.uniform(50, JITTER_MS)) if mode == "jitter" or hostile else 100 if mode == "mild" else 0
    return Clock(_pieces(start, end, offset, drift, sorted(changes, key=lambda c: c[0]), rng), jitter, rng)


def _pieces(
    start: int, end: int, offset: float, drift: float, changes: list[tuple[int, float | None]], rng: random.Random
) -> list[Piece]:
    """Return the pieces between changes; a change of None is a restart with a fresh offset."""
    pieces = [Piece(start - 3_600_000, end + 3_600_000, offset - drift * 3.6, drift)]
    for at, step in changes:
        last = pieces[-1]
        last.until_ms = at
        here = last.offset_ms + last.drift_ppm * (at - last.from_ms) / 1e6
        fresh = rng.uniform(-20000, 20000) if step is None else here + step
        pieces.append(Piece(at, end + 3_600_000, fresh, drift))
    return pieces
