"""Videos and stills as frames: by presentation time, and what is said of files that are no good."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.watching.reels import SIZE, at_times, grey, turned, write
from vision.watching.video import Video, VideoError, stills


def levels(footage: Video, every_ms: float = 0) -> list[tuple[int, float, int]]:
    """Number, time and brightness of each sample."""
    return [(each.number, each.time_ms, round(float(each.picture.mean()))) for each in footage.samples(every_ms)]


@pytest.fixture
def steps(tmp_path: Path) -> Path:
    """Ten frames, each brighter than the one before."""
    return write(tmp_path / "steps.mp4", [grey(20 * n + 20) for n in range(10)])


def test_every_frame_with_its_number_and_time(steps: Path) -> None:
    footage = Video(steps)
    found = levels(footage)
    assert [number for number, _, _ in found] == list(range(10))
    assert [ms for _, ms, _ in found] == pytest.approx([100.0 * n for n in range(10)])
    assert [level for _, _, level in found] == pytest.approx([20 * n + 20 for n in range(10)], abs=6)
    assert footage.read == 10 and not footage.cut_short and not footage.is_still


def test_samples_are_a_while_apart(steps: Path) -> None:
    assert [number for number, _, _ in levels(Video(steps), every_ms=300)] == [0, 3, 6, 9]


def test_variable_frame_rate_goes_by_presentation_time(steps: Path) -> None:
    times = [0, 40, 80, 700, 740, 780, 2000, 2100, 2200, 2240]
    footage = Video(at_times(steps, times))
    assert [ms for _, ms, _ in levels(footage)] == pytest.approx(times, abs=1.5)
    sampled = levels(Video(steps), every_ms=100)
    assert [number for number, _, _ in sampled] == [0, 3, 6, 7, 8]


def test_a_rotated_video_comes_upright(tmp_path: Path) -> None:
    halves = np.vstack([grey(30, (320, 90)), grey(200, (320, 90))])
    footage = Video(turned(write(tmp_path / "turned.mp4", [halves] * 4)))
    first = next(iter(footage.samples()))
    assert (footage.facts.width, footage.facts.height) == (SIZE[1], SIZE[0]) == first.picture.shape[1::-1]
    assert abs(float(first.picture[:, :60].mean()) - float(first.picture[:, -60:].mean())) > 120


def test_a_video_that_breaks_off(tmp_path: Path) -> None:
    path = write(tmp_path / "whole.avi", [grey(5 * n) for n in range(40)], code="MJPG")
    data = path.read_bytes()
    path.write_bytes(data[: int(0.4 * len(data))])
    footage = Video(path)
    assert 5 < len(levels(footage)) < 35
    assert footage.cut_short


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("empty.mp4", b"", "the file is empty"),
        ("text.mp4", b"no film\n" * 500, "cannot be opened as a video"),
        ("cut.png", b"\x89PNG\r\n\x1a\n" + bytes(40), "cannot be decoded as a picture"),
    ],
)
def test_files_that_are_no_good(
    tmp_path: Path, name: str, data: bytes, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(VideoError, match=rf"{name}: {said}"):
        Video(tmp_path / name)
    assert capfd.readouterr() == ("", "")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(VideoError, match=r"none\.mp4: cannot be read, No such file or directory"):
        Video(tmp_path / "none.mp4")


def test_a_still_is_one_frame(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "table.png"), grey(77))
    footage = Video(tmp_path / "table.png")
    assert footage.is_still and levels(footage) == [(0, 0.0, 77)]
    assert stills(tmp_path) == [tmp_path / "table.png"]
    with pytest.raises(VideoError, match="no pictures in this folder"):
        stills(tmp_path.parent / tmp_path.name / ".." / "..")


def test_whoever_stops_watching_leaves_nothing_running(steps: Path) -> None:
    frames = Video(steps).samples(every_ms=0)
    assert next(frames).number == 0
    frames.close()  # type: ignore[attr-defined]
