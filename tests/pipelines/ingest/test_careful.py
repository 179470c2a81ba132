"""Every kind of line of the contract into columns, and what is said of lines that are not good."""

import json
from datetime import datetime
from typing import Any

import pytest

from pipelines.ingest.careful import Rejected, read_line
from replay.columns import TYPES
from tests.pipelines.ingest.rows import assert_same, read, rows

TS = "2026-01-06T00:21:49.210-05:00"
MS = 1_767_676_909_210

# Type, what the line has beside table, seq, ts and type, and what its row has beside them.
Case = tuple[str, str, dict[str, Any], dict[str, Any]]
PLACE = {"round": "7", "seat": 3, "bettor": 1}
MISSED = {"round": "7", "seat": 3, "code": "deal.player-one-card"}
CASES: list[Case] = [
    ("terminal", "open", {"decks": 6, "dealer": "D021 Zoë"}, {"decks": 6, "dealer": "D021 Zoë"}),
    (
        "terminal",
        "inspection",
        {"decks_id": "A", "cards": 288, "tens_removed": 24, "by": ['S9 "Z"', "D1"]},
        {"decks_id": "A", "cards": 288, "tens_removed": 24, "by": '["S9 \\"Z\\"","D1"]'},
    ),
    ("terminal", "dealer_change", {"dealer": "D1"}, {"dealer": "D1"}),
    ("terminal", "cut", {"shoe": "S1", "by": "seat 3", "from_top": 33}, {"shoe": "S1", "by": "seat 3", "from_top": 33}),
    (
        "terminal",
        "wager",
        PLACE | {"kind": "double", "cents": 9000, "hand": 2, "patron": "P1", "for_bettor": 2},
        PLACE | {"kind": "double", "cents": 9000, "hand": 2, "patron": "P1", "for_bettor": 2},
    ),
    ("terminal", "bets_closed", {"round": "7"}, {"round": "7"}),
    (
        "terminal",
        "offer",
        {"round": "7", "what": "insurance", "state": "open"},
        {"round": "7", "what": "insurance", "state": "open"},
    ),
    (
        "terminal",
        "decision",
        {"round": "7", "seat": 3, "hand": 1, "action": "hit", "bettors": [1, 3]},
        {"round": "7", "seat": 3, "hand": 1, "action": "hit", "bettors": "[1,3]"},
    ),
    ("terminal", "assign", PLACE | {"hand": 2}, PLACE | {"hand": 2}),
    ("terminal", "withdraw", PLACE | {"kind": "main", "hand": 1}, PLACE | {"kind": "main", "hand": 1}),
    (
        "terminal",
        "settle",
        PLACE | {"kind": "super-bonus", "hand": 1, "paid_cents": -500, "taken_cents": 0},
        PLACE | {"kind": "super-bonus", "hand": 1, "paid_cents": -500, "taken_cents": 0},
    ),
    (
        "terminal",
        "irregularity",
        {"round": "88", "code": "deal.drawn-in-error", "ruling": "use-next", "n": 61, "exposed": True},
        {"round": "88", "code": "deal.drawn-in-error", "ruling": '["use-next"]', "n": 61, "exposed": 1},
    ),
    (
        "terminal",
        "irregularity",
        {"round": "88", "code": "deal.player-one-card", "ruling": "continue", "seat": 3, "card": 1},
        {"round": "88", "code": "deal.player-one-card", "ruling": '["continue"]', "seat": 3, "missed_card": 1},
    ),
    (
        "terminal",
        "irregularity",
        {"code": "deal.drawn-together", "ruling": ["burn-card", "refuse"], "n": [61], "refused_by": 3, "by": "S9"},
        {
            "code": "deal.drawn-together",
            "ruling": '["burn-card","refuse"]',
            "n_list": "[61]",
            "refused_by": "[3]",
            "by": "S9",
        },
    ),
    (
        "terminal",
        "progressive",
        {"round": "7", "system": "bsx16", "action": "prize", "seat": 3, "bettor": 2, "symbol": "community-100"}
        | {"prize_cents": 10000, "meter": "secondary", "meter_cents": 123, "by": "S9"},
        {"round": "7", "system": "bsx16", "action": "prize", "seat": 3, "bettor": 2, "symbol": "community-100"}
        | {"prize_cents": 10000, "meter": "secondary", "meter_cents": 123, "by": "S9"},
    ),
    (
        "terminal",
        "progressive",
        {"round": "7", "system": "bonus-spin", "action": "spin", "symbol": 1000},
        {"round": "7", "system": "bonus-spin", "action": "spin", "symbol": "1000"},
    ),
    ("terminal", "round_end", {"round": "7"}, {"round": "7"}),
    ("terminal", "close", {}, {}),
    (
        "shoe",
        "shoe_loaded",
        {"shoe": "S1", "decks_id": "A", "decks": 6, "cards": 288, "shuffle": "machine", "from": "discards"},
        {"shoe": "S1", "decks_id": "A", "decks": 6, "cards": 288, "shuffle": "machine", "from": "discards"},
    ),
    (
        "shoe",
        "draw",
        {"shoe": "S1", "n": 17, "card": "TD", "face": "up"},
        {"shoe": "S1", "n": 17, "card": "TD", "face": "up"},
    ),
    ("shoe", "cut_card", {"shoe": "S1", "n": 0}, {"shoe": "S1", "n": 0}),
    ("shoe", "shoe_ended", {"shoe": "S1", "remaining": 98}, {"shoe": "S1", "remaining": 98}),
    ("shoe", "hole_card_check", {"result": "no-blackjack"}, {"result": "no-blackjack"}),
    ("shoe", "reader_check", {"result": "ok", "by": "S9"}, {"result": "ok", "by": "S9"}),
    ("shoe", "fault", {"device": "shuffler", "kind": "jam"}, {"device": "shuffler", "kind": "jam"}),
    ("shoe", "repaired", {"device": "power"}, {"device": "power"}),
    (
        "camera",
        "seen",
        {"camera": "C", "zone": "seat31.hand12", "order": 2, "face": "up", "card": "3H", "confidence": 0.946}
        | {"sideways": False, "until": "2026-01-06T05:21:49.694Z"},
        {"camera": "C", "zone": "seat31.hand12", "order": 2, "face": "up", "card": "3H", "confidence": 946_000}
        | {"sideways": 0, "until": MS + 484},
    ),
    (
        "camera",
        "seen",
        {"camera": None, "zone": None, "order": 1, "face": "down", "card": None, "confidence": 1, "sideways": None},
        {"order": 1, "face": "down", "confidence": 1_000_000},
    ),
]


