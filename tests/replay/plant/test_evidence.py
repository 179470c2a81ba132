"""Evidence gone wrong: what is lost, repeated, silent, late or seen otherwise, and nothing else."""

import gzip
import json
from functools import cache
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import Any, Final
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from replay import ops
from replay.audit import audit
from replay.encode import encode_events
from replay.simulator import camera, judge, landing, settle
from replay.simulator import log as J
from replay.simulator.clocks import SimulatedClock, TableClocks
from replay.simulator.plant.evidence import FILE_ACTS, Material
from tests.replay.plant import harness, test_progressive
from tests.replay.plant.harness import DAY, Day

ROUNDS: Final = 25
TERMINAL, SHOE = landing.SOURCES
SIGHTINGS: Final = ("card", "zone", "sideways")


@cache
def a_day(book: str) -> tuple[Day, J.Log]:
    """A settled day."""
    on = harness.a_day(book, 0, ROUNDS)
    judged = judge.judge(on.log, on.names, on.setup.rules)
    log = settle.settled(on.log, judged, on.record)
    J.renumber(log, on.cards())
    return on, log


def material(
    book: str = "md-pontoon21", form: landing.Form = landing.PLAIN, used: frozenset[int] = frozenset()
) -> Material:
    on, log = a_day(book)
    placed = camera.placements(log, on.names, bool(on.setup.rules.hole_card))
    clocks = TableClocks(
        ZoneInfo("America/New_York"),
        int(log.ms[0]),
        SimulatedClock(900, 5.0),
        SimulatedClock(-4000),
        SimulatedClock(2500, -9.0),
    )
    return Material(DAY, log, on.names, clocks, form, used, placed, camera="C1", seed="seen")


def act(code: str, on: Material, seed: int) -> bool:
    return FILE_ACTS[code].apply(on, Random(seed))


def written(on: Material, out: Path) -> dict[str, list[dict[str, Any]]]:
    """Every file's events, by its path in the landing zone."""
    found = {}
    for path in on.write(out):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        found[path.relative_to(out).as_posix()] = [json.loads(line) for line in data.splitlines()]
    return found


def source(path: str) -> str:
    return next(each for each in (*landing.SOURCES, camera.CAMERA) if f"/{each}" in path)


