"""``audit21 calibrate``: makes a camera's calibration from a still, or checks one against a still."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from pipelines.watch.pictures import PictureError, first_picture, write_picture
from replay.library import library
from replay.rulebook_file import RulebookError
from vision import calibration as view
from vision.calibration import Calibration, CalibrationError, Check, TableLayout
from vision.calibration.fields import card_size
from vision.calibration.marks import Picture
from vision.watching.video import VideoError

BOXES = 7


class _BadRequest(ValueError):
    """Options that make no calibration; says which and what was expected."""


BadRequest = (_BadRequest, CalibrationError, PictureError, VideoError, RulebookError)


@dataclass(frozen=True)
class CalibrateRequest:
    """The command's options."""

    still: Path
    boxes: int | None = None
    rulebook: str | None = None
    layout: Path | None = None
    corners: tuple[str, ...] = ()
    card: str | None = None
    draw: Path | None = None
    out: Path | None = None


def make(request: CalibrateRequest) -> Calibration:
    """The calibration that the options ask for, drawn and written where they say."""
    still = first_picture(request.still)
    plan = _plan(request)
    try:
        if request.corners:
            made = view.from_corners(still, [_pair(text, ",", "--corner") for text in request.corners], plan)
        else:
            made = view.find(still, plan)
    except CalibrationError as error:
        raise CalibrationError(f"{request.still}: {error}") from None
    made = _with_card(made, request, still)
    if request.draw is not None:
        write_picture(request.draw, view.draw(still, made), "--draw")
    if request.out is not None:
        _write(request.out, made)
    return made


def check(known: Path, request: CalibrateRequest, reference: Path | None) -> Check:
    """The result of checking a calibration against a still."""
    calibration, still = view.load(known), first_picture(request.still)
    found = view.check(calibration, still, None if reference is None else first_picture(reference))
    if request.draw is not None:
        write_picture(request.draw, view.draw(still, calibration), "--draw")
    return found


def show(request: CalibrateRequest, made: Calibration, out: Console) -> None:
    """Tell what was found."""
    width, height = made.image
    card, scale = made.card_px, made.px_per_mm
    how = "its corners as given" if made.marks is None else "the layout's four marks found"
    out.print(f"{request.still}: {width} x {height}, {how}")
    out.print(f"{scale:.2f} px to a millimetre in the middle; a card is {card[0]:.0f} x {card[1]:.0f} px")
    out.print(f"zones: {', '.join(made.zones)}")
    for problem in view.outside(made):
        out.print(problem)
    for path in (request.draw, request.out):
        if path is not None:
            out.print(f"written: {path}")


def show_check(request: CalibrateRequest, found: Check, out: Console) -> None:
    """Tell whether the calibration fits."""
    if found.shift_mm is not None:
        marks = ", ".join(f"{shift:.1f}" for shift in found.shifts_px)
        out.print(f"{request.still}: off by {marks} px, {found.shift_mm:.1f} mm at most")
    for problem in found.problems:
        out.print(problem)
    if not found.problems:
        out.print("the calibration fits")


def _plan(request: CalibrateRequest) -> TableLayout:
    if request.layout is not None:
        if request.boxes is not None or request.rulebook is not None:
            raise _BadRequest("--layout: says where the zones are, so it goes without --boxes and --rulebook")
        return TableLayout.load(request.layout)
    most = None
    if request.rulebook is not None:
        most = library().find(request.rulebook).parameters.get("boxes_max")
    boxes = request.boxes or min(BOXES, most or BOXES)
    if most is not None and boxes > most:
        raise _BadRequest(f"--boxes: found {boxes}, expected at most {most} under {request.rulebook}")
    return TableLayout.of_boxes(boxes)


def _with_card(made: Calibration, request: CalibrateRequest, still: Picture) -> Calibration:
    """With the size of the cards as told, or as lying on the felt, or as the layout has it."""
    if request.card is not None:
        return replace(made, card_mm=card_size(_pair(request.card, "x", "--card"), "--card"))
    seen = view.card_size_seen(made, still)
    return made if seen is None else replace(made, card_mm=seen)


def _pair(text: str, between: str, option: str) -> tuple[float, float]:
    first, _, second = text.partition(between)
    try:
        return float(first), float(second)
    except ValueError:
        raise _BadRequest(f"{option}: found {text!r}, expected two numbers such as 63{between}88") from None


def _write(path: Path, made: Calibration) -> None:
    """Write a file of its own; in a footage sidecar, replace the calibration and leave the rest."""
    data: Any = made.to_json()
    try:
        if path.is_file():
            known = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(known, dict) and ("calibration" in known or "start" in known):
                data = known | {"calibration": data}
        path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise _BadRequest(f"{path}: cannot be written, {error.strerror}") from None
    except ValueError as error:
        raise _BadRequest(f"{path}: is there and is no JSON, so it is not replaced: {error}") from None