def line(kind: str, fields: dict[str, Any], **head: Any) -> bytes:
    event = {"table": "T1", "seq": 5, "ts": TS, "type": kind} | fields | head
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


@pytest.mark.parametrize(("source", "kind", "given", "expected"), CASES)
def test_every_type_of_line_has_its_columns(
    source: str, kind: str, given: dict[str, Any], expected: dict[str, Any]
) -> None:
    found = assert_same(line(kind, given, device=given.get("device", "X2")), source)
    head = {"line": 1, "type": kind, "table": "T1", "seq": 5, "ts": MS, "offset_minutes": -300, "device": "X2"}
    assert rows(found.columns, found.words) == [head | expected]
    # Whatever the order of the fields.
    turned = json.dumps(dict(reversed(json.loads(line(kind, given)).items()))).encode()
    assert len(assert_same(turned + b"\r\n", source).columns.line) == 1


def test_all_types_are_tried() -> None:
    assert {kind for _, kind, _, _ in CASES} == set(TYPES)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b" \t", "empty line"),
        (b"#", "not JSON: Expecting value at character 1"),
        (b'{"table":"', "not JSON: Unterminated string starting at character 10"),
        (b"[1]", 'found [1], expected an object such as {"table": ...}'),
        (b'{"table":"\xff"}', "not UTF-8: byte 11 of the line is 0xff"),
        (
            '{"table":"T1"}'.encode("utf-16-le"),
            "not JSON: Expecting property name enclosed in double quotes at character 2",
        ),
        (b'{"a":{"b":1,"b":2}}', "'b' stands twice in the line, expected once"),
        (b'{"a":NaN}', "not JSON: found NaN, expected a number"),
        (b'{"a":"\\ud800"}', "not JSON: a text has half of a surrogate pair"),
        (b'{"a":' + b"[" * 100_000, "not JSON that a line can hold: nested too deep"),
        (b'{"a":' + b"1" * 5000 + b"}", "not JSON that a line can hold: a number with thousands of digits"),
        (b"{}", "table: found nothing, expected 'T1' as in the folder's name"),
        (line("close", {}, table="T2"), "table: found 'T2', expected 'T1' as in the folder's name"),
        (line("close", {}, table="T1-X"), "table: found 'T1-X', which floor.toml does not know"),
        (line("close", {}, seq=True), "seq: found True, expected a whole number from 0 to 9007199254740992"),
        (line("close", {}, seq=None), "seq: found nothing, expected a whole number from 0 to 9007199254740992"),
        (line("close", {}, device=4), "device: found 4, expected text"),
        (line("wager", PLACE | {"seat": 45}), "seat: found 45, expected a whole number from 1 to 31"),
        (line("wager", PLACE | {"round": ""}), "round: found '', expected text that is not empty"),
        (line("wager", PLACE | {"shoe": 3, "cents": 1}), "kind: found nothing, expected one of main, split, double,"),
        (line("irregularity", {"code": "x"}), "code: found 'x', expected a finding code such as 'shoe.ten-found'"),
        (line("irregularity", MISSED | {"card": 3}), "card: found 3, expected 1 or 2, the initial card that was"),
        (line("irregularity", MISSED | {"card": "7S"}), "card: found '7S', expected 1 or 2, the initial card that"),
        (line("irregularity", MISSED | {"card": True}), "card: found True, expected 1 or 2, the initial card that"),
        (line("draw", {}), "type: found 'draw', expected one of open, inspection,"),
        (line("open", {"dealer": "x" * 1000} | {"decks": "y" * 1000}), f"decks: found '{'y' * 79}…, expected a whole"),
    ],
)
def test_reasons(raw: bytes, reason: str) -> None:
    found = read_line(raw, "terminal", "T1", ("T1", "T2"))
    assert isinstance(found, Rejected)
    assert found.reason.startswith(reason)
    assert_same(raw.rstrip(b"\n") + b"\n")


