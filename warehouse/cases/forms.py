"""The forms that the tables have had: how new ones are made, and older ones brought forward step by step."""

from collections.abc import Callable, Mapping
from typing import Final

from sqlalchemy import Connection, insert, inspect, select, text, update

from warehouse.cases import guards
from warehouse.cases.models import Base, CaseDispute, CaseStatement, Meta

FORM: Final = 3


def found(con: Connection) -> int | None:
    """The form of the tables that are there; None where there are none."""
    return con.scalar(select(Meta.form)) if inspect(con).has_table(Meta.__tablename__) else None


def make(con: Connection) -> None:
    """All tables, in the newest form."""
    Base.metadata.create_all(con)
    guards.guard_log(con)
    guards.guard_disputes(con)
    con.execute(insert(Meta).values(form=FORM))


def bring_forward(con: Connection, form: int) -> None:
    """Change tables of an older form into those of the newest; nothing that they hold is lost."""
    for each in range(form, FORM):
        OLDER[each](con)
    con.execute(update(Meta).values(form=FORM))


def _add_disputes(con: Connection) -> None:
    """From form 1 to 2: a case may carry a dispute and statements."""
    Base.metadata.create_all(con, [Base.metadata.tables[each.__tablename__] for each in (CaseDispute, CaseStatement)])
    guards.guard_disputes(con)


def _add_backing(con: Connection) -> None:
    """From form 2 to 3: who invited an account, as the log has it, and which other admin confirmed it."""
    for column in ("invited_by", "confirmed_by"):
        con.execute(text(f"ALTER TABLE accounts ADD COLUMN {column} INTEGER REFERENCES accounts (id)"))
    last = """
        SELECT admin.id FROM activity JOIN accounts AS admin ON admin.name = activity.account
        WHERE activity.action IN ('invite', 'reset password') AND activity.subject = 'account ' || accounts.name
        ORDER BY activity.number DESC LIMIT 1
    """
    con.execute(text(f"UPDATE accounts SET invited_by = ({last})"))


# The step that leads from each older form to the next one.
OLDER: Final[Mapping[int, Callable[[Connection], None]]] = {1: _add_disputes, 2: _add_backing}
