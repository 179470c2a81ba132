"""The sensors: new files in the landing zone make runs; snapshots that the catalog does not show make it anew."""

import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Final

import dagster as dg

from pipelines.custody.landing import FLOOR, Landing, LandingError, LandingFile, look
from pipelines.defs.assets import DAYS
from pipelines.defs.jobs import catalog, nightly
from pipelines.defs.resources import Places, missing, places
from pipelines.defs.tags import run_tags
from pipelines.version import engine_version, reader_version

EVERY_S: Final = 60
SETTLED_S: Final = 30  # a file that changed less long ago may still be written
MOST_A_TICK: Final = 25
UNDER_WAY: Final = [dg.DagsterRunStatus.QUEUED, dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED]

Marks = dict[str, str]


# On from the start: whoever names a landing zone and a lake wants what comes there audited, and the same tick twice
# asks for nothing twice.
@dg.sensor(job=nightly, minimum_interval_seconds=EVERY_S, default_status=dg.DefaultSensorStatus.RUNNING)
def landing_sensor(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
    """Requests a run for every gaming day with new files, a changed floor.toml, or an engine that it was not judged by.

    Files with a dotted name, or that changed less than half a minute ago, wait for the next tick.
    """
    found = places()
    if found is None:
        return dg.SkipReason(missing())
    try:
        return _tick(context, found, time.time())
    except LandingError as error:
        return dg.SkipReason(str(error))


def _tick(context: dg.SensorEvaluationContext, found: Places, now_s: float) -> dg.SensorResult:
    seen: Marks = json.loads(context.cursor or "{}")
    zone = look(found.landing)
    marks = _marks(zone)
    changed = sorted(day for day, mark in marks.items() if seen.get(day) != mark)
    unsettled = {file.day.isoformat() for file in zone.files if abs(now_s - file.mtime_ns / 1e9) < SETTLED_S}
    requests, looked_at = _requests(found, [day for day in changed if day not in unsettled])
    waiting = sorted(unsettled.intersection(changed))
    seen = {day: mark for day, mark in seen.items() if day in marks} | {day: marks[day] for day in looked_at}
    fresh = [day for day in looked_at if not context.instance.has_dynamic_partition(str(DAYS.name), day)]
    return dg.SensorResult(
        run_requests=requests,
        skip_reason=None if requests else _nothing(len(marks), waiting),
        cursor=json.dumps(seen),
        dynamic_partitions_requests=[DAYS.build_add_request(fresh)] if fresh else [],
    )


def _nothing(days: int, waiting: list[str]) -> str:
    if waiting:
        return f"files of {', '.join(waiting)} changed less than {SETTLED_S} s ago: they wait for the next tick"
    return f"nothing new in {days} gaming days"


def _requests(found: Places, days: list[str]) -> tuple[list[dg.RunRequest], list[str]]:
    """Runs for the days that have to be audited, oldest first and not too many at once; and the days looked at."""
    if not days:
        return [], []
    works = found.works()
    requests: list[dg.RunRequest] = []
    looked_at = []
    for day in map(date.fromisoformat, days):
        if len(requests) == MOST_A_TICK:
            break
        looked_at.append(day.isoformat())
        if reason := works.reason(day):
            key, tags = f"{day} {works.fingerprint(day)}", run_tags(found, reason, day)
            requests.append(dg.RunRequest(key, partition_key=day.isoformat(), tags=tags))
    return requests, looked_at


def _marks(zone: Landing) -> Marks:
    """A short hash of everything that may be a reason to audit a day, by day."""
    floor = (zone.root / FLOOR).stat()
    common = f"{engine_version()} {floor.st_size} {floor.st_mtime_ns}"
    files: defaultdict[str, list[LandingFile]] = defaultdict(list)
    for file in zone.files:
        files[file.day.isoformat()].append(file)
    return {day: _mark(common, found) for day, found in files.items()}


def _mark(common: str, files: Iterable[LandingFile]) -> str:
    digest = hashlib.sha256(common.encode())
    for file in files:
        if file.source == "footage":
            digest.update(reader_version().encode())
        digest.update(f"\n{file.path} {file.bytes} {file.mtime_ns}".encode())
    return digest.hexdigest()[:16]


@dg.sensor(job=catalog, minimum_interval_seconds=EVERY_S, default_status=dg.DefaultSensorStatus.RUNNING)
def catalog_sensor(context: dg.SensorEvaluationContext) -> dg.RunRequest | dg.SkipReason:
    """After a backfill, when no run is under way: makes the catalog anew if it is older than the newest snapshot."""
    since = datetime.now(UTC) - timedelta(days=1)
    busy = context.instance.get_runs(dg.RunsFilter(statuses=UNDER_WAY, updated_after=since), limit=1)
    if busy:
        return dg.SkipReason("runs are under way; the catalog waits for them")
    newest, shown = (_newest(context.instance, name) for name in ("snapshot", "catalog"))
    if newest <= shown:
        return dg.SkipReason("the catalog shows the newest snapshot")
    return dg.RunRequest(run_key=f"after {newest}")


def _newest(instance: dg.DagsterInstance, asset: str) -> int:
    """The number in the event log of an asset's newest materialization, 0 where there is none."""
    found = instance.fetch_materializations(dg.AssetKey(asset), limit=1).records
    return found[0].storage_id if found else 0
