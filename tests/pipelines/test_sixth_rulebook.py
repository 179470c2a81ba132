"""A sixth jurisdiction is a sixth file: nothing in Python knows of the rulebook that is written here."""

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from zipfile import ZipFile

import polars as pl
import pytest
from typer.testing import CliRunner

from pipelines.cli import app
from replay.library import PACKAGE
from tests.dashboards.server import serving
from warehouse.lake import Lake

ID = "nv-spanish21"
# What differs from md-spanish21, and how often its text has to be there.
CHANGES = (
    ('id = "md-spanish21"', f'id = "{ID}"'),
    ('title = "Maryland Spanish 21"', 'title = "Nevada Spanish 21"'),
    ('jurisdiction = "Maryland"', 'jurisdiction = "Nevada"'),
    ('dealer_soft_17 = "stands"', 'dealer_soft_17 = "draws"'),
    ('"odds.match.6.suited" = "9:1"', '"odds.match.6.suited" = "13:1"'),
    ('"odds.match.6.unsuited" = "4:1"', '"odds.match.6.unsuited" = "3:1"'),
)


def written(folder: Path, version: str, changes: Sequence[tuple[str, str]] = ()) -> Path:
    """The sixth rulebook in a version of its own."""
    text = PACKAGE.find("md-spanish21").source.decode()
    for old, new in (*CHANGES, ('version = "undated"', f'version = "{version}"'), *changes):
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{ID}-{version}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def audit21(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(app, [str(each) for each in arguments])
    assert done.exit_code == code, f"{done.output}{done.stderr}"
    return done.output


# Ace and six is a soft 17: here the dealer draws. A suited match is 13 to 1, an unsuited one 3 to 1.
ROUND = f"""rulebook {ID}
decks 6
option match = true
round 1
bet 1 10
bet 1 match 5
no more bets
deal 6H 6H 9S AC
1 stand
dealer 3H
end
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A landing zone that was simulated under the sixth rulebook, and its lake; the rulebook itself is gone again."""
    folder = tmp_path_factory.mktemp("sixth")
    books = folder / "books"
    written(books, "1")
    options = ["--rulebook", f"{ID},mbs-pontoon", "--tables", "2", "--rounds", "12", "--irregularities", "0.3"]
    audit21("simulate", folder / "zone", *options, "--rulebooks", books, "--camera")
    shutil.rmtree(books)
    audit21("run", folder / "zone", "--lake", folder / "lake")
    return folder


def test_the_simulator_leaves_the_rulebook_beside_floor_toml(home: Path) -> None:
    assert [path.name for path in (home / "zone" / "rulebooks").iterdir()] == [f"{ID}@1.toml"]


def test_an_audit_finds_what_was_planted(home: Path) -> None:
    lake = Lake.open(home / "lake")
    rounds = lake.read("rounds").filter(rulebook=ID)
    assert len(rounds) == 12 and set(rounds["rulebook_version"]) == {"1"}
    settled = lake.read("settlements").join(rounds.select("round_id"), on="round_id")
    assert len(settled.filter(verdict="correct")) > len(settled) / 2
    truth = pl.read_parquet(home / "zone" / "truth.parquet").filter(pl.col("clause").str.starts_with(ID))
    codes = set(lake.read("findings").filter(pl.col("clause").str.starts_with(ID))["code"])
    assert truth.height > 0 and set(truth["code"]) & codes


def test_the_evidence_log_has_version_and_digest_and_raw_the_bytes(home: Path) -> None:
    entries = [json.loads(line) for line in (home / "lake" / "evidence" / "log.ndjson").read_text().splitlines()]
    (taken,) = (entry for entry in entries if entry["kind"] == "custody")
    held = {(book["id"], book["version"]): book["sha256"] for book in taken["rulebooks"]}
    assert set(held) == {(ID, "1"), ("mbs-pontoon", "6 (2019-09-27)")}
    assert b'"odds.match.6.suited" = "13:1"' in (home / "lake" / "raw" / held[ID, "1"]).read_bytes()
    files = Lake.open(home / "lake").read("files").filter(source="rulebook")
    assert set(files["sha256"]) == set(held.values())


def test_rounds_are_told_and_verified_by_the_rulebook_in_custody(home: Path, tmp_path: Path) -> None:
    """Neither the folder of rulebooks nor the landing zone is there any more."""
    lake = shutil.copytree(home / "lake", tmp_path / "lake")
    name = Lake.open(lake).read("rounds").filter(rulebook=ID)["round_id"][0]
    assert f"Nevada Spanish 21 ({ID}), version 1" in audit21("explain", name, "--lake", lake)
    audit21("verify", lake, "--replay")
    audit21("dispute", name, "--lake", lake, "--out", tmp_path / "out")
    (bundle,) = (tmp_path / "out").glob("*.zip")
    assert b'dealer_soft_17 = "draws"' in ZipFile(bundle).read(f"rulebook/{ID}.toml")
    audit21("verify", bundle)
    with serving(lake, tmp_path / "people.db") as server, server.client("ann") as client:
        page = client.get(f"/rounds/{name}")
        assert page.status_code == 200 and ID in page.text


def test_a_rulebook_in_custody_that_was_changed_is_noticed(home: Path, tmp_path: Path) -> None:
    lake = shutil.copytree(home / "lake", tmp_path / "lake")
    sha256 = Lake.open(lake).read("files").filter(path=f"rulebooks/{ID}@1.toml")["sha256"][0]
    (lake / "raw" / sha256).chmod(0o644)
    (lake / "raw" / sha256).write_bytes((lake / "raw" / sha256).read_bytes().replace(b'"13:1"', b'"12:1"'))
    assert f"rulebooks/{ID}@1.toml" in audit21("verify", lake, code=1)


def test_a_round_in_the_notation_goes_by_its_odds_and_its_soft_17(home: Path, tmp_path: Path) -> None:
    (tmp_path / "round.txt").write_text(ROUND)
    books = home / "zone" / "rulebooks"
    told = json.loads(audit21("explain", tmp_path / "round.txt", "--rulebooks", books, "--json"))
    (told,) = told["rounds"]
    expected = {each["kind"]: each["expected_paid_cents"] for each in told["explanations"]}
    assert expected == {"main": 0, "match": 65_00}  # 5.00 at 13:1; the dealer drew to 20 against 15
    assert not [each for each in told["findings"] if each["code"].startswith("dealer.")]


def test_a_second_version_judges_the_days_from_its_own_on(home: Path, tmp_path: Path) -> None:
    zone, lake = shutil.copytree(home / "zone", tmp_path / "zone"), tmp_path / "lake"
    shutil.rmtree(next(zone.glob("2026-01-05")) / next(zone.glob("2026-01-05/PON*")).name)
    shutil.copytree(zone / "2026-01-05", zone / "2026-01-06")
    written(zone / "rulebooks", "2", [('"odds.match.8.suited" = "12:1"', '"odds.match.8.suited" = "11:1"')])
    text = (zone / "floor.toml").read_text()
    first, second, *_ = re.split(r"(?=^\[\[table\]\]$)", text, flags=re.MULTILINE)
    entry = second.replace(f'rulebook = "{ID}"', f'rulebook = "{ID}@1"')
    later = re.sub(r"from = .*", "from = 2026-01-06", second.replace(f'"{ID}"', f'"{ID}@2"'))
    (zone / "floor.toml").write_text(f"{first}{entry.rstrip()}\n\n{later}")
    for path in (zone / "2026-01-06").rglob("*.ndjson"):
        path.write_text(path.read_text().replace("2026-01-06", "2026-01-07").replace("2026-01-05", "2026-01-06"))
    audit21("run", zone, "--lake", lake)
    rounds = Lake.open(lake).read("rounds").select("gaming_day", "rulebook_version").unique().sort("gaming_day")
    assert [(str(day), version) for day, version in rounds.rows()] == [("2026-01-05", "1"), ("2026-01-06", "2")]
    audit21("verify", lake, "--replay")


def test_a_rulebook_that_changed_is_a_reason_to_audit_again(home: Path, tmp_path: Path) -> None:
    zone, lake = shutil.copytree(home / "zone", tmp_path / "zone"), shutil.copytree(home / "lake", tmp_path / "lake")
    written(zone / "rulebooks", "2", [('"odds.regular" = "1:1"', '"odds.regular" = "6:5"')])
    audit21("run", zone, "--lake", lake)
    assert set(Lake.open(lake).read("rounds").filter(rulebook=ID)["rulebook_version"]) == {"2"}
    entries = [json.loads(line) for line in (lake / "evidence" / "log.ndjson").read_text().splitlines()]
    assert [len(entry["rulebooks"]) for entry in entries if entry["kind"] == "custody"] == [2, 2]
