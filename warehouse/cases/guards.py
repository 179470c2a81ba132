"""Triggers by which the database refuses changes to rows of the activity log, of disputes and of statements."""

from typing import Final

from sqlalchemy import Connection, text

_ONLY_ADDED: Final = ("case_disputes", "case_statements")

_LOG_SQLITE: Final = (
    """
    CREATE TRIGGER activity_is_never_changed BEFORE UPDATE ON activity
    BEGIN SELECT RAISE(ABORT, 'activity is append-only: no row may be changed'); END
    """,
    """
    CREATE TRIGGER activity_is_never_removed BEFORE DELETE ON activity
    BEGIN SELECT RAISE(ABORT, 'activity is append-only: no row may be removed'); END
    """,
    # INSERT OR REPLACE removes a row without a word to the trigger above.
    """
    CREATE TRIGGER activity_goes_on BEFORE INSERT ON activity
    WHEN NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM activity)
        OR NEW.previous <> coalesce((SELECT hash FROM activity ORDER BY number DESC LIMIT 1), '')
    BEGIN SELECT RAISE(ABORT, 'activity is append-only: a row must follow the last one'); END
    """,
)

_LOG_POSTGRESQL: Final = (
    """
    CREATE FUNCTION activity_refuses() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'activity is append-only: no row may be changed or removed'; END $$
    """,
    """
    CREATE TRIGGER activity_is_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON activity
    FOR EACH STATEMENT EXECUTE FUNCTION activity_refuses()
    """,
    """
    CREATE FUNCTION activity_follows() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM activity)
            OR NEW.previous <> coalesce((SELECT hash FROM activity ORDER BY number DESC LIMIT 1), '')
        THEN RAISE EXCEPTION 'activity is append-only: a row must follow the last one'; END IF;
        RETURN NEW;
    END $$
    """,
    """
    CREATE TRIGGER activity_goes_on BEFORE INSERT ON activity
    FOR EACH ROW EXECUTE FUNCTION activity_follows()
    """,
)

_TABLE_SQLITE: Final = (
    """
    CREATE TRIGGER {table}_never_change BEFORE UPDATE ON {table}
    BEGIN SELECT RAISE(ABORT, '{table} is append-only: no row may be changed'); END
    """,
    """
    CREATE TRIGGER {table}_never_go BEFORE DELETE ON {table}
    BEGIN SELECT RAISE(ABORT, '{table} is append-only: no row may be removed'); END
    """,
    """
    CREATE TRIGGER {table}_are_new BEFORE INSERT ON {table}
    WHEN EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id)
    BEGIN SELECT RAISE(ABORT, '{table} is append-only: no row may be replaced'); END
    """,
)

_TABLE_POSTGRESQL: Final = (
    """
    CREATE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION '{table} is append-only: no row may be changed or removed'; END $$
    """,
    """
    CREATE TRIGGER {table}_never_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION {table}_refuse()
    """,
)


def guard_log(con: Connection) -> None:
    """Let the activity log grow at its end only."""
    for statement in _LOG_SQLITE if con.dialect.name == "sqlite" else _LOG_POSTGRESQL:
        con.execute(text(statement))


def guard_disputes(con: Connection) -> None:
    """Let disputes and statements be added only."""
    for statement in _TABLE_SQLITE if con.dialect.name == "sqlite" else _TABLE_POSTGRESQL:
        for table in _ONLY_ADDED:
            con.execute(text(statement.format(table=table)))
