"""Checks of a calibration against a picture."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.calibration import tables
from vision.calibration import TableLayout, check, find


@pytest.fixture(scope="module")
def on() -> tables.Table:
    return tables.table(1)


def test_its_own_table_fits(on: tables.Table) -> None:
    made = find(on.empty, TableLayout.of_boxes(7))
    found = check(made, on.in_play)
    assert found.problems == () and found.shift_mm is not None and found.shift_mm < 0.5
    assert len(found.shifts_px) == 4


@pytest.mark.parametrize(("x_px", "hidden"), [(10.0, ()), (30.0, ()), (14.0, (1, 3))])
def test_a_moved_camera_is_measured(on: tables.Table, x_px: float, hidden: tuple[int, ...]) -> None:
    still = tables.shifted(tables.with_hidden_marks(on, on.empty, hidden), x_px)
    found = check(on.truth, still)
    assert max(found.shifts_px) == pytest.approx(x_px, abs=0.5)
    assert len(found.shifts_px) == 4 - len(hidden)
    assert found.problems[0].startswith(f"the table is {x_px:.0f} px")


def test_without_marks_the_still_of_the_calibration_serves(on: tables.Table) -> None:
    bare = replace(on.truth, marks=None)
    assert "give the still that it was made from" in check(bare, on.empty).problems[0]
    assert check(bare, on.in_play, on.empty).problems == ()
    moved = check(bare, tables.shifted(on.in_play, 25, 10), on.empty)
    assert moved.shifts_px[0] == pytest.approx(27, abs=4)
    assert "calibrate again" in moved.problems[0]


def test_a_picture_of_something_else(on: tables.Table) -> None:
    made = find(on.empty, TableLayout.of_boxes(7))
    dark = check(made, np.zeros_like(on.empty))
    assert "marks are not to be seen" in dark.problems[0] and "dealer" in dark.problems[1]
    assert "proportions" in check(made, on.empty[:, :1000]).problems[0]
    assert check(replace(made, marks=None), np.zeros_like(on.empty), on.empty).shift_mm is None


def test_one_corner_that_is_off_is_told_though_the_others_fit(on: tables.Table) -> None:
    assert on.truth.marks is not None
    dragged = on.truth.to_px(on.truth.marks) + np.array([[40.0, 25.0], [0, 0], [0, 0], [0, 0]])
    homography, _ = cv2.findHomography(dragged, on.truth.marks)
    found = check(replace(on.truth, homography=np.asarray(homography, np.float64)), on.empty)
    assert max(found.shifts_px) == pytest.approx(np.hypot(40, 25), abs=1)
    assert "calibrate again" in found.problems[0]


def test_a_hidden_mark_leaves_its_corner_open(on: tables.Table) -> None:
    found = check(on.truth, tables.with_hidden_marks(on, on.empty, (2,)))
    assert len(found.shifts_px) == 3
    assert found.problems[0].startswith("1 of the layout's 4 marks not to be seen")
