"""A lake's folders are named in one module, which also finds footage."""

import re
from pathlib import Path

import pytest

from warehouse import folders

ROOT = Path(__file__).parents[2]
NAMES = (folders.EVIDENCE, folders.RAW, folders.WATCHED, folders.STILLS, folders.STAGED, folders.DAGSTER)
PATH = "2026-01-05/A/footage-1~2.mp4"
FILM = b"film"


def test_no_other_module_spells_a_folder() -> None:
    spelled = re.compile(rf'/ "({"|".join(map(re.escape, NAMES))})"')
    modules = [path for room in ("warehouse", "pipelines", "dashboards") for path in (ROOT / room).rglob("*.py")]
    assert len(modules) > 200
    assert [path.name for path in modules if spelled.search(path.read_text(encoding="utf-8"))] == []


def put(path: Path, content: bytes = FILM) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_footage_is_found_in_the_lake_before_the_landing_zone(tmp_path: Path) -> None:
    lake, landing = tmp_path / "lake", tmp_path / "landing"

    def found() -> Path | None:
        return folders.find_footage(lake, landing, PATH, "a" * 64, len(FILM))

    assert found() is None
    as_landed = put(landing / "2026-01-05/A/footage-1.mp4")
    assert found() == as_landed
    renamed = put(landing / PATH)
    assert found() == renamed
    copy = put(folders.raw(lake, "a" * 64))
    assert found() == copy
    put(copy, b"cut")
    assert found() == renamed
    assert folders.find_footage(lake, None, PATH, "a" * 64, len(FILM)) is None


def test_footage_that_a_link_leads_out_to_is_not_found(tmp_path: Path) -> None:
    outside, landing = put(tmp_path / "outside.mp4"), tmp_path / "landing"
    (landing / "2026-01-05/A").mkdir(parents=True)
    (landing / PATH).symlink_to(outside)
    assert folders.find_footage(tmp_path / "lake", landing, PATH, "a" * 64, len(FILM)) is None


@pytest.mark.parametrize(
    ("path", "landed", "turn"),
    [
        ("2026-01-05/A/footage-1.mp4", "2026-01-05/A/footage-1.mp4", 1),
        ("2026-01-05/A/footage-1~2.mp4", "2026-01-05/A/footage-1.mp4", 2),
        ("2026-01-05/A~3/footage.json", "2026-01-05/A~3/footage.json", 1),
    ],
)
def test_a_name_without_the_number_of_its_turn(path: str, landed: str, turn: int) -> None:
    assert (folders.landing_path(path), folders.turn(path)) == (landed, turn)
