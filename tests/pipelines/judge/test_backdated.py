"""Lines logged after their round cure nothing and are findings; honest habits are none."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from dashboards.packets.gather import gather
from pipelines.cli import app
from tests.pipelines.handmade import (
    APART_S,
    STAKE,
    Line,
    at,
    closing,
    dealt,
    numbered,
    opening,
    played,
    settle,
    written,
)
from tests.pipelines.lakes import audited
from warehouse.lake import Lake
from warehouse.rounds import find, retell

Files = dict[str, list[Line]]

ROUNDS = range(1, 9)
UNPAID, LAST = 3, 8


def day(unpaid: int | None = UNPAID) -> list[Line]:
    """All lines of the terminal, in order; the settlement of one round is missing."""
    rounds = [line for number in ROUNDS for line in played(number, number != unpaid)]
    return [*opening(), *rounds, closing(len(ROUNDS))]


def place_of(lines: list[Line], kind: str, number: int) -> int:
    return next(n for n, line in enumerate(lines) if line["type"] == kind and line.get("round") == str(number))


def moved(line: Line, seconds: float) -> Line:
    ts = datetime.fromisoformat(line["ts"]) + timedelta(seconds=seconds)
    return {**line, "ts": ts.isoformat(timespec="milliseconds")}


def put_in(lines: list[Line], where: int, *more: Line) -> Files:
    """The day with some lines put in, in one file."""
    return {"terminal": numbered([*lines[:where], *more, *lines[where:]])}


def halves(unpaid: int | None = UNPAID) -> tuple[list[Line], list[Line]]:
    """The day at two terminals: the second takes over in mid-day."""
    lines = day(unpaid)
    cut = place_of(lines, "wager", 5)
    return lines[:cut], lines[cut:]


# What an adversary does.


def added_after_the_close(back_s: int) -> Files:
    """A payment in a part of its own, behind a close an hour after the round."""
    closed_s = UNPAID * APART_S + 50 + 66 * 60
    lines = [*day()[:-1], {"type": "close", "ts": at(closed_s)}]
    late = settle(str(UNPAID), closed_s - back_s)
    return {"terminal": numbered(lines), "terminal-2": numbered([late], len(lines) + 1)}


def put_in_later(rounds: int) -> Files:
    lines = day()
    where = place_of(lines, "bets_closed", UNPAID + rounds) + 1
    return put_in(lines, where, settle(str(UNPAID), UNPAID * APART_S + 40))


def closed_again() -> Files:
    lines = day()
    again = {"type": "bets_closed", "ts": at(UNPAID * APART_S + 10), "round": str(UNPAID)}
    where = place_of(lines, "bets_closed", UNPAID + 3) + 1
    return put_in(lines, where, again, settle(str(UNPAID), UNPAID * APART_S + 40))


def of_the_last_round(count: int) -> Files:
    """Payments behind the close, with times within the round."""
    lines = [*day(LAST)[:-1], {"type": "close", "ts": at(LAST * APART_S + 66 * 60)}]
    return put_in(
        lines, len(lines), *(settle(str(LAST), LAST * APART_S + 40 + n, STAKE // count) for n in range(count))
    )


def at_another_terminal() -> Files:
    first, second = halves()
    second.insert(place_of(second, "bets_closed", 7) + 1, settle(str(UNPAID), UNPAID * APART_S + 40))
    return {"terminal-a": numbered(first, device="A"), "terminal-b": numbered(second, device="B")}


# By name: the files, the round, and how many lines are backdated.
ADVERSARIES: dict[str, tuple[Files, int, int]] = {
    "nothing": ({"terminal": numbered(day())}, UNPAID, 0),
    "after-the-close": (added_after_the_close(0), UNPAID, 1),
    "with-an-old-time": (added_after_the_close(66 * 60), UNPAID, 1),
    "one-round-later": (put_in_later(1), UNPAID, 1),
    "four-rounds-later": (put_in_later(4), UNPAID, 1),
    "closed-again": (closed_again(), UNPAID, 2),
    **{f"last-round-{count}": (of_the_last_round(count), LAST, count) for count in (1, 2, 3)},
    "another-terminal": (at_another_terminal(), UNPAID, 1),
}


# What honest people and devices do.


def keyed_late() -> Files:
    lines = day()
    return put_in(lines, place_of(lines, "bets_closed", UNPAID + 1), settle(str(UNPAID), (UNPAID + 1) * APART_S + 5))


def keyed_after_the_close() -> Files:
    lines = day(LAST)
    return put_in(lines, len(lines), settle(str(LAST), (LAST + 1) * APART_S + 20))


def reversed_after_the_round() -> Files:
    lines = day(None)
    moment = (UNPAID + 1) * APART_S + 4
    more = [settle(str(UNPAID), moment + n, paid) for n, paid in enumerate((99, -99))]
    return put_in(lines, place_of(lines, "bets_closed", UNPAID + 1), *more)


def parts_in_any_order() -> Files:
    lines = numbered(day(None))
    return {"terminal-3": lines[:11], "terminal-1": lines[11:25], "terminal-2": lines[25:]}


def stepped(seconds: int, before: str, number: int = 5) -> Files:
    """A clock that is set back in a round, before some line."""
    lines = day(None)
    where = place_of(lines, before, number)
    return {"terminal": numbered([*lines[:where], *(moved(line, seconds) for line in lines[where:])])}


def one_time_ahead() -> Files:
    lines = day(None)
    where = place_of(lines, "decision", 4)
    return {"terminal": numbered([*lines[:where], moved(lines[where], 3600), *lines[where + 1 :]])}


def two_in_turn() -> Files:
    first, second = halves(None)
    return {"terminal-a": numbered(first, device="A"), "terminal-b": numbered(second, device="B")}


def one_for_payments() -> Files:
    lines = day(None)
    pays = [line for line in lines if line["type"] == "settle"]
    plays = [line for line in lines if line["type"] != "settle"]
    return {"terminal-a": numbered(plays, device="A"), "terminal-b": numbered(pays, device="B")}


def closing_lost() -> Files:
    lines = numbered(day(None))
    del lines[place_of(lines, "bets_closed", UNPAID)]
    return {"terminal": lines}


INNOCENTS: dict[str, Files] = {
    "keyed-late": keyed_late(),
    "keyed-after-the-close": keyed_after_the_close(),
    "reversed": reversed_after_the_round(),
    "parts-in-any-order": parts_in_any_order(),
    **{
        f"stepped-{seconds}-{before}": stepped(-seconds, before)
        for seconds in (3, 20, 90, 3600)
        for before in ("wager", "decision", "settle", "round_end")
    },
    "one-time-ahead": one_time_ahead(),
    "two-in-turn": two_in_turn(),
    "one-for-payments": one_for_payments(),
    "closing-lost": closing_lost(),
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """Every case as a table of one zone."""
    folder = tmp_path_factory.mktemp("backdated")
    cases = {name: files for name, (files, _, _) in ADVERSARIES.items()} | INNOCENTS
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUDIT21_KEY", str(folder / "key.pem"))
        return audited(zone_of(folder / "zone", cases), folder / "lake")


def zone_of(root: Path, cases: dict[str, Files]) -> Path:
    return written(
        root,
        {
            table: {"shoe.ndjson": numbered(dealt(ROUNDS)), **{f"{name}.ndjson": own for name, own in files.items()}}
            for table, files in cases.items()
        },
    )


def findings(lake: Lake, table: str) -> pl.DataFrame:
    """Findings about money and backdated lines."""
    rows = lake.read("findings").filter(table=table)
    return rows.filter(pl.col("code").str.starts_with("settlement.") | (pl.col("code") == "evidence.backdated"))


@pytest.mark.parametrize("table", ADVERSARIES)
def test_a_payment_that_somebody_added_cures_nothing(lake: Lake, table: str) -> None:
    _, number, count = ADVERSARIES[table]
    round_id = f"{table}/2026-01-05/{number}"
    found = findings(lake, table)
    assert sorted(found["code"]) == ["evidence.backdated"] * count + ["settlement.missing"]
    assert set(found["round_id"]) == {round_id}
    assert set(found.filter(code="evidence.backdated")["severity"]) <= {"high"}
    verdicts = lake.read("settlements").filter(round_id=round_id, kind="main")["verdict"].to_list()
    assert verdicts == ["missing"]
    counted = lake.read("files").filter(table=table, source="terminal")
    assert counted["lines"].sum() == counted["accepted"].sum()


@pytest.mark.parametrize("table", INNOCENTS)
def test_honest_habits_are_accused_of_nothing(lake: Lake, table: str) -> None:
    found = findings(lake, table)
    if table.startswith(("stepped", "closing-lost")):  # what a clock's step leaves open is not about lines added
        found = found.filter(code="evidence.backdated")
    assert found.select("code", "message").rows() == []


@pytest.mark.parametrize("table", ["after-the-close", "with-an-old-time"])
def test_the_finding_names_the_payment_and_its_line(lake: Lake, table: str) -> None:
    rows: dict[str, dict[str, Any]] = {row["code"]: row for row in findings(lake, table).iter_rows(named=True)}
    assert rows["settlement.missing"]["message"].endswith("; a payment of 15.00 was logged 66 minutes later")
    row = rows["evidence.backdated"]
    said = "Box 1, main wager: a payment of 15.00 was logged late, 66 minutes after the round"
    back = ", with a time 66 minutes before the line above it" if table == "with-an-old-time" else ""
    assert row["message"] == f"{said}{back}; not counted"
    path = f"2026-01-05/{table}/terminal-2.ndjson"
    assert (row["event_path"], row["event_line"], row["seat"], row["kind"]) == (path, 1, 1, "main")
    added = lake.read("events").filter(table=table, path=path).row(0, named=True)
    assert (added["type"], added["place"], added["round_id"]) == ("settle", None, f"{table}/2026-01-05/{UNPAID}")
    told = retell(find(lake.path, added["round_id"])).audit
    assert [each.code for each in told.findings if each.round == str(UNPAID)] == ["settlement.missing"]


def test_a_packet_has_the_line_that_does_not_count(lake: Lake) -> None:
    lines = gather(lake.path, f"after-the-close/2026-01-05/{UNPAID}").lines
    assert lines["2026-01-05/after-the-close/terminal-2.ndjson"] == {1}


def test_explain_tells_of_the_payment(lake: Lake) -> None:
    done = CliRunner().invoke(app, ["explain", f"after-the-close/2026-01-05/{UNPAID}", "--lake", str(lake.path)])
    said = " ".join(done.output.split())
    wanted = "Box 1, main wager: a payment of 15.00 was logged late, 66 minutes after the round"
    assert f"evidence.backdated (high): {wanted}" in said
    assert "missing" in said


def test_a_file_that_comes_late_is_as_if_it_had_come_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIT21_KEY", str(tmp_path / "key.pem"))
    lines = numbered(day(None))
    audited(zone_of(tmp_path / "zone", {"T1": {"terminal": lines[:20]}}), tmp_path / "lake")
    late = audited(zone_of(tmp_path / "zone", {"T1": {"terminal-2": lines[20:]}}), tmp_path / "lake")
    assert findings(late, "T1").rows() == []
