"""Shoes: ended, loaded, cut, burned."""

from replay import ops
from replay.compiled import compiled
from replay.rules import Rules
from replay.simulator import log as J
from replay.simulator import table as T
from replay.simulator.table import SimulatedTable


@compiled
def change(t: SimulatedTable, r: Rules) -> None:
    """The next shoe: the old one is ended, the new one loaded, cut and its first card burned, as the rulebook asks."""
    g = t.g
    end(t)
    g[T.G_SHOE] += 1
    g[T.G_SET] = 1 + g[T.G_SHOE] % 2 if g[T.G_SHUFFLE] == ops.SHUFFLE_MACHINE else 1
    g[T.G_DRAWN] = g[T.G_ORDINAL] = g[T.G_COUNT] = g[T.G_CUT_OUT] = g[T.G_SHORT] = 0
    g[T.G_NEW_SHOE] = 1
    T.wait(t, T.MS_SHUFFLE)
    size = t.stack.shape[0]
    row = T.put(t, ops.SHOE_LOADED, r.decks, T.NONE, ops.FROM_DECKS, g[T.G_SHUFFLE], g[T.G_SHOE], g[T.G_SET])
    t.log.flags[row] = size if g[T.G_SHUFFLE] == ops.SHUFFLE_MACHINE else 0
    g[T.G_CUT] = -1
    if not r.continuous:
        cut(t, r, size)
    if r.burn_first:
        T.draw(t, J.ZONE_BURN)


@compiled
def end(t: SimulatedTable) -> None:
    """The shoe in use goes out of use."""
    if t.g[T.G_SHOE]:
        T.wait(t, T.MS_BETWEEN)
        remaining = t.stack.shape[0] - t.g[T.G_DRAWN]
        T.put(t, ops.SHOE_ENDED, T.NONE, T.NONE, T.NONE, T.NONE, t.g[T.G_SHOE], remaining)


@compiled
def cut(t: SimulatedTable, r: Rules, size: int) -> None:
    """Cut the stack, far enough from its ends, and place the cut card as deep as the rulebook prescribes."""
    T.wait(t, T.MS_DECISION)
    least = max(r.cut_ends, 10)
    top = least + T.below(t, size - 2 * least + 1)
    box = 1 + T.below(t, t.g[T.G_BOXES])
    row = T.put(t, ops.CUT, box if t.seats[box, 1] else T.NONE, T.NONE, T.NONE, T.NONE, top, size - top)
    t.log.flags[row] = t.g[T.G_SHOE]
    # Behind it enough for a full table's last round, as far as the rulebook allows that.
    least, most = -(-size * r.cut_least_num // r.cut_least_den), size * r.cut_most_num // r.cut_most_den
    high = max(least, min(most, max(size * 46 // 100, 10 * t.g[T.G_BOXES])))
    low = min(max(least, size * 28 // 100, 10 * t.g[T.G_BOXES]), high)
    t.g[T.G_CUT] = size - low - T.below(t, high - low + 1)
