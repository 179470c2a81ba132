"""Rulebooks are found in the package and in folders, by id and version."""

import os
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from replay import floor, library
from replay.library import PACKAGE, beside
from replay.presentation import presentation
from replay.rulebook_file import RulebookError

MBS = "mbs-pontoon"


def text_of(book: str) -> str:
    return PACKAGE.find(book).source.decode()


def put(folder: Path, version: str, book: str = MBS, name: str = "", **changes: str) -> Path:
    """A version of a rulebook of the package in a folder, with some of its text replaced."""
    folder.mkdir(exist_ok=True)
    text = re.sub(r'version = ".*"', f'version = "{version}"', text_of(book), count=1)
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    path = folder / f"{name or version}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def a_floor(*entries: tuple[str, str]) -> dict[str, Any]:
    plain = {"id": "T1", "decks": 8, "boxes": 7, "min_cents": 1000, "max_cents": 50000}
    return {"table": [{**plain, "from": date.fromisoformat(day), "rulebook": name} for day, name in entries]}


def test_a_version_is_named_and_without_one_it_is_the_newest(tmp_path: Path) -> None:
    put(tmp_path, "7 (2027-01-01)")
    put(tmp_path, "10 (2030-01-01)")
    books = library.library([tmp_path])
    assert [book.version for book in books.versions(MBS)] == ["6 (2019-09-27)", "7 (2027-01-01)", "10 (2030-01-01)"]
    assert books.find(MBS).version == "10 (2030-01-01)"
    assert books.find(f"{MBS}@7").version == books.find(f"{MBS}@7 (2027-01-01)").version == "7 (2027-01-01)"
    with pytest.raises(RulebookError, match=r"'mbs-pontoon@8', expected one of mbs-pontoon@6, mbs-pontoon@7, mbs-"):
        books.find(f"{MBS}@8")
    assert PACKAGE.find(MBS).version == "6 (2019-09-27)"


def test_rounds_before_the_day_of_a_version_are_judged_by_the_one_before(tmp_path: Path) -> None:
    put(tmp_path, "7")
    found = floor.parse(a_floor(("2026-01-01", f"{MBS}@6"), ("2026-02-01", f"{MBS}@7")), library.library([tmp_path]))
    days = ("2026-01-31", "2026-02-01")
    assert [found.table("T1", date.fromisoformat(day)).book.version for day in days] == ["6 (2019-09-27)", "7"]


def test_one_version_with_two_texts_is_refused(tmp_path: Path) -> None:
    put(tmp_path, "7", name="a")
    put(tmp_path, "7", name="b")
    assert library.library([tmp_path]).find(MBS).version == "7"
    path = put(tmp_path, "7", name="c", **{'title = "Pontoon (MBS)"': 'title = "Another"'})
    with pytest.raises(
        RulebookError, match=f"{path}: mbs-pontoon has the version '7' in .* already, with another text"
    ):
        library.library([tmp_path]).find(MBS)


def test_folders_of_the_environment_and_beside_floor_toml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "named", "7")
    put(tmp_path / "zone", "0", name="x").rename(tmp_path / "zone" / "floor.toml")
    put(tmp_path / "zone" / "rulebooks", "8")
    monkeypatch.setenv(library.FOLDERS_VARIABLE, str(tmp_path / "named"))
    assert library.library().find(MBS).version == "7"
    assert beside(tmp_path / "zone" / "floor.toml").find(MBS).version == "8"
    monkeypatch.setenv(library.FOLDERS_VARIABLE, os.pathsep.join(["", str(tmp_path / "nowhere")]))
    with pytest.raises(RulebookError, match="nowhere: no such folder, expected one with rulebooks"):
        library.library()


def test_a_link_beside_floor_toml_may_not_lead_away(tmp_path: Path) -> None:
    outside = put(tmp_path / "away", "7")
    (tmp_path / "zone" / "rulebooks").mkdir(parents=True)
    (tmp_path / "zone" / "rulebooks" / "mine.toml").symlink_to(outside)
    with pytest.raises(RulebookError, match=r"mine\.toml: leads out of .*zone; put a copy of the file there"):
        beside(tmp_path / "zone" / "floor.toml")


def test_a_rulebook_that_is_wrong_names_its_file_and_line(tmp_path: Path) -> None:
    path = put(tmp_path, "7", **{"[readings]": "[raedings]"})
    with pytest.raises(
        RulebookError, match=rf"{path}:\d+: 'raedings' is no part of a rulebook; did you mean 'readings'"
    ):
        library.library([tmp_path]).find(MBS)


def test_a_table_that_nobody_described_has_a_felt_and_a_house(tmp_path: Path) -> None:
    put(tmp_path, "1", **{'id = "mbs-pontoon"': 'id = "new-pontoon"'})
    book = library.library([tmp_path]).find("new-pontoon")
    assert presentation(book).sides == ("pair",)
    assert presentation(book).game == "PONTOON (MBS)"
    (tmp_path / "presentation.toml").write_text('[new-pontoon]\nlike = "mbs-pontoon"\nhouse = "The Pier"\n')
    assert (presentation(book).house, presentation(book).game) == ("The Pier", "PONTOON")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hose = 'x'", r"presentation\.toml:2: new-pontoon: 'hose' is no key of a presentation; did you mean 'house'"),
        ("felt = [1, 2]", "felt is .* expected a list of 3 whole numbers from 0 to 255"),
        ("like = 'nothing'", "like is 'nothing', expected one of"),
        ("tables = [{ mach = true }]", "tables is .*, expected a list"),
    ],
)
def test_a_presentation_that_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    put(tmp_path, "1", **{'id = "mbs-pontoon"': 'id = "new-pontoon"'})
    (tmp_path / "presentation.toml").write_text(f"[new-pontoon]\n{text}\n")
    with pytest.raises(RulebookError, match=message):
        presentation(library.library([tmp_path]).find("new-pontoon"))
