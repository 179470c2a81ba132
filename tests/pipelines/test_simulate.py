"""``audit21 simulate`` from the command line: what it writes, and what it refuses in one line."""

import json
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import cv2
import polars as pl
import pytest

COMMAND = str(Path(sys.executable).with_name("audit21"))
SMALL = ("--tables", "1", "--rounds", "5")
TABLE = {"id": "T1", "rulebook": "md-pontoon21", "decks": 6, "boxes": 7, "min_cents": 500, "max_cents": 100_000}


def simulate(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [COMMAND, "simulate", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def floor_toml(path: Path, **values: object) -> Path:
    """A floor.toml of one table; values that are no table's go to the property."""
    place = {name: value for name, value in values.items() if name in ("timezone", "gaming_day_starts")}
    table = {**TABLE, **{name: value for name, value in values.items() if name not in place}}
    lines = ["[property]", *(f"{name} = {json.dumps(value)}" for name, value in place.items())]
    lines += ["[[table]]", *(f"{name} = {json.dumps(value)}" for name, value in table.items())]
    path.write_text("\n".join(lines))
    return path


def test_a_floor_in_files(tmp_path: Path) -> None:
    done = simulate(tmp_path / "zone", "--tables", "5", "--rounds", "20", "--plant", "wager.late:2")
    assert done.returncode == 0, done.stderr
    assert "100 rounds in 10 files" in done.stdout and "wager.late" in done.stdout
    zone = tmp_path / "zone"
    assert len(list(zone.glob("2026-01-05/*/terminal.ndjson"))) == 5
    assert pl.read_parquet(zone / "truth.parquet")["code"].to_list() == ["wager.late", "wager.late"]


def test_a_floor_with_footage(tmp_path: Path) -> None:
    """The table with something planted is filmed, and the round in which it is planted."""
    plant = ("--plant", "evidence.card-disagreement:1")
    done = simulate(tmp_path / "zone", "--tables", "2", "--rounds", "6", "--footage", "--footage-rounds", "1", *plant)
    assert done.returncode == 0, done.stderr
    assert "12 rounds in 6 files" in done.stdout
    (planted,) = pl.read_parquet(tmp_path / "zone" / "truth.parquet").rows(named=True)
    folder = tmp_path / "zone" / "2026-01-05" / planted["table"]
    assert sorted(path.name for path in folder.iterdir()) == [
        *("footage-1.json", "footage-1.mp4", "shoe.ndjson", "terminal.ndjson")
    ]
    shown = pl.read_parquet(tmp_path / "zone" / f"placements-2026-01-05-{planted['table']}.parquet")
    assert {f"{planted['table']}/2026-01-05/{number}" for number in shown["round"] if number} == {planted["round_id"]}
    draws = pl.read_ndjson(folder / "shoe.ndjson").filter(type="draw")
    switched = shown.join(draws, on=["shoe", "n"]).filter(pl.col("card") != pl.col("card_right"))
    assert switched["round"].n_unique() == 1 and switched["n"].n_unique() == 1
    video = cv2.VideoCapture(str(folder / "footage-1.mp4"))
    frames = int(video.get(cv2.CAP_PROP_FRAME_COUNT))
    assert max(shown["until_frame"]) < frames and frames / video.get(cv2.CAP_PROP_FPS) > max(shown["until_ms"]) / 1000
    sidecar = json.loads((folder / "footage-1.json").read_text())
    clock = pl.read_parquet(tmp_path / "zone" / "clocks.parquet").filter(table=planted["table"], source="camera")
    assert sidecar["camera"] == f"{planted['table']}-CAM" and clock.height == 1
    first = draws.join(shown, on=["shoe", "n"]).sort("laid_ms").row(0, named=True)
    shoe_clock = pl.read_parquet(tmp_path / "zone" / "clocks.parquet").filter(table=planted["table"], source="shoe")
    apart = datetime.fromisoformat(sidecar["start"]) + timedelta(milliseconds=first["laid_ms"])
    skew_ms = (apart - datetime.fromisoformat(first["ts"])) / timedelta(milliseconds=1)
    assert abs(skew_ms - (clock["offset_ms"][0] - shoe_clock["offset_ms"][0])) < 3_000  # they drift as well


def test_the_same_command_may_be_repeated(tmp_path: Path) -> None:
    out = tmp_path / "zone"
    for _ in range(2):
        assert simulate(out, *SMALL).returncode == 0
    other = simulate(out, *SMALL, "--seed", "2")
    assert other.returncode == 2 and "another simulation" in other.stderr
    assert simulate(out, *SMALL, "--seed", "2", "--force").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--rulebook", "nope"), "expected one of md-pontoon21"),
        (("--plant", "shoe.ten-found"), "expected a code and a number"),
        (("--plant", "settlement.overpaid/as-prescribed:1"), "only none"),
        (("--compress", "rar"), "expected none, gz, zst or parquet"),
        (("--compress", "gz", "--disorder", "garbage:1"), "needs plain files"),
        (("--disorder", "wet:1"), "such as late:2"),
        (("--from", "9999-12-31"), "expected a day between 1970 and 2999"),
        (("--floor", "nowhere.toml"), "nowhere.toml: cannot be read"),
        (("--footage", "--footage-rounds", "0"), "footage-rounds"),
        (
            ("--plant", "reader.not-used:1", "--rulebook", "mbs-pontoon", *SMALL),
            "suits 1 x reader.not-used",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = simulate(tmp_path / "zone", *arguments)
    assert done.returncode == 2
    assert said in done.stderr and len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"id": "../../evil"}, "it names a folder"),
        ({"boxes": 32}, "boxes is 32, expected 1 to 31"),
        ({"boxes": 0}, "boxes is 0"),
        ({"min_cents": 200_000}, "expected at most max_cents"),
        ({"timezone": "Nowhere/X"}, "timezone is 'Nowhere/X'"),
        ({"gaming_day_starts": "25:00"}, "gaming_day_starts is '25:00'"),
    ],
)
def test_a_floor_that_no_casino_has(values: dict[str, object], said: str, tmp_path: Path) -> None:
    done = simulate(tmp_path / "zone", "--floor", floor_toml(tmp_path / "floor.toml", **values))
    assert done.returncode == 2 and said in done.stderr
    assert not (tmp_path / "zone").exists()


def test_more_boxes_than_the_rulebook_has(tmp_path: Path) -> None:
    """Nine boxes are not permitted in Maryland (2.A): they are played all the same, and every day says so."""
    out = tmp_path / "zone"
    done = simulate(out, "--floor", floor_toml(tmp_path / "floor.toml", boxes=9), "--rounds", "40", "--days", "2")
    assert done.returncode == 0, done.stderr
    assert pl.read_parquet(out / "truth.parquet").select("code", "clause").rows() == [
        ("floor.not-permitted", "md-pontoon21 2.A"),
        ("floor.not-permitted", "md-pontoon21 2.A"),
    ]
