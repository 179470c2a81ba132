"""The tables of the database of cases. Times are UTC; ids are never used twice."""

from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Dialect, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy import DateTime as SqlDateTime
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship
from sqlalchemy.types import TypeDecorator

from warehouse.cases.words import ITEM_KINDS, ROLES, STATUSES


class Time(TypeDecorator[datetime]):
    """A time in UTC, also where the database knows no time zones."""

    impl = SqlDateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """To the database: a time without a zone is a mistake of ours."""
        if value is not None and value.tzinfo is None:
            raise ValueError(f"found the time {value} without a zone, expected one in UTC")
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """From the database."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Base(DeclarativeBase):
    """All tables."""

    type_annotation_map = {datetime: Time, dict[str, Any]: JSON}  # noqa: RUF012 - as SQLAlchemy declares it


def _one_of(column: str, words: tuple[str, ...]) -> CheckConstraint:
    listed = ", ".join(f"'{word}'" for word in words)
    return CheckConstraint(f"{column} IN ({listed})", name=f"{column}_is_known")


class Meta(Base):
    """One row: which form the tables have."""

    __tablename__ = "meta"
    form: Mapped[int] = mapped_column(primary_key=True)


class Account(Base):
    """Somebody who may sign in. Accounts are disabled, never deleted: the log names them."""

    __tablename__ = "accounts"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)
    full_name: Mapped[str] = mapped_column(String(200))
    password: Mapped[str | None] = mapped_column(String(200))
    disabled: Mapped[bool] = mapped_column(default=False)
    created: Mapped[datetime]
    invited_by: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"))  # who made the link to its password
    confirmed_by: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"))  # another admin, who knows the person
    roles: Mapped[list["AccountRole"]] = relationship(
        lazy="selectin", cascade="all, delete-orphan", order_by="AccountRole.role"
    )


class AccountRole(Base):
    """A role of an account."""

    __tablename__ = "account_roles"
    __table_args__ = (_one_of("role", ROLES),)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    role: Mapped[str] = mapped_column(String(20), primary_key=True)


class Invitation(Base):
    """A one-time link with which an account gets a password; only the hash of its token is kept."""

    __tablename__ = "invitations"
    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    account_id: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"))
    made: Mapped[datetime]
    expires: Mapped[datetime]
    used: Mapped[datetime | None]


class SignedIn(Base):
    """A session; only the hash of its id is kept."""

    __tablename__ = "sessions"
    id_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), index=True)
    csrf: Mapped[str] = mapped_column(String(64))
    began: Mapped[datetime]
    last_seen: Mapped[datetime]
    address: Mapped[str] = mapped_column(String(64))


class Attempt(Base):
    """A failed attempt to sign in."""

    __tablename__ = "attempts"
    __table_args__ = (Index("attempts_by_name", "name", "at"), Index("attempts_by_address", "address", "at"))
    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    name: Mapped[str] = mapped_column(String(80))
    address: Mapped[str] = mapped_column(String(64))


class ActivityRecord(Base):
    """A row of the activity log: a chain that only grows."""

    __tablename__ = "activity"
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    at: Mapped[datetime] = mapped_column(index=True)
    account: Mapped[str] = mapped_column(String(80), index=True)
    address: Mapped[str] = mapped_column(String(64))
    action: Mapped[str] = mapped_column(String(60))
    subject: Mapped[str] = mapped_column(String(300), index=True)
    details: Mapped[str]
    previous: Mapped[str] = mapped_column(String(64))
    hash: Mapped[str] = mapped_column(String(64))


class FindingChange(Base):
    """A status that somebody gave a finding; the newest one counts. ``batch`` is what was done at one stroke."""

    __tablename__ = "finding_changes"
    __table_args__ = (_one_of("status", STATUSES), Index("finding_changes_of_day", "gaming_day", "finding_id"))
    number: Mapped[int] = mapped_column(primary_key=True)
    finding_id: Mapped[str] = mapped_column(String(64), index=True)
    gaming_day: Mapped[date]
    status: Mapped[str] = mapped_column(String(20))
    note: Mapped[str]
    author: Mapped[str] = mapped_column(String(80))
    at: Mapped[datetime]
    batch: Mapped[str] = mapped_column(String(32), index=True)
    undoes: Mapped[str | None] = mapped_column(String(32))


class SavedFilter(Base):
    """A view that somebody kept under a name."""

    __tablename__ = "saved_filters"
    __table_args__ = (UniqueConstraint("account_id", "page", "name"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    page: Mapped[str] = mapped_column(String(40))
    name: Mapped[str] = mapped_column(String(80))
    query: Mapped[str] = mapped_column(String(2000))


class Case(Base):
    """Rounds and findings that somebody looks into, with notes, a dispute, and shared with regulators or not."""

    __tablename__ = "cases"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str] = mapped_column(String(200))
    opened_by: Mapped[str] = mapped_column(String(80))
    opened: Mapped[datetime]
    closed: Mapped[datetime | None]
    items: Mapped[list["CaseItem"]] = relationship(order_by="CaseItem.id")
    notes: Mapped[list["CaseNote"]] = relationship(order_by="CaseNote.id")
    shares: Mapped[list["CaseShare"]] = relationship(order_by="CaseShare.id")
    disputes: Mapped[list["CaseDispute"]] = relationship(order_by="CaseDispute.id")
    statements: Mapped[list["CaseStatement"]] = relationship(order_by="CaseStatement.id")

    @property
    def dispute(self) -> "CaseDispute | None":
        """The dispute as it was last entered."""
        return self.disputes[-1] if self.disputes else None


class CaseItem(Base):
    """A round, or a finding that belongs to none, in a case."""

    __tablename__ = "case_items"
    __table_args__ = (_one_of("kind", ITEM_KINDS), UniqueConstraint("case_id", "kind", "ref"))
    id: Mapped[int] = mapped_column(primary_key=True)
    case_id: Mapped[int] = mapped_column(ForeignKey("cases.id"))
    kind: Mapped[str] = mapped_column(String(10))
    ref: Mapped[str] = mapped_column(String(300), index=True)
    gaming_day: Mapped[date]
    added_by: Mapped[str] = mapped_column(String(80))
    added: Mapped[datetime]


class CaseNote(Base):
    """A comment in a case."""

    __tablename__ = "case_notes"
    id: Mapped[int] = mapped_column(primary_key=True)
    case_id: Mapped[int] = mapped_column(ForeignKey("cases.id"), index=True)
    author: Mapped[str] = mapped_column(String(80))
    at: Mapped[datetime]
    text: Mapped[str]


class CaseShare(Base):
    """A regulator who may see a case, until that is revoked."""

    __tablename__ = "case_shares"
    id: Mapped[int] = mapped_column(primary_key=True)
    case_id: Mapped[int] = mapped_column(ForeignKey("cases.id"), index=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), index=True)
    shared_by: Mapped[str] = mapped_column(String(80))
    shared: Mapped[datetime]
    revoked: Mapped[datetime | None]
    account: Mapped[Account] = relationship(lazy="joined")


class CaseDispute(Base):
    """The facts of a case's dispute, as entered; the newest of a case counts, the earlier ones stay."""

    __tablename__ = "case_disputes"
    id: Mapped[int] = mapped_column(primary_key=True)
    case_id: Mapped[int] = mapped_column(ForeignKey("cases.id"), index=True)
    received: Mapped[date | None]
    complaint: Mapped[str | None]
    patron: Mapped[str | None] = mapped_column(String(80))  # number of the complainant's card, as logged
    patron_name: Mapped[str | None] = mapped_column(String(200))
    seat: Mapped[int | None]
    requested_by: Mapped[str | None] = mapped_column(String(200))
    outcome: Mapped[str | None]
    outcome_on: Mapped[date | None]
    author: Mapped[str] = mapped_column(String(80))
    at: Mapped[datetime]


