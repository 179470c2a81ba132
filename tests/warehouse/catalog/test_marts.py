"""The marts' figures, worked out by hand, and what holds for any floor."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.warehouse.catalog.rows import DAY, NEXT, Row, a_round, ask, at, build, file, finding, wager

SINGAPORE: Row = {"currency": "SGD", "rulebook": "mbs-pontoon"}

# P1 deals in USD: Ann two rounds, Bob two, Ann again one, the last in the swing shift. M1 deals one round in SGD.
# X1 left a file of lines that no one could read.
ROUNDS = [
    a_round("P1", "1", 0, 1, handle_cents=1000, taken_cents=1000, evidence="terminal+shoe+camera"),
    a_round("P1", "2", 2, 3, handle_cents=2000, paid_cents=3500, over_cents=500, verdict="wrong"),
    a_round("P1", "3", 10, 12, dealer="Bob", handle_cents=500, under_cents=-200, over_cents=50, verdict="wrong"),
    a_round("P1", "4", 13, None, dealer="Bob", complete=False, verdict="undetermined", evidence="terminal"),
    a_round("P1", "5", 20, 24, shift="swing", void=True, evidence="terminal+camera", doubt="a draw near the end"),
    a_round("M1", "1", 0, 30, dealer="Ann", handle_cents=4000, taken_cents=1000, **SINGAPORE),
]
P1 = f"P1/{DAY}"
ROWS: dict[str, list[Row]] = {
    "rounds": ROUNDS,
    "settlements": [wager(f"{P1}/1"), wager(f"{P1}/2"), wager(f"{P1}/2"), wager(f"{P1}/4", "undetermined")],
    "findings": [
        finding("P1", "settlement.overpaid", "high", round_id=f"{P1}/2", variance_cents=500, dealer="Ann"),
        finding("P1", "settlement.overpaid", "high", round_id=f"{P1}/3", variance_cents=50, dealer="Bob"),
        finding("P1", "settlement.underpaid", "high", round_id=f"{P1}/3", variance_cents=-200, dealer="Bob"),
        finding("P1", "shoe.cut-card-depth", "low", shoe="S1", dealer="Bob"),
        finding("P1", "shoe.ten-found", "medium", shoe="S1", handling="unreported"),
        finding("M1", "evidence.sequence-gap", "medium", currency="SGD", path="x"),
    ],
    "files": [
        file("", "floor", path="floor.toml"),
        file("P1", "terminal", lines=100, accepted=90, repeated=7, quarantined=3),
        file("P1", "shoe", lines=40, accepted=40, repeated=0, quarantined=0, bytes=5),
        file("P1", "footage"),
        file("M1", "terminal", lines=9, accepted=9, repeated=0, quarantined=0),
        file("X1", "terminal", lines=4, accepted=0, repeated=0, quarantined=4),
    ],
}


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("lake"), ROWS)


def test_table_day_counts_rounds_and_their_evidence(floor: Path) -> None:
    counts = "rounds, rounds_complete, rounds_void, rounds_verified, rounds_wrong, rounds_undetermined"
    on = "on_terminal_shoe_camera, on_terminal_shoe, on_terminal_camera, on_terminal_only, rounds_in_doubt"
    found = ask(floor, f'SELECT "table", currency, rulebook, {counts}, {on} FROM table_day')
    assert found == [
        ("M1", "SGD", "mbs-pontoon", 1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0),
        ("P1", "USD", "md-pontoon21", 5, 4, 1, 4, 2, 1, 1, 2, 1, 1, 1),
        ("X1", None, None, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    ]


def test_table_day_has_money_findings_and_lines(floor: Path) -> None:
    money = "handle_cents, win_cents, hold, over_cents, under_cents, variance_cents, wagers, wagers_checked"
    rest = "findings, findings_high, findings_medium, findings_low, files, lines, lines_quarantined"
    found = ask(floor, f'SELECT {money}, {rest} FROM table_day ORDER BY "table"')
    assert found == [
        (4000, 1000, 0.25, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 9, 0),
        (3500, -2500, -2500 / 3500, 550, -200, 350, 4, 3, 5, 3, 1, 1, 3, 140, 3),
        (0, 0, None, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 4),
    ]


def test_money_is_never_added_across_currencies(floor: Path) -> None:
    found = ask(floor, "SELECT currency, tables, rounds, handle_cents, win_cents, findings, lines FROM day_summary")
    assert found == [("SGD", 1, 1, 4000, 1000, 1, 9), ("USD", 1, 5, 3500, -2500, 5, 140), (None, 1, 0, 0, 0, 0, 4)]
    dealers = ask(floor, "SELECT dealer, currency, rounds, handle_cents FROM dealer_day WHERE dealer = 'Ann'")
    assert dealers == [("Ann", "SGD", 1, 4000), ("Ann", "USD", 3, 3000)]


def test_pace_goes_by_the_time_dealt(floor: Path) -> None:
    pace = "round(hours_dealt * 60, 6), round(rounds_per_hour, 6)"
    assert ask(floor, f'SELECT "table", {pace} FROM table_day') == [("M1", 30, 2), ("P1", 24, 12.5), ("X1", None, None)]
    # Ann's stints last 3 and 4 minutes, Bob's from the 10th minute to the start of the round that never ended.
    dealers = f"SELECT dealer, {pace}, tables FROM dealer_day WHERE currency = 'USD' AND dealer IS NOT NULL"
    assert ask(floor, dealers) == [("Ann", 7, round(3 / 7 * 60, 6), 1), ("Bob", 3, 40, 1)]
    shifts = f"SELECT shift, {pace}, tables FROM shift_day WHERE currency = 'USD' AND shift IS NOT NULL"
    assert ask(floor, shifts) == [("day", 13, round(4 / 13 * 60, 6), 1), ("swing", 4, 15, 1)]


def test_findings_stand_with_their_dealer_shift_and_rulebook(floor: Path) -> None:
    assert ask(floor, "SELECT dealer, currency, findings FROM dealer_day") == [
        ("Ann", "SGD", 0),
        ("Ann", "USD", 1),
        ("Bob", "USD", 3),
        (None, "SGD", 1),
        (None, "USD", 1),
    ]
    assert ask(floor, "SELECT shift, currency, findings FROM shift_day") == [
        ("day", "SGD", 0),
        ("day", "USD", 3),
        ("swing", "USD", 0),
        (None, "SGD", 1),
        (None, "USD", 2),
    ]
    assert ask(floor, "SELECT rulebook, currency, tables, rounds, findings FROM rulebook_day") == [
        ("mbs-pontoon", "SGD", 1, 1, 1),
        ("md-pontoon21", "USD", 1, 5, 5),
    ]


def test_findings_by_code(floor: Path) -> None:
    found = ask(floor, "SELECT * EXCLUDE gaming_day FROM findings_by_code WHERE \"table\" = 'P1'")
    assert found == [
        ("P1", "settlement.overpaid", "high", None, "USD", 2, 550, 0),
        ("P1", "settlement.underpaid", "high", None, "USD", 1, 0, -200),
        ("P1", "shoe.cut-card-depth", "low", None, "USD", 1, 0, 0),
        ("P1", "shoe.ten-found", "medium", "unreported", "USD", 1, 0, 0),
    ]


def test_evidence_and_shoes(tmp_path: Path) -> None:
    clock: Row = {"gaming_day": DAY, "table": "P1", "piece": 1, "drift_ppm": 0.5, "kept": 9, "broken": 0, "sure": True}
    clock |= {"from_seq": 1, "until_seq": 9, "from": at(0), "until": at(9)}
    shoe: Row = {"gaming_day": DAY, "table": "P1", "cards_drawn": 200, "tens": 0, "missing": 0, "extra": 0}
    catalog = build(
        tmp_path,
        {
            "files": ROWS["files"],
            "clocks": [
                clock | {"source": "shoe", "device": "a", "offset_ms": 2000, "uncertainty_ms": 20},
                clock | {"source": "shoe", "device": "a", "piece": 2, "offset_ms": -4000, "uncertainty_ms": 20},
                clock | {"source": "shoe", "device": "b", "offset_ms": 1500, "uncertainty_ms": 90, "sure": False},
                clock | {"source": "terminal", "offset_ms": 0, "uncertainty_ms": 0},
            ],
            "shoes": [
                shoe | {"shoe": "S1", "cut_card_n": 230},
                shoe | {"shoe": "S2", "tens": 2, "missing": 3, "extra": 2, "cut_card_n": 250},
                shoe | {"shoe": "S3", "missing": None},
            ],
        },
    )
    assert ask(catalog, "SELECT * EXCLUDE gaming_day FROM evidence_day WHERE \"table\" IN ('', 'P1')") == [
        ("", "floor", 1, 10, 0, 0, 0, 0, 0, 0, None, None, None, None),
        ("P1", "footage shoe terminal", 3, 25, 140, 130, 7, 3, 3, 1, -4000, 90, None, None),
    ]
    assert ask(catalog, "SELECT * EXCLUDE gaming_day FROM shoe_day") == [("P1", 3, 600, 1, 2, 3, 2, 1, 230, 250)]


def test_a_finding_whose_round_is_lost_counts_for_its_table_and_dealer(tmp_path: Path) -> None:
    lost = finding("P1", "wager.late", "low", round_id=f"{P1}/99", dealer="Ann")
    catalog = build(tmp_path, {"findings": [lost]})
    assert ask(catalog, 'SELECT "table", currency, rounds, findings FROM table_day') == [("P1", "USD", 0, 1)]
    assert ask(catalog, "SELECT dealer, rounds, findings, hours_dealt FROM dealer_day") == [("Ann", 0, 1, None)]
    assert ask(catalog, "SELECT rulebook, findings FROM rulebook_day") == [(None, 1)]


_TABLES = {"P1": "USD", "P2": "USD", "M1": "SGD"}
_MAYBE_ANN = st.sampled_from(["Ann", "Bob", None])
_PLAYED = st.builds(
    lambda table, day, minute, values: (table, day, minute, values | {"currency": _TABLES[table]}),
    st.sampled_from(sorted(_TABLES)),
    st.sampled_from([DAY, NEXT]),
    st.integers(0, 500),
    st.fixed_dictionaries(
        {
            "dealer": _MAYBE_ANN,
            "shift": st.sampled_from(["day", "swing"]),
            "handle_cents": st.integers(0, 10**6),
            "over_cents": st.integers(0, 10**6),
            "rulebook": st.just("md-pontoon21"),
        }
    ),
)
_SHOWN = st.tuples(
    st.sampled_from(sorted(_TABLES)), st.sampled_from([DAY, NEXT]), _MAYBE_ANN, st.none() | st.integers(0, 20)
)


@settings(max_examples=8, deadline=None)
@given(st.lists(_PLAYED, max_size=20), st.lists(_SHOWN, max_size=8))
def test_every_mart_adds_up_to_the_same(played: list[Any], shown: list[Any]) -> None:
    rounds = [
        a_round(table, str(n), minute, minute + 1, day, **values)
        for n, (table, day, minute, values) in enumerate(played)
    ]
    findings = [
        finding(
            table,
            "wager.late",
            "low",
            day,
            currency=_TABLES[table],
            dealer=dealer,
            round_id=None if n is None else f"{table}/{day}/{n}",
            message=str(k),
        )
        for k, (table, day, dealer, n) in enumerate(shown)
    ]
    expected: Counter[Any] = Counter()
    for row in rounds:
        for name in ("handle_cents", "over_cents"):
            expected[row["gaming_day"], row["currency"], name] += row[name]
        expected[row["gaming_day"], row["currency"], "rounds"] += 1
    for row in findings:
        expected[row["gaming_day"], row["currency"], "findings"] += 1
    names = ("rounds", "handle_cents", "over_cents", "findings")
    with (
        TemporaryDirectory() as folder,
        duckdb.connect(str(build(Path(folder), {"rounds": rounds, "findings": findings})), read_only=True) as catalog,
    ):
        for mart in ("day_summary", "table_day", "dealer_day", "shift_day", "rulebook_day"):
            sums = catalog.sql(
                f"SELECT gaming_day, currency, {', '.join(f'sum({n})' for n in names)} FROM {mart} GROUP BY ALL"
            )
            found = {
                (*row[:2], name): total for row in sums.fetchall() for name, total in zip(names, row[2:], strict=True)
            }
            assert +Counter(found) == +expected, mart
