"""What keeps the activity log append-only, in the database itself: rows can be added at its end and nothing else."""

from typing import Final

SQLITE: Final = (
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

POSTGRESQL: Final = (
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
