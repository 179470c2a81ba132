"""Calibrations of cameras as somebody left them on the set-up page, until they are taken into a sidecar."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from warehouse.cases.models import CameraDraft


def newest(session: Session, table_id: str, camera: str) -> CameraDraft | None:
    """Return the last draft of a table's camera set-up."""
    query = select(CameraDraft).where(CameraDraft.table_id == table_id, CameraDraft.camera == camera)
    return session.scalar(query.order_by(CameraDraft.id.desc()).limit(1))


def keep(
    session: Session, table_id: str, camera: str, calibration: Mapping[str, Any], author: str, now: datetime
) -> CameraDraft:
    """Keep a calibration; the earlier ones stay."""
    draft = CameraDraft(table_id=table_id, camera=camera, calibration=dict(calibration), author=author, at=now)
    session.add(draft)
    session.flush()
    return draft
