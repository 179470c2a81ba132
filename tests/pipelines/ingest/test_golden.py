"""Landing files written by hand, with every type of event, and what has to become of each line and of the tape."""

from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from pipelines.ingest.read import FileLines, read_file
from pipelines.ingest.table_day import Landed, gather
from replay import codes, ops
from replay.columns import SHOE, TERMINAL
from replay.encode import encode
from replay.tape import Tape
from tests.pipelines.ingest.rows import Row, rows

GOLDEN: Final = Path(__file__).parent / "golden"
TABLE: Final = "P21-01"
OPENED_MS: Final = 1_767_625_200_000  # 2026-01-05T15:00:00Z

# By file: a row of the columns for each good line, but for its number, ``seq``, table, time and offset.
AT: Final = {"round": "1", "seat": 3, "bettor": 2}
GOOD: Final[dict[str, list[Row]]] = {
    "terminal": [
        {"type": "open", "decks": 6, "dealer": "D. Novák"},
        {"type": "inspection", "decks_id": "A7", "cards": 288, "tens_removed": 24, "by": '["Ito","Lee"]'},
        {"type": "cut", "shoe": "S1", "by": "seat 3", "from_top": 60, "from_bottom": 228},
        {"type": "wager", **AT, "kind": "main", "cents": 2500, "patron": "p-77", "for_bettor": 1},
        {"type": "bets_closed", "round": "1"},
        {"type": "offer", "round": "1", "what": "insurance", "state": "open"},
        {"type": "decision", "round": "1", "seat": 3, "hand": 1, "action": "hit", "bettors": "[1,2]"},
        {"type": "assign", **AT, "hand": 4},
        {"type": "withdraw", **AT, "kind": "pair", "hand": 1},
        {"type": "irregularity", "round": "1", "seat": 3, "hand": 1, "code": "deal.player-one-card", "by": "Ito"}
        | {"ruling": '["use-next","continue"]', "n_list": "[4,5]", "missed_card": 2, "exposed": 1}
        | {"refused_by": "[1,4]"},
        {"type": "progressive", **AT, "system": "bsx16", "action": "prize", "symbol": "community-100", "by": "Ito"}
        | {"prize_cents": 10000, "meter": "secondary", "meter_cents": 123456},
        {"type": "settle", **AT, "kind": "main", "hand": 1, "paid_cents": -2500, "taken_cents": 0},
        {"type": "round_end", "round": "1"},
        {"type": "irregularity", "code": "shoe.ten-found", "ruling": '["remove-card"]', "shoe": "S1", "n": 9},
        {"type": "dealer_change", "dealer": "Ngô"},
        {"type": "close"},
    ],
    "shoe": [
        {"type": "shoe_loaded", "shoe": "S1", "decks_id": "A7", "decks": 6, "cards": 288, "shuffle": "manual"}
        | {"from": "discards"},
        {"type": "draw", "shoe": "S1", "n": 1, "card": "7S", "face": "up"},
        {"type": "cut_card", "shoe": "S1", "n": 1},
        {"type": "hole_card_check", "result": "no-blackjack"},
        {"type": "reader_check", "result": "fault", "by": "Ito"},
        {"type": "fault", "device": "reader", "kind": "lamp"},
        {"type": "repaired", "device": "reader"},
        {"type": "shoe_ended", "shoe": "S1", "remaining": 44},
    ],
    "camera": [
        {"type": "seen", "device": "cam-2", "camera": "north", "zone": "seat3.hand1", "order": 1, "face": "up"}
        | {"card": "7S", "confidence": 875_000, "sideways": 0, "until": OPENED_MS + 2000},
        {"type": "seen", "device": "cam-2", "order": 2, "face": "down", "confidence": 1_000_000},
    ],
}
FIRST_MS: Final = {"terminal": 0, "shoe": 250, "camera": 1500}  # after the opening; a second from line to line
BAD: Final = {
    "terminal": {
        17: "empty line",
        18: "seat: found 32, expected a whole number from 1 to 31",
        19: "ts: found '2026-01-05T15:00:17', expected a time from 1970 on with its offset, "
        "such as 2026-11-16T14:05:07.250+08:00",
        20: "table: found 'P21-02', expected 'P21-01' as in the folder's name",
        21: "'seq' stands twice in the line, expected once",
        22: "type: found 'draw', expected one of open, inspection, dealer_change, cut, wager, bets_closed, offer, "
        "decision, assign, withdraw, settle, irregularity, progressive, round_end, close",
        23: "not JSON: Expecting value at character 80",
    },
    "shoe": {
        9: "card: found '1S', expected a card such as 7S (rank of A23456789TJQK, suit of SHDC)",
        10: "seq: found 9.0, expected a whole number from 0 to 9007199254740992",
    },
    "camera": {
        3: "zone: found 'seat3', expected a zone such as seat3.hand1, dealer, discard or burn",
        4: "confidence: found 1.01, expected a number from 0 to 1",
    },
}


def read(source: str) -> FileLines:
    name = f"{source}.ndjson"
    return read_file((GOLDEN / name).read_bytes(), name, source, TABLE, {TABLE, "P21-02"})


