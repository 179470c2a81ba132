"""One round of a lake, judged again from the evidence in custody."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from pipelines import carry as carries
from pipelines.align.align import align
from pipelines.custody import Custody
from pipelines.explain import BadFile
from pipelines.judge.encode import encode
from pipelines.judge.record import Events
from pipelines.judge.shoeless import complete
from pipelines.table import Job, read_table
from pipelines.version import engine_version
from replay.audit import Audit, Reporter
from replay.audit import judge as judge_table
from replay.carry import NOTHING
from warehouse.evidence.entries import EvidenceError
from warehouse.lake import Lake, LakeError


def judge(path: Path, round_id: str) -> tuple[Audit, str]:
    """The audit of the round's table and day, with every step, and the round's name."""
    try:
        lake = Lake.open(path)
        table_id, day, name = _parts(round_id)
        job = _job(lake, table_id, day)
    except (LakeError, EvidenceError) as error:
        raise BadFile(str(error)) from None
    gathered = read_table(job).gathered
    table = job.table()
    if table is None or not len(gathered.lines):
        raise BadFile(f"{path}: nothing of table {table_id} on {day} is in the lake")
    shown = complete(gathered.lines, align(gathered.lines))
    encoded = encode(shown.lines, shown.order, shown.corrected)
    if name not in encoded.rounds:
        first, last = encoded.rounds[:1] or ["none"], encoded.rounds[-1:]
        raise BadFile(f"{path}: {table_id} has no round {name} on {day}; there are {' to '.join([*first, *last])}")
    events: Any = Events(shown.lines, shown.corrected)
    judged = judge_table(
        job.floor, table, replace(encoded, events=events), job.before, shown.context(encoded.rounds), trace=True
    )
    reporter = Reporter(table, judged.encoded)
    settled = tuple(reporter.settlement(line) for line in judged.verdicts.settlements)
    return Audit(**vars(judged), settlements=settled, findings=tuple(reporter.findings(judged))), name


def _parts(round_id: str) -> tuple[str, date, str]:
    """Table, gaming day and name of a round."""
    table_id, _, rest = round_id.partition("/")
    day, _, name = rest.partition("/")
    try:
        if name:
            return table_id, date.fromisoformat(day), name
    except ValueError:
        pass
    raise BadFile(f"{round_id}: no round; expected <table>/<gaming_day>/<round>, such as P21-04/2026-01-05/17")


def _job(lake: Lake, table_id: str, day: date) -> Job:
    custody, snapshot = Custody(lake.path), lake.snapshot()
    floor_sha256 = custody.floor(day)
    if floor_sha256 is None or day not in snapshot.days:
        days = list(snapshot.days)
        raise BadFile(f"{lake.path}: {day} is not in the lake; there are {days[0]} to {days[-1]}")
    earlier = [each for each in snapshot.days if each < day]
    before = carries.from_frame(lake.read("carry", snapshot, [max(earlier)])) if earlier else NOTHING
    records = [record for record in custody.records(day) if record.table == table_id]
    return Job(
        day=day,
        table_id=table_id,
        records=records,
        chains=[custody.chain(record) for record in records],
        floor_path=custody.raw(floor_sha256),
        before=before,
        engine_version=engine_version(),
    )
