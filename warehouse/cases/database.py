"""The database of cases: SQLite or PostgreSQL, opened, made and checked."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.orm import Session

from warehouse.cases import forms
from warehouse.cases.errors import CasesError

# Held while the activity log grows, and while the tables are made: one writer at a time.
LOG_LOCK: Final = 2_121_001
_MAKE_LOCK: Final = 2_121_002
_BUSY_SECONDS: Final = 15
_OWNER_ONLY: Final = 0o600
_NONE: Final = "has no cases; expected the database that audit21 serve keeps"


class Database:
    """Sessions for reading and for writing. A writer's changes are there as a whole, or not at all.

    One that is not there yet is made, unless ``create`` is False; one of an older form is brought forward.
    """

    def __init__(self, url: str | Path, *, create: bool = True) -> None:
        self.url = _url(url)
        if not create and self.url.get_backend_name() == "sqlite" and not Path(self.url.database or "").is_file():
            raise CasesError(f"{self}: {_NONE}")
        self._engine = _engine(self.url)
        self._writing = self._engine.execution_options(writes=True)
        self._noting = self._writing.execution_options(waits_for_disk=False)
        try:
            _keep_private(self.url)
            self._make(create)
        except DBAPIError as error:
            raise CasesError(f"{self}: cannot be used: {error.orig}") from error
        except OSError as error:
            raise CasesError(f"{self}: cannot be used: {error.strerror}") from error
        finally:
            self._engine.dispose()  # a server that forks or fails has no connection left over

    def __str__(self) -> str:
        return self.url.render_as_string(hide_password=True)

    @contextmanager
    def read(self) -> Iterator[Session]:
        """To look things up; nothing is kept of what is changed in it."""
        with Session(self._engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self, *, waits_for_disk: bool = True) -> Iterator[Session]:
        """To change things: kept when the block ends well, else undone as a whole.

        What need not wait for the disk is there for everyone at once; a power failure within moments may undo it.
        """
        engine = self._writing if waits_for_disk else self._noting
        with Session(engine, expire_on_commit=False) as session, session.begin():
            yield session

    def close(self) -> None:
        """Let go of all connections."""
        self._engine.dispose()

    def _make(self, create: bool) -> None:
        with self._engine.execution_options(writes=True).begin() as con:
            if con.dialect.name == "postgresql":
                con.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MAKE_LOCK})
            found = forms.found(con)
            if found is None and not create:
                raise CasesError(f"{self}: {_NONE}")
            if found is None:
                forms.make(con)
            elif found in forms.OLDER:
                forms.bring_forward(con, found)
            elif found != forms.FORM:
                expected = f"expected {forms.FORM} or an older one"
                raise CasesError(f"{self}: found tables of form {found}, {expected}: use the audit21 that made them")


def _url(url: str | Path) -> URL:
    if isinstance(url, Path):
        return URL.create("sqlite", database=str(url.absolute()))
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise CasesError(f"{url}: expected a path, sqlite:///PATH or postgresql://USER@HOST/DATABASE") from None
    kind = parsed.get_backend_name()
    if kind == "postgresql":
        return parsed.set(drivername="postgresql+psycopg")
    if kind == "sqlite" and parsed.database:
        return parsed
    raise CasesError(f"{url}: expected a path, sqlite:///PATH or postgresql://USER@HOST/DATABASE")


def _keep_private(url: URL) -> None:
    """Let nobody but its owner read a SQLite file. SQLite gives the files beside it (-wal, -shm) the same mode."""
    if url.get_backend_name() != "sqlite" or url.database == ":memory:":
        return
    path = Path(url.database or "")
    path.touch(_OWNER_ONLY)
    for each in (path, *(path.with_name(path.name + ending) for ending in ("-wal", "-shm"))):
        with suppress(FileNotFoundError, PermissionError):  # gone meanwhile, or another user's to decide
            each.chmod(_OWNER_ONLY)


def _engine(url: URL) -> Engine:
    if url.get_backend_name() == "postgresql":
        engine = create_engine(url, pool_pre_ping=True)
        event.listen(engine, "begin", _begin_postgresql)
        return engine
    engine = create_engine(url, connect_args={"timeout": _BUSY_SECONDS})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    """Readers do not wait for a writer; what is told as done is on disk; transactions begin where we say so."""
    connection.isolation_level = None
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    """A writer waits for its turn at once; begun as a reader it could only fail later."""
    options = connection.get_execution_options()
    if options.get("writes"):
        level = "FULL" if options.get("waits_for_disk", True) else "NORMAL"
        connection.exec_driver_sql(f"PRAGMA synchronous = {level}")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("writes") else "BEGIN")


def _begin_postgresql(connection: Connection) -> None:
    if not connection.get_execution_options().get("waits_for_disk", True):
        connection.exec_driver_sql("SET LOCAL synchronous_commit = off")
