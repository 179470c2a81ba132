"""Lakes that packets are made of."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.dashboards.packets import tables
from tests.pipelines.lakes import audited
from warehouse.lake import Lake


@pytest.fixture(scope="session", autouse=True)
def key(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A signing key of the tests' own."""
    path = tmp_path_factory.mktemp("keys") / "key.pem"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUDIT21_KEY", str(path))
        yield path


@pytest.fixture(scope="session")
def lake(tmp_path_factory: pytest.TempPathFactory, key: Path) -> Lake:
    """A table with a round of eight boxes, a progressive dispute and a void round."""
    folder = tmp_path_factory.mktemp("told")
    zone = tables.zone(folder / "zone", tables.EIGHT_BOXES, tables.PROGRESSIVE, tables.VOID)
    return audited(zone, folder / "lake")


@pytest.fixture(scope="session")
def shoeless(tmp_path_factory: pytest.TempPathFactory, key: Path) -> Lake:
    """The same table, of whose shoe nothing came in."""
    folder = tmp_path_factory.mktemp("shoeless")
    return audited(tables.zone(folder / "zone", tables.PROGRESSIVE, shoe=False), folder / "lake")
