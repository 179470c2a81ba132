"""Resources: the landing zone, the lake, and the audit run on them."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import dagster as dg

from pipelines.day.audit_run import AuditRun

LANDING: Final = "AUDIT21_LANDING"
LAKE: Final = "AUDIT21_LAKE"
WAIT_S: Final = 3600.0  # a day waits so long for other days to let go of the lake


class Places(NamedTuple):
    """The folders of an audit."""

    landing: Path
    lake: Path

    def works(self) -> AuditRun:
        """A view on them as they are now, which does not wait for the lake."""
        return AuditRun(self.landing, self.lake)


def places() -> Places | None:
    """The folders that the environment names, None where it does not name both."""
    landing, lake = os.environ.get(LANDING), os.environ.get(LAKE)
    return Places(Path(landing), Path(lake)) if landing and lake else None


def missing() -> str:
    """Say what to do where ``places`` finds none."""
    unset = " and ".join(name for name in (LANDING, LAKE) if not os.environ.get(name))
    return f"{unset} not set: name the folder of the landing zone in {LANDING}, that of the lake in {LAKE}"


class AuditResource(dg.ConfigurableResource[AuditRun]):
    """The steps of the audit on a landing zone and a lake."""

    landing: str
    lake: str
    wait_s: float = WAIT_S

    def create_resource(self, context: dg.InitResourceContext) -> AuditRun:
        """A view on both folders for one run."""
        return AuditRun(Path(self.landing), Path(self.lake), wait_s=self.wait_s, run_id=context.run_id or "")

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Generator[AuditRun, None, None]:
        """The run holds the lake from its first step to its last: no day slips between another one's steps."""
        works = self.create_resource(context)
        with works.locked():
            yield works


def from_environment() -> AuditResource:
    """The resource that looks up the folders when a run begins, so that definitions load without them."""
    return AuditResource(landing=dg.EnvVar(LANDING), lake=dg.EnvVar(LAKE))