class CaseStatement(Base):
    """A statement about a case's dispute, and who entered it."""

    __tablename__ = "case_statements"
    id: Mapped[int] = mapped_column(primary_key=True)
    case_id: Mapped[int] = mapped_column(ForeignKey("cases.id"), index=True)
    who: Mapped[str] = mapped_column(String(200))
    said: Mapped[str]
    said_on: Mapped[date | None]
    author: Mapped[str] = mapped_column(String(80))
    at: Mapped[datetime]


class SignOffRecord(Base):
    """One of the two people who stand by a gaming day as a snapshot shows it."""

    __tablename__ = "sign_offs"
    __table_args__ = (UniqueConstraint("gaming_day", "snapshot", "account_id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    gaming_day: Mapped[date] = mapped_column(index=True)
    snapshot: Mapped[int]
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    at: Mapped[datetime]
    note: Mapped[str]
    account: Mapped[Account] = relationship(lazy="joined")


class CameraDraft(Base):
    """A camera's calibration as somebody left it; the newest of a table's camera counts."""

    __tablename__ = "camera_drafts"
    __table_args__ = (Index("camera_drafts_of_camera", "table_id", "camera"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    table_id: Mapped[str] = mapped_column(String(80))
    camera: Mapped[str] = mapped_column(String(80))
    calibration: Mapped[dict[str, Any]]
    author: Mapped[str] = mapped_column(String(80))
    at: Mapped[datetime]
