"""Camera set-up: the calibrations that came with footage, drawn over a still, adjusted and kept as drafts."""

import json
import math
from datetime import date
from pathlib import PurePath
from typing import Any

import pyarrow as pa
from starlette.exceptions import HTTPException
from starlette.responses import Response

from dashboards.cameras import adjusting, sidecars, stills
from dashboards.cameras.sidecars import Sidecar
from dashboards.web import export
from dashboards.web.attachments import disposition
from dashboards.web.days import of_day
from dashboards.web.pages import Pages
from dashboards.web.permissions import Permission
from dashboards.web.visit import Visit
from dashboards.web.words import zoned
from vision.calibration import Calibration
from warehouse.cases import drafts
from warehouse.cases.models import CameraDraft

pages = Pages()
_SET_UP = Permission.SET_UP_CAMERAS
JSON = "json"


@pages.get("/cameras", _SET_UP)
@of_day
def show_all(visit: Visit, day: date) -> Response:
    """The cameras whose footage came with a gaming day."""
    found = sidecars.of_day(visit.lake, day)
    with visit.site.database.read() as session:
        kept = {each.sha256: drafts.newest(session, each.table, each.camera) for each in found}
    rows = [_row(visit, each, kept[each.sha256]) for each in found]
    if export.wanted(visit):
        columns = ("table", "camera", "path", "sha256", "width", "height", "zones", "px_per_mm", "problem")
        fields = [{name: row[name] for name in columns} for row in rows]
        return export.file(visit, f"cameras-{day}", pa.Table.from_pylist(fields, _FIELDS))
    return visit.render("cameras.html", day=day, rows=rows)


_FIELDS = pa.schema(
    [
        *((name, pa.string()) for name in ("table", "camera", "path", "sha256")),
        *((name, pa.int64()) for name in ("width", "height", "zones")),
        ("px_per_mm", pa.float64()),
        ("problem", pa.string()),
    ]
)


def _row(visit: Visit, sidecar: Sidecar, draft: CameraDraft | None) -> dict[str, Any]:
    found = sidecar.calibration
    view = found if isinstance(found, Calibration) else None
    return {
        **{name: getattr(sidecar, name) for name in ("table", "camera", "path", "sha256")},
        "start": sidecar.data.get("start"),
        "width": view.image[0] if view else None,
        "height": view.image[1] if view else None,
        "zones": len(view.zones) if view else None,
        "px_per_mm": view.px_per_mm if view else None,
        "problem": None if view else str(found),
        "draft": draft,
        "has_picture": sidecar.has_film(visit.site.films),
    }


@pages.get("/cameras/{sha256}", _SET_UP)
def show(visit: Visit) -> Response:
    """A camera's view of its table: the sidecar's calibration, or the newest draft."""
    sidecar = _sidecar(visit)
    draft = _draft(visit, sidecar)
    shown = None if visit.query.get("draft") == "0" else draft
    if visit.query.get("format") == JSON:
        return _download(sidecar, shown)
    calibration = _calibration(sidecar, shown)
    if export.wanted(visit):
        rows = pa.Table.from_pylist(adjusting.rows(calibration))
        return export.file(visit, f"zones-{sidecar.table}-{sidecar.day}", rows)
    seconds = _seconds(visit)
    found = stills.still(sidecar, visit.site.films, seconds)
    return visit.render(
        "camera.html",
        sidecar=sidecar,
        draft=draft,
        shown=shown,
        calibration=calibration,
        view=adjusting.view(calibration),
        seconds=seconds,
        latest=stills.LATEST_S,
        has_film=sidecar.has_film(visit.site.films),
        missing=visit.site.films.missing,
        has_picture=found is not None,
        verdict=adjusting.verdict(calibration, found),
    )


@pages.get("/cameras/{sha256}/still.jpg", _SET_UP, quiet=True)
def picture(visit: Visit) -> Response:
    """Serve a frame of the camera's footage, or a still, as a JPEG."""
    found = stills.still(_sidecar(visit), visit.site.films, _seconds(visit))
    if found is None:
        raise HTTPException(404, "There is no picture of this camera at hand.")
    return Response(stills.jpeg(found), media_type="image/jpeg")


@pages.post("/cameras/{sha256}/check", _SET_UP)
def check(visit: Visit) -> Response:
    """Check the adjusted calibration against the still. Nothing is saved, so nothing is logged."""
    sidecar = _sidecar(visit)
    made = adjusting.adjusted(_calibration(sidecar, None), visit.text("adjusted"))
    return visit.json(adjusting.verdict(made, stills.still(sidecar, visit.site.films, _seconds(visit))))


@pages.post("/cameras/{sha256}/draft", _SET_UP)
def keep(visit: Visit) -> Response:
    """Save the adjusted calibration as a draft; earlier drafts stay."""
    sidecar = _sidecar(visit)
    made = adjusting.adjusted(_calibration(sidecar, None), visit.text("adjusted"))
    with visit.site.database.write() as session:
        draft = drafts.keep(session, sidecar.table, sidecar.camera, made.to_json(), visit.account.name, visit.now)
        visit.record(session, "keep camera draft", f"camera {sidecar.camera}", table=sidecar.table, draft=draft.id)
    return visit.json({"draft": draft.id, "by": draft.author, "at": zoned(draft.at)})


def _sidecar(visit: Visit) -> Sidecar:
    found = sidecars.find(visit.lake, visit.path["sha256"])
    if found is None:
        raise HTTPException(404, "There is no such sidecar in the lake.")
    return found


def _draft(visit: Visit, sidecar: Sidecar) -> CameraDraft | None:
    with visit.site.database.read() as session:
        return drafts.newest(session, sidecar.table, sidecar.camera)


def _calibration(sidecar: Sidecar, draft: CameraDraft | None) -> Calibration:
    found = sidecar.calibration if draft is None else Calibration.from_json(draft.calibration)
    if not isinstance(found, Calibration):
        raise HTTPException(
            404, f"{sidecar.path} has no calibration to show: {found}. Make one with audit21 calibrate."
        )
    return found


def _seconds(visit: Visit) -> float:
    """The time of the frame that is asked for."""
    try:
        seconds = float(visit.query.get("seconds", "0"))
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= stills.LATEST_S:
        raise HTTPException(404, f"seconds: expected a number from 0 to {stills.LATEST_S}.")
    return seconds


def _download(sidecar: Sidecar, draft: CameraDraft | None) -> Response:
    content = json.dumps(sidecar.with_calibration(draft), indent=1) + "\n"
    return Response(content, media_type="application/json", headers=disposition(PurePath(sidecar.path).name))
