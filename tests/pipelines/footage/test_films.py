"""Recognition of footage among a table's files, and the match of sidecars to it."""

import pytest

from pipelines.custody.store import Record
from pipelines.watch.films import films
from pipelines.watch.sidecar import FilmSidecar, SidecarError, moment, parse

FOLDER = "2026-01-05/P21-01"


def record(name: str, sha256: str = "", size: int = 1, table: str = FOLDER) -> Record:
    return Record(f"{table}/{name}", sha256 or name, size)


def names(*records: Record) -> list[tuple[str, str | None]]:
    return [(film.footage.name, film.sidecar.name if film.sidecar else None) for film in films(records)]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["footage.mp4", "footage.json", "terminal.ndjson"], [("footage.mp4", "footage.json")]),
        (["footage-1.mp4", "footage-2.json"], [("footage-1.mp4", None)]),
        (
            ["footage-1.avi", "footage-1.mkv", "footage-1.json"],
            [("footage-1.avi", "footage-1.json"), ("footage-1.mkv", "footage-1.json")],
        ),
        (["footage-1.png", "footage-1.json", "footage-1.JPG"], []),  # stills for calibration
        (["footage-1.mp4", "footage-1.json", "footage-1~2.json"], [("footage-1.mp4", "footage-1~2.json")]),
        (["footage-1.mp4", "footage-1~2.mp4", "footage-1.json"], [("footage-1~2.mp4", "footage-1.json")]),
        (["footage-1~2.mp4", "footage-1~10.mp4"], [("footage-1~10.mp4", None)]),
        (["footage.a.b.mp4", "footage.a.b.json"], [("footage.a.b.mp4", "footage.a.b.json")]),
    ],
)
def test_a_film_and_its_sidecar(files: list[str], expected: list[tuple[str, str | None]]) -> None:
    assert names(*map(record, files)) == expected


def test_the_same_bytes_count_once_and_with_a_sidecar() -> None:
    copies = [record("footage-1.mp4", "a"), record("footage-2.mp4", "a"), record("footage-2.json")]
    assert names(*copies) == [("footage-2.mp4", "footage-2.json")]
    assert names(*copies, record("footage-1.json")) == [("footage-1.mp4", "footage-1.json")]


def test_tables_have_their_own() -> None:
    other = "2026-01-05/P21-02"
    found = names(
        record("footage.mp4", "a"), record("footage.mp4", "a", table=other), record("footage.json", table=other)
    )
    assert found == [("footage.mp4", None), ("footage.mp4", "footage.json")]


def test_a_sidecar() -> None:
    assert parse(b'{"start":"2026-01-05T18:00:00-05:00","calibration":{"image":[1,2]},"x":1}') == FilmSidecar(
        "2026-01-05T18:00:00-05:00", None, {"image": [1, 2]}
    )
    assert moment("2026-01-05T23:59:59.900-05:00", 250) == "2026-01-06T00:00:00.150-05:00"
    assert moment("2026-01-05t18:00:00z", 1) == "2026-01-05T18:00:00.001+00:00"


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "is no JSON"),
        (b"\xff\xfe{", "is no JSON"),
        (b"[1]", "expected a JSON object"),
        (b'{"calibration":{}}', "start: found null, expected a time"),
        (b'{"start":"18:00","calibration":{}}', 'start: found "18:00"'),
        (b'{"start":"2026-01-05T18:00:00Z","camera":7}', "camera: found 7"),
        (b'{"start":"2026-01-05T18:00:00Z"}', "calibration: found null"),
    ],
)
def test_a_sidecar_that_is_no_good(raw: bytes, said: str) -> None:
    with pytest.raises(SidecarError, match=said):
        parse(raw)