@pytest.mark.parametrize("source", GOOD)
def test_every_line_is_read_or_refused_as_worked_out(source: str) -> None:
    found = read(source)
    expected = [
        {"line": n + 1, "seq": n + 1, "ts": OPENED_MS + FIRST_MS[source] + 1000 * n, "table": TABLE}
        | {"offset_minutes": -300 if source == "terminal" and n < 3 else 0, **row}
        for n, row in enumerate(GOOD[source])
    ]
    assert rows(found.columns, found.words) == expected
    assert {bad.line: bad.reason for bad in found.quarantined} == BAD[source]
    lines = (GOLDEN / f"{source}.ndjson").read_bytes().splitlines()
    assert [bad.raw for bad in found.quarantined] == [lines[line - 1] for line in BAD[source]]


def cells(tape: Tape) -> list[dict[str, int]]:
    """Each row's operation and the columns that are not 0."""
    found: list[dict[str, Any]] = [dict(zip(Tape._fields, row, strict=True)) for row in zip(*tape, strict=True)]
    return [{name: int(value) for name, value in row.items() if value} for row in found]


def test_the_tape_is_as_worked_out() -> None:
    landed = [Landed(f"{source}.ndjson", source, read(source)) for source in ("shoe", "terminal")]
    lines = gather(landed).lines
    ms = lines.columns.number("ts")
    terminal, shoe = (np.flatnonzero(lines.columns.source == source) for source in (TERMINAL, SHOE))
    order = np.concatenate([terminal[:3], shoe[:2], terminal[3:], shoe[2:]])
    found = encode(lines, order, ms)
    assert (found.rounds, found.patrons, found.shoes) == (["1"], ["", "p-77"], ["", "S1"])
    assert (found.sets, found.dealers) == (["", "A7"], ["", "D. Novák", "Ngô"])
    place = {"seat": 3, "bettor": 2}
    ruling = {"op": ops.IRREGULARITY, "seat": 3, "hand": 1, "kind": codes.NUMBER["deal.player-one-card"], "card": 2}
    ruling |= {"flags": ops.EXPOSED, "cents": ops.USE_NEXT | ops.CONTINUE, "aux": 1 << 1 | 1 << 4}
    assert cells(found.tape) == [
        {"op": ops.WAGER, **place, "hand": 1, "card": 1, "cents": 2500, "aux": 1},
        {"op": ops.BETS_CLOSED},
        {"op": ops.OFFER, "flags": ops.OFFER_OPEN},
        {"op": ops.DECISION, "seat": 3, "bettor": 1, "hand": 1, "flags": 1 << 1 | 1 << 2},
        {"op": ops.ASSIGN, **place, "hand": 4},
        {"op": ops.WITHDRAW, **place, "hand": 1, "kind": ops.PAIR},
        ruling,
        {"op": ops.IRREGULAR_CARD, "aux": 4},
        {"op": ops.IRREGULAR_CARD, "aux": 5},
        {"op": ops.PROGRESSIVE, **place, "hand": ops.COMMUNITY_AMOUNT, "kind": ops.PRIZE, "card": 1}
        | {"cents": 10000, "aux": 10000},
        {"op": ops.METER, "flags": ops.SECONDARY_METER, "cents": 123456},
        {"op": ops.SETTLE, **place, "hand": 1, "cents": -2500},
        {"op": ops.ROUND_END},
    ]
    opened, begun, loaded = (found.table.op == op for op in (ops.INSPECTION, ops.ROUND_BEGIN, ops.SHOE_LOADED))
    times = [found.table_ms[rows].tolist() for rows in (opened, begun, loaded)]
    assert times == [[OPENED_MS + 1000], [OPENED_MS + 4000], [OPENED_MS + 250]]
    assert cells(found.table) == [
        {"op": ops.OPEN, "seat": 6, "aux": 1},
        {"op": ops.INSPECTION, "bettor": 2, "flags": 24, "cents": 288, "aux": 1},
        {"op": ops.CUT, "flags": 1, "cents": 60, "aux": 228},
        {"op": ops.SHOE_LOADED, "seat": 6, "kind": ops.SHUFFLE_MANUAL, "hand": ops.FROM_DISCARDS}
        | {"flags": 288, "cents": 1, "aux": 1},
        {"op": ops.DRAW, "card": 25, "flags": ops.FACE_UP, "cents": 1, "aux": 1},
        {"op": ops.ROUND_BEGIN},
        ruling,
        {"op": ops.ROUND_END},
        {"op": ops.IRREGULARITY, "kind": codes.NUMBER["shoe.ten-found"], "cents": ops.REMOVE_CARD},
        {"op": ops.DEALER_CHANGE, "aux": 2},
        {"op": ops.CLOSE},
        {"op": ops.CUT_CARD, "cents": 1, "aux": 1},
        {"op": ops.HOLE_CHECK, "kind": ops.CHECK_NO_BLACKJACK},
        {"op": ops.READER_CHECK, "kind": 1},
        {"op": ops.FAULT, "kind": ops.DEVICE_READER},
        {"op": ops.REPAIRED, "kind": ops.DEVICE_READER},
        {"op": ops.SHOE_ENDED, "cents": 1, "aux": 44},
    ]