@pytest.mark.parametrize("ts", ["2026-01-06", "2026-01-06T00:21:49", "2026-01-06T00:21:49.-05:00", "20260106T002149Z"])
@pytest.mark.parametrize("field", ["ts", "until"])
def test_times_without_offset_or_in_another_form_are_refused(ts: str, field: str) -> None:
    found = assert_same(line("seen", {"order": 1, "face": "up", field: ts}), "camera")
    assert found.quarantined[0].reason.startswith(f"{field}: found '{ts}', expected a time from 1970 on")


@pytest.mark.parametrize(
    "ts",
    [
        *("1970-01-01T00:00:00Z", "2024-02-29T23:59:59.9-23:59", "2100-02-28t10:00:00z", "2026-01-06 00:21:49.5+00:00"),
        *("2026-01-06T00:21:49.0005Z", "2026-01-06T00:21:49.0015Z", "2026-01-06T00:21:49.123456789+05:45"),
        *("2199-12-31T23:59:59.999999Z", "2500-06-01T00:00:00.25Z", "9998-12-31T23:59:59Z"),
    ],
)
def test_times_are_those_of_the_tape(ts: str) -> None:
    found = assert_same(line("close", {}, ts=ts))
    assert found.columns.number("ts").tolist() == [round(datetime.fromisoformat(ts.upper()).timestamp() * 1000)]


@pytest.mark.parametrize(
    "ts", ["1969-12-31T23:59:59Z", "2100-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "9999-06-01T00:00:00Z"]
)
def test_times_that_no_calendar_of_ours_has_are_refused(ts: str) -> None:
    assert len(assert_same(line("close", {}, ts=ts)).quarantined) == 1


def test_a_field_of_other_types_is_kept_if_it_fits_and_ignored_if_not() -> None:
    text = line("close", {"dealer": "D1", "seat": 3, "cents": 4}) + line("close", {"dealer": 5, "seat": 77}, seq=6)
    found = assert_same(text)
    first, second = rows(found.columns, found.words)
    assert (first["dealer"], first["seat"], first["cents"]) == ("D1", 3, 4)
    assert "dealer" not in second and "seat" not in second


def test_a_line_outside_rounds_is_in_none() -> None:
    found = assert_same(line("cut", {"shoe": "S1", "round": "7"}))
    assert "round" not in rows(found.columns, found.words)[0]


def test_a_text_that_looks_like_a_list_is_not_taken_for_one() -> None:
    found = assert_same(line("cut", {"by": "[dealer"}) + line("cut", {"by": ["[dealer"]}, seq=6))
    assert [row["by"] for row in rows(found.columns, found.words)] == ['["[dealer"]', '["[dealer"]']


def test_a_byte_order_mark_is_tolerated_on_the_first_line_only() -> None:
    mark = b"\xef\xbb\xbf"
    found = assert_same(mark + line("close", {}) + mark + line("close", {}, seq=6))
    assert found.columns.line.tolist() == [1]
    assert [(bad.line, bad.raw[:3]) for bad in found.quarantined] == [(2, mark)]


def test_lines_of_a_table_that_the_floor_does_not_know_are_all_refused() -> None:
    found = read(line("close", {}) + b"\n#\n", known=("T2",))
    reason = "table: floor.toml does not know 'T1'"
    assert [bad.reason for bad in found.quarantined] == [reason, "empty line", reason]
