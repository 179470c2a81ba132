"""Sidecars of films: when a film begins, which camera took it, and what its pixels are."""

import json
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from replay.times import time_ms

ROUNDS: Final = "rounds"
INSPECTION: Final = "inspection"  # decks spread face up at the opening: no round, and no calibration needed


class SidecarError(ValueError):
    """A sidecar that leaves a film unusable; says what is wrong with it."""


class FilmSidecar(NamedTuple):
    """A sidecar's fields; ``calibration`` as it came, checked by who uses it."""

    start: str
    camera: str | None
    calibration: dict[str, Any]
    shows: str = ROUNDS


def parse(raw: bytes) -> FilmSidecar:
    """The sidecar that these bytes are."""
    try:
        data = json.loads(raw)
    except ValueError as error:
        raise SidecarError(f"is no JSON: {error}") from None
    if not isinstance(data, dict):
        raise SidecarError("expected a JSON object with start, camera and calibration")
    start, camera, calibration = (data.get(name) for name in ("start", "camera", "calibration"))
    if not isinstance(start, str) or time_ms(start) is None:
        raise SidecarError(f"start: found {_shown(start)}, expected a time such as 2026-11-16T14:05:07.250+08:00")
    if camera is not None and not isinstance(camera, str):
        raise SidecarError(f"camera: found {_shown(camera)}, expected a name")
    shows = data.get("shows", ROUNDS)
    if shows not in (ROUNDS, INSPECTION):
        raise SidecarError(f"shows: found {_shown(shows)}, expected {ROUNDS} or {INSPECTION}")
    if shows == INSPECTION and calibration is None:
        calibration = {}
    if not isinstance(calibration, dict):
        raise SidecarError(f"calibration: found {_shown(calibration)}, expected what audit21 calibrate writes")
    return FilmSidecar(start, camera or None, calibration, shows)


def moment(start: str, after_ms: int) -> str:
    """A time so long after the first frame, with the same offset."""
    at = datetime.fromisoformat(start.upper()) + timedelta(milliseconds=after_ms)
    return at.isoformat(timespec="milliseconds")


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
