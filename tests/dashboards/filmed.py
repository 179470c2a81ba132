"""A table that was filmed, with tens and a missing card in its shoes, audited into a lake that keeps the film."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from pipelines.day.audit_run import AuditRun
from tests.dashboards.floor import FIRST
from tests.pipelines.footage import reels
from tests.pipelines.footage.test_stills import CALIBRATION, Notes, shoot
from tests.pipelines.lakes import now
from tests.pipelines.zones import made

TABLE = "P21-01"
_PLANTS = ("evidence.card-disagreement:2", "shoe.ten-found:1", "shoe.composition:1", "shoe.fault-play-continued:1")


@pytest.fixture(scope="session")
def filmed_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lake, made once for all modules that ask for it."""
    folder = tmp_path_factory.getbasetemp() / "filmed"
    if not folder.exists():
        folder.mkdir()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AUDIT21_KEY", str(folder / "key" / "signing-key.pem"))
            _build(folder)
    return folder / "lake"


def _build(folder: Path) -> None:
    """Build a lake with footage of grey frames, each another grey, and a sidecar that notes the cards shown."""
    zone = made(folder / "zone", tables=1, rounds=30, rulebook="md-pontoon21", plant=_PLANTS, camera=True, seed=5)
    reels.filmed(zone)
    film = next(zone.glob("2*/*/footage-1.mp4"))
    shutil.move(film, film.with_name(".reel"))
    shown = json.loads(film.with_name(".reel").read_text())["seen"]
    shoot(film, shown[-1]["time_ms"] // 1000 + 2)
    sidecar = json.loads(film.with_suffix(".json").read_text())
    film.with_suffix(".json").write_text(json.dumps({**sidecar, "calibration": CALIBRATION}))
    works = AuditRun(zone, folder / "lake", now=now, eyes=Notes())
    works.take(FIRST)
    works.audit(FIRST)
    works.publish(FIRST)
    works.catalog()
    shutil.copy(film, folder / "lake" / "raw" / hashlib.sha256(film.read_bytes()).hexdigest())
