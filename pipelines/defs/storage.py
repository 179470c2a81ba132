"""Dagster's SQLite storage, quicker for one process that runs day after day.

The files are Dagster's own, so that its web page reads the history. Dagster opens an engine for every statement, so
that each is compiled anew and waits for the disk; here engines and connections stay open, at a third of the time.
"""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, Self

from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.runs import SqliteRunStorage
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from dagster._serdes import ConfigurableClassData
from sqlalchemy import Connection, Engine, create_engine, event

_MOST_ENGINES: Final = 4  # the index, the run under way, and room


class _Engines:
    """Open engines by the address of their database, the least used closed first."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, Engine] = OrderedDict()

    def get(self, address: str) -> Engine:
        if address not in self._open:
            engine = create_engine(address, connect_args={"timeout": SQLITE_BUSY_TIMEOUT_SECONDS})
            event.listen(engine, "connect", _wait_less)
            self._open[address] = engine
        self._open.move_to_end(address)
        while len(self._open) > _MOST_ENGINES:
            self._open.popitem(last=False)[1].dispose()
        return self._open[address]

    def close(self) -> None:
        while self._open:
            self._open.popitem()[1].dispose()


def _wait_less(connection: Any, _record: Any) -> None:
    """Do not wait for the disk: a killed process loses nothing by it, a power cut the last lines of history."""
    connection.execute("PRAGMA synchronous=NORMAL")


class EventLog(SqliteEventLogStorage):
    """Events of runs: one database per run, and an index of what concerns assets."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines = _Engines()
        self._partitions: set[tuple[str, str]] = set()
        super().__init__(base_dir, inst_data)

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Any) -> Self:
        return cls(inst_data=inst_data, **config_value)

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._db_lock:
            engine = self._engines.get(self.conn_string_for_shard(shard))
            if shard not in self._initialized_dbs:
                self._initdb(engine)
                self._initialized_dbs.add(shard)
            with engine.begin() as connection:
                yield connection

    def has_dynamic_partition(self, partitions_def_name: str, partition_key: str) -> bool:
        """Asked some fifty times a run: what was there once is taken to be there still."""
        wanted = (partitions_def_name, partition_key)
        if wanted not in self._partitions and super().has_dynamic_partition(*wanted):
            self._partitions.add(wanted)
        return wanted in self._partitions

    def dispose(self) -> None:
        self._engines.close()
        super().dispose()


class Runs(SqliteRunStorage):
    """Runs with their tags and status."""

    def __init__(self, conn_string: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines = _Engines()
        super().__init__(conn_string, inst_data)

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Any) -> Self:
        return cls.from_local(inst_data=inst_data, **config_value)

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        with self._engines.get(self._conn_string).begin() as connection:
            yield connection

    def dispose(self) -> None:
        self._engines.close()
        super().dispose()
