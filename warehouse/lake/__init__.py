"""The lake: one Delta table per dataset, written a gaming day at a time, published together, read by snapshot."""

from warehouse.lake.errors import LakeBusy as LakeBusy
from warehouse.lake.errors import LakeError as LakeError
from warehouse.lake.lake import Diff as Diff
from warehouse.lake.lake import Lake as Lake
from warehouse.lake.parts import LakePart as LakePart
from warehouse.lake.parts import Staged as Staged
from warehouse.lake.snapshots import DayState as DayState
from warehouse.lake.snapshots import Snapshot as Snapshot
from warehouse.lake.snapshots import SnapshotMeta as SnapshotMeta
from warehouse.lake.stage import StagedDay as StagedDay