def by_source(files: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for path, events in sorted(files.items()):
        found.setdefault(source(path), []).extend(events)
    return found


def test_untouched_material_is_written_like_any_other(tmp_path: Path) -> None:
    on, log = a_day("md-pontoon21")
    clean = material()
    files = clean.write(tmp_path / "a")
    plain = landing.write(tmp_path / "b", DAY, log, on.names, clean.clocks)
    plain += camera.write(tmp_path / "b", DAY, clean.seen())
    assert [path.relative_to(tmp_path / "a") for path in files] == [path.relative_to(tmp_path / "b") for path in plain]
    assert [path.read_bytes() for path in files] == [path.read_bytes() for path in plain]
    assert clean.truth == []


FORMS: Final = (landing.PLAIN, landing.Form(3), landing.Form(2, "gz"))


@pytest.mark.parametrize(
    ("book", "form"),
    [*(("md-pontoon21", form) for form in FORMS), ("mbs-pontoon", landing.PLAIN), ("div15-pontoon", landing.PLAIN)],
)
def test_lines_that_are_lost_leave_a_gap_in_one_file(book: str, form: landing.Form, tmp_path: Path) -> None:
    for seed in range(3):
        whole, on = written(material(book, form), tmp_path / f"{seed}-a"), material(book, form)
        assert act("evidence.sequence-gap", on, seed)
        files = written(on, tmp_path / f"{seed}-b")
        gaps = [
            path for path, events in files.items() for one, other in pairwise(events) if other["seq"] != one["seq"] + 1
        ]
        assert gaps == [truth.path for truth in on.truth]
        lost = [event for path, events in whole.items() for event in events if event not in files[path]]
        assert {event["type"] for event in lost} == {"offer"}
        assert 1 <= len(lost) <= 2


@pytest.mark.parametrize("book", ["md-pontoon21", "mbs-pontoon", "div15-pontoon"])
def test_lines_that_are_lost_change_no_verdict(book: str, tmp_path: Path) -> None:
    setup = a_day(book)[0].setup
    on = material(book)
    on.clocks = TableClocks(on.clocks.timezone, on.clocks.day_starts_ms)
    assert act("evidence.sequence-gap", on, 1)
    files = by_source(written(on, tmp_path))
    events = [{**event, "source": name} for name in landing.SOURCES for event in files[name]]
    assert audit(setup.floor, setup.table.id, DAY, sorted(events, key=itemgetter("ts"))).findings == ()


def test_a_spin_may_be_lost_because_its_prize_tells_of_it(tmp_path: Path) -> None:
    on = test_progressive.a_day("md-pontoon21", "C", 2)
    offers = on.log.where(on.log.op != ops.OFFER)
    spun = Material(DAY, offers, on.names, material().clocks)
    whole = by_source(written(spun, tmp_path / "whole"))[TERMINAL]
    assert act("evidence.sequence-gap", spun, 1)
    left = by_source(written(spun, tmp_path / "left"))[TERMINAL]
    lost = [event for event in whole if event not in left]
    assert [(event["system"], event["action"]) for event in lost] == [("bonus-spin", "spin")]


def test_rounds_with_something_planted_lose_nothing() -> None:
    used = frozenset(range(1, ROUNDS + 1))
    assert not act("evidence.sequence-gap", material(used=used), 1)


@pytest.mark.parametrize("form", FORMS)
def test_a_repeated_line_stays_in_its_file(form: landing.Form, tmp_path: Path) -> None:
    whole = written(material(form=form), tmp_path / "whole")
    sources, changed = set(), 0
    for seed in range(12):
        on = material(form=form)
        assert act("evidence.duplicate", on, seed)
        files = written(on, tmp_path / str(seed))
        path = on.truth[0].path
        assert path is not None
        for name, events in files.items():
            twice = [events[n : n + 2] for n in range(len(events) - 1) if events[n]["seq"] == events[n + 1]["seq"]]
            assert len(twice) == (name == path)
            firsts = [event for n, event in enumerate(events) if n == 0 or events[n - 1]["seq"] != event["seq"]]
            assert firsts == whole[name]
            changed += sum(first != second for first, second in twice)
        sources.add(source(path))
    assert sources == {TERMINAL, SHOE, camera.CAMERA}
    assert changed


def test_a_silent_table_leaves_nothing(tmp_path: Path) -> None:
    on = material()
    assert act("evidence.source-missing", on, 1)
    assert on.write(tmp_path) == []
    assert [(truth.code, truth.round, truth.path) for truth in on.truth] == [("evidence.source-missing", None, None)]
    assert not any(act(code, on, 1) for code in FILE_ACTS)


def test_a_table_where_something_is_to_be_found_is_not_silent() -> None:
    assert not act("evidence.source-missing", material(used=frozenset({3})), 1)
    on = material()
    assert act("evidence.duplicate", on, 1)
    assert not act("evidence.source-missing", on, 1)


def test_a_clock_is_more_than_thirty_seconds_off_the_terminals() -> None:
    """Contract 1: clocks of different sources disagree by up to 30 s."""
    sources = set()
    for seed in range(10):
        on, right = material(), material()
        assert act("evidence.clock-skew", on, seed)
        path = on.truth[0].path
        assert path is not None
        name = source(path)
        off = abs(getattr(on.clocks, name).offset_ms - on.clocks.terminal.offset_ms)
        assert 35_000 <= off < 200_000
        others = [each for each in ("terminal", "shoe", "camera") if each != name]
        assert all(getattr(on.clocks, each) == getattr(right.clocks, each) for each in others)
        sources.add(name)
    assert sources == {SHOE, camera.CAMERA}


@pytest.mark.parametrize("what", SIGHTINGS)
@pytest.mark.parametrize("book", ["md-pontoon21", "mbs-pontoon"])
def test_the_camera_sees_one_card_otherwise(what: str, book: str) -> None:
    planted = 0
    for seed in range(8):
        on, right = material(book), material(book)
        if not act(f"evidence.{what}-disagreement", on, seed):
            continue
        planted += 1
        truth, before, after = on.truth[0], right.seen(), on.seen()
        differ = (before != after).select(pl.any_horizontal(pl.col(what).fill_null(False))).to_series()
        rows = before.filter(differ)
        assert 1 <= len(rows) <= 2
        zones = {f"seat{truth.seat}.hand{truth.hand}"} if truth.seat else {"dealer"}
        assert zones & set(rows["zone"])
        same = [name for name in before.columns if name not in (what, "order" if what == "zone" else what)]
        assert before.select(same).equals(after.select(same))
        assert truth.round is not None
        assert truth.path is None
    assert planted > 2


def test_a_card_is_taken_for_one_that_looks_like_it() -> None:
    right, seen = material(), 0
    for seed in range(6):
        on = material()
        if act("evidence.card-disagreement", on, seed):
            cards = zip(right.seen()["card"], on.seen()["card"], strict=True)
            one, other = next((one, other) for one, other in cards if one != other)
            assert (one[0] == other[0]) != (one[1] == other[1])
            assert "T" not in (one[0], other[0])
            seen += 1
    assert seen


def test_a_card_seen_elsewhere_is_the_last_of_another_hand() -> None:
    for seed in range(12):
        on, right = material(), material()
        if not act("evidence.zone-disagreement", on, seed):
            continue
        assert on.placed is not None
        assert right.placed is not None
        moved = on.placed.filter(on.placed["zone"] != right.placed["zone"]).row(0, named=True)
        there = on.placed.filter(pl.col("round") == moved["round"], pl.col("zone") == moved["zone"])
        assert moved["order"] == there["order"].max()
        assert there["order"].n_unique() == there["order"].max()


def test_nothing_is_seen_without_a_camera() -> None:
    on = material()
    on.placed = None
    assert not any(act(f"evidence.{what}-disagreement", on, seed) for what in SIGHTINGS for seed in range(3))


def test_each_code_is_planted_once_a_day_and_acts_do_not_mix(tmp_path: Path) -> None:
    on = material(form=landing.Form(3))
    codes = [code for code in FILE_ACTS if code != "evidence.source-missing"]
    for code in codes:
        assert any(act(code, on, seed) for seed in range(20))
        assert not any(act(code, on, seed) for seed in range(5))
    assert sorted(truth.code for truth in on.truth) == sorted(codes)
    rounds = [truth.round for truth in on.truth if truth.round]
    assert len(set(rounds)) == len(SIGHTINGS)
    files = by_source(written(on, tmp_path))
    assert len(encode_events({**event, "source": TERMINAL} for event in files[TERMINAL]).rounds) == ROUNDS


def test_the_same_seed_gives_the_same_files(tmp_path: Path) -> None:
    for name in "ab":
        on = material(form=landing.Form(2, "gz"))
        for code in FILE_ACTS:
            act(code, on, 7)
        on.write(tmp_path / name)
    first, second = (sorted((tmp_path / name).rglob("*.gz")) for name in "ab")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
