"""A small lake with everything that the evidence chain speaks of, made without the pipeline."""

import gzip
import hashlib
from datetime import UTC, date, datetime
from pathlib import Path

from warehouse.evidence import checkpoint, keys
from warehouse.evidence.entries import Custody, FileRecord, Published, PublishedPart, SignOff
from warehouse.evidence.files import fingerprint
from warehouse.evidence.log import EvidenceLog

DAYS = ("2026-01-05", "2026-01-06", "2026-01-07")
TIME = datetime(2026, 1, 8, 7, tzinfo=UTC)
AT = "2026-01-08T07:00:00.000Z"
FLOOR = b'[property]\nname = "Harbour Casino"\n'


def landing_files(day: str) -> dict[str, bytes]:
    """Two sources of one table; the shoe's file comes compressed."""
    lines = b"".join(b'{"day":"%s","seq":%d}\n' % (day.encode(), seq) for seq in range(20))
    return {
        f"{day}/P21-01/shoe.ndjson.gz": gzip.compress(lines.replace(b"seq", b"n"), mtime=0),
        f"{day}/P21-01/terminal.ndjson": lines,
    }


def take(lake: Path, name: str, content: bytes) -> FileRecord:
    """Copy a landing file into raw/ and give its record."""
    path = lake / "raw" / hashlib.sha256(content).hexdigest()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    found = fingerprint(path, name)
    return FileRecord(path=name, sha256=found.sha256, bytes=found.bytes, lines=found.lines, line_root=found.line_root)


def put_part(lake: Path, dataset: str, day: str) -> PublishedPart:
    """A part of a dataset; its bytes stand for Parquet."""
    content = f"{dataset} of {day}".encode() * 20
    path = lake / dataset / f"gaming_day={day}" / "part.parquet"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    sha256 = hashlib.sha256(content).hexdigest()
    name = str(path.relative_to(lake))
    return PublishedPart(path=name, sha256=sha256, bytes=len(content), rows=1, first="P21-01", last="P21-01")


def add_day(lake: Path, day: str, snapshot: int) -> Path:
    """Take in a day, publish it, sign the log; gives the checkpoint."""
    log, keyring = EvidenceLog(lake / "evidence"), keys.keyring(lake)
    keys.announce(log, keyring)
    files = [take(lake, name, content) for name, content in sorted(landing_files(day).items())]
    log.append(Custody(kind="custody", gaming_day=day, floor=take(lake, "floor.toml", FLOOR), files=files))
    parts = {dataset: [put_part(lake, dataset, day)] for dataset in ("findings", "rounds")}
    log.append(
        Published(
            kind="published",
            at=AT,
            gaming_day=day,
            snapshot=snapshot,
            run_id="run",
            inputs="0" * 64,
            carry_in="",
            carry_out="",
            engine_version="1",
            reason="first audit",
            restates=False,
            versions={"findings": snapshot, "rounds": snapshot},
            parts=parts,
        )
    )
    log.append(SignOff(kind="signoff", at=AT, gaming_day=day, snapshot=snapshot, by="A. Auditor", note=""))
    return checkpoint.issue(log, keyring, date.fromisoformat(day), TIME)


def make(lake: Path) -> Path:
    """Three days."""
    for snapshot, day in enumerate(DAYS):
        add_day(lake, day, snapshot)
    return lake
