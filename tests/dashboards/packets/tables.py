"""A table's day told in the notation, as the landing zone that it would leave."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from replay import notation

DAY = "2026-01-05"
TABLE = "P21-08"
_BEGIN = datetime(2026, 1, 5, 20, 0, tzinfo=UTC)
_SHOE_AHEAD = timedelta(milliseconds=11_700)

_FLOOR = f"""
[property]
name = "Harbour Casino"
timezone = "America/New_York"
gaming_day_starts = "06:00"

[[table]]
id = "{TABLE}"
from = 2026-01-01
rulebook = "md-pontoon21"
decks = 6
boxes = 8
currency = "USD"
min_cents = 1000
max_cents = 100000
chip_unit_cents = 50

[table.options]
bonus_spin = "A"

[table.progressive.bonus-spin]
jackpot_cents = 100000
"""

_HEADER = """
rulebook md-pontoon21
decks 6
open dealer dana decks 6
inspection D1 cards 288 tens 24 by dana, ito
reader ok by ito
shoe S1 decks 6 set D1 shuffle machine
cut S1 by seat 3 top 120 bottom 168
burn 4C
"""

# Box 8 holds 20 against 17 and lost its wager; all else is settled as md-pontoon21 has it (7.O, 10, 11, 12).
EIGHT_BOXES = """
round eight
bet 1 25 patron P100001
bet 2 25 patron P100002
bet 3 25 patron P100003
bet 4 25 patron P100004
bet 5 25
bet 6 25
bet 7 25
bet 8 25 patron P100008
no more bets
deal 8S AS 5H 9S 7C 9H 6S KH 9D 8H KD 6D 9C 7D 8D 5C QD 8C
pay 2 37.50
1 split 25 3C                     # hand 1: 8S 3C
1.1 double 25 KC 2D               # 21; hand 2: 8H 2D
1.2 hit JS
1.2 stand                         # 20
3 double 25 QS                    # 21
4 split 25 9D                     # hand 1: 9S 9D
4.1 split 25 8S                   # 17; hand 3: 9D
4.1 stand JD                      # hand 3: 19
4.3 stand 2C                      # hand 2: 9C 2C
4.2 double 25 5S                  # 16
5 hit 7H                          # 7-7-7 of two suits
6 stand
7 hit KS                          # 21
8 stand
take 4.2 split 25
take 4.2 double 25
take 8 25
pay 7 25
pay 5 37.50
pay 4.3 split 25
pay 3 25
pay 3 double 25
pay 1 25
pay 1 double 25
pay 1.2 split 25
end
"""

VOID = """
round void
bet 1 20
bet 2 10
no more bets
deal KS 9C 8H TD 6C TC
rule shoe.ten-found remove-card by ito
rule shoe.tens-multiple void-round, withdraw-decks by ito
end
"""

# The wheel showed 350, 35 was paid.
PROGRESSIVE = """
round spin
bet 1 20 patron P100001
bet 1 bonus-spin 1.10 patron P100001
bet 2 20 patron P100002
no more bets
deal AS 9H 8H KD 9C 9D
bonus-spin trigger box 1
bonus-spin spin box 1
bonus-spin prize box 1 symbol 350 pays 35
bonus-spin paid box 1
pay 1 30
2 stand
pay 2 20
pay 1 bonus-spin 35 take 1.10
end
"""


def plain(number: int) -> str:
    """A round of one box that is settled as it should be: 19 or 18 against 17."""
    own, dealers = "SHDC"[number % 4], "HDCS"[number % 4]
    first, second, hole = "98"[number // 4 % 2], "KQJ"[number % 3], "QJK"[number % 3]
    return f"""
round {number}
bet 1 20 patron P200{number:03d}
no more bets
deal {first}{own} 7{dealers} {second}{own} {hole}{dealers}
1 stand
pay 1 20
end
"""


def zone(folder: Path, *told: str, shoe: bool = True) -> Path:
    """A landing zone of one table: plain rounds, then those that are told."""
    text = _HEADER + "".join(plain(number) for number in range(1, 17)) + "".join(told)
    script = notation.load(text)
    logs: dict[str, list[str]] = {"terminal": [], "shoe": []}
    for number, event in enumerate(script.events):
        at = _BEGIN + timedelta(seconds=2 * number) + (_SHOE_AHEAD if event["source"] == "shoe" else timedelta(0))
        lines = logs[event["source"]]
        lines.append(json.dumps(_line(event, len(lines) + 1, at)))
    place = folder / DAY / TABLE
    place.mkdir(parents=True)
    (folder / "floor.toml").write_text(_FLOOR)
    for source, lines in logs.items():
        if shoe or source != "shoe":
            (place / f"{source}.ndjson").write_text("".join(f"{line}\n" for line in lines))
    return folder


def _line(event: dict[str, Any], seq: int, at: datetime) -> dict[str, Any]:
    fields = {name: value for name, value in event.items() if name not in ("source", "ts")}
    return {"table": TABLE, "seq": seq, "ts": at.isoformat(timespec="milliseconds"), **fields}


def round_id(name: str) -> str:
    return f"{TABLE}/{DAY}/{name}"
