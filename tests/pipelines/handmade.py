"""Small landing zones written line by line, as the contract has them: at each table a player who wins every round."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

Line = dict[str, Any]

DAY = "2026-01-05"
OPENED = datetime(2026, 1, 5, 15, tzinfo=UTC)
APART_S = 120  # seconds from round to round
STAKE = 1500
PROPERTY = """[property]
timezone = "America/New_York"
gaming_day_starts = "06:00"
"""


def table_entry(table: str) -> str:
    """A table of floor.toml."""
    named = f'[[table]]\nid = "{table}"\nfrom = 2026-01-01\nrulebook = "md-pontoon21"\n'
    return f"{named}decks = 6\nboxes = 7\nmin_cents = 1000\nmax_cents = 100000\n"


def at(seconds: float) -> str:
    """A time so many seconds after the table opened."""
    return (OPENED + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")


def wager(name: str, seconds: float) -> Line:
    return {"type": "wager", "ts": at(seconds), "round": name, "seat": 1, "bettor": 1, "kind": "main", "cents": STAKE}


def settle(name: str, seconds: float, paid: int = STAKE) -> Line:
    amounts = {"paid_cents": paid, "taken_cents": 0}
    own = {"round": name, "seat": 1, "bettor": 1, "kind": "main", "hand": 1}
    return {"type": "settle", "ts": at(seconds), **own, **amounts}


def played(number: int, is_settled: bool = True) -> list[Line]:
    """The terminal's lines of a round: wager, closing of bets, a stand, settlement and end."""
    name, begin = str(number), number * APART_S
    lines = [
        wager(name, begin),
        {"type": "bets_closed", "ts": at(begin + 10), "round": name},
        {"type": "decision", "ts": at(begin + 30), "round": name, "seat": 1, "hand": 1, "action": "stand"},
        settle(name, begin + 40),
        {"type": "round_end", "ts": at(begin + 50), "round": name},
    ]
    return lines if is_settled else [line for line in lines if line["type"] != "settle"]


def dealt(rounds: Iterable[int]) -> list[Line]:
    """The shoe's lines: player and dealer get two cards each, 20 against 17; a burn comes first."""
    lines: list[Line] = [
        {"type": "shoe_loaded", "ts": at(1), "shoe": "S1", "decks_id": "D1", "decks": 6, "shuffle": "machine"},
        {"type": "draw", "ts": at(5), "shoe": "S1", "n": 1, "card": "2C"},
    ]
    for number in rounds:
        for after, card in enumerate(("KH", "9S", "QD", "8C")):
            seconds = number * APART_S + 12 + 2 * after
            lines.append({"type": "draw", "ts": at(seconds), "shoe": "S1", "n": len(lines), "card": card})
    return lines


def opening() -> list[Line]:
    return [{"type": "open", "ts": at(0), "decks": 6, "dealer": "d1"}]


def closing(rounds: int) -> Line:
    return {"type": "close", "ts": at((rounds + 1) * APART_S)}


def numbered(lines: Iterable[Line], first: int = 1, device: str | None = None) -> list[Line]:
    """Lines with their numbers, in the order in which a device wrote them."""
    own = {} if device is None else {"device": device}
    return [{"seq": seq, **own, **line} for seq, line in enumerate(lines, first)]


def written(root: Path, tables: dict[str, dict[str, list[Line]]]) -> Path:
    """A landing zone with these tables and their files."""
    for table, files in tables.items():
        folder = root / DAY / table
        folder.mkdir(parents=True, exist_ok=True)
        for name, lines in files.items():
            (folder / name).write_text("".join(f"{json.dumps({'table': table, **line})}\n" for line in lines))
    floor = "\n".join([PROPERTY, *(table_entry(table) for table in tables)])
    (root / "floor.toml").write_text(floor)
    return root
