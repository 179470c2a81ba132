"""An empty database of each kind for every test."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.warehouse.cases import postgres as postgresql
from warehouse.cases.database import Database


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL database."""
    with tempfile.TemporaryDirectory(prefix="audit21-") as folder:
        Path(folder).chmod(0o755)  # the server runs as another user
        with postgresql.running(Path(folder) / "postgres") as url:
            yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """An empty database of each kind."""
    if request.param == "sqlite":
        opened = Database(tmp_path / "cases.db")
    else:
        opened = Database(emptied(request.getfixturevalue("postgres")))
    yield opened
    opened.close()


def emptied(url: str) -> str:
    """A PostgreSQL database without its tables."""
    with psycopg.connect(url, autocommit=True) as con:
        con.execute("DROP SCHEMA public CASCADE")
        con.execute("CREATE SCHEMA public")
    return url
