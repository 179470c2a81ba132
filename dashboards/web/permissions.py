"""Permissions of the roles. Every route names one of these permissions, and the server checks it."""

from collections.abc import Collection, Mapping
from enum import Enum, auto
from typing import Final

from warehouse.cases.words import ADMIN, AUDIT, REGULATOR, SURVEILLANCE


class Permission(Enum):
    """A permission that a route requires."""

    PUBLIC = auto()  # anybody: signing in, and one-time links
    SIGNED_IN = auto()  # one's own account
    SEE_FLOOR = auto()  # findings, tables, shoes, dealers and devices
    SEE_ROUNDS = auto()  # a round or finding; a regulator, those of shared cases
    HANDLE_FINDINGS = auto()
    SEE_CASES = auto()  # a regulator, shared ones
    EDIT_CASES = auto()
    SHARE_CASES = auto()
    SEE_AUDIT = auto()
    SIGN_OFF = auto()
    SET_UP_CAMERAS = auto()
    SEE_ACTIVITY = auto()
    MANAGE_ACCOUNTS = auto()


P = Permission
_STAFF: Final = frozenset(
    {P.SIGNED_IN, P.SEE_FLOOR, P.SEE_ROUNDS, P.HANDLE_FINDINGS, P.SEE_CASES, P.EDIT_CASES, P.SEE_AUDIT}
)
OF_ROLE: Final[Mapping[str, frozenset[Permission]]] = {
    SURVEILLANCE: _STAFF | {P.SET_UP_CAMERAS},
    AUDIT: _STAFF | {P.SHARE_CASES, P.SIGN_OFF, P.SEE_ACTIVITY},
    REGULATOR: frozenset({P.SIGNED_IN, P.SEE_CASES, P.SEE_ROUNDS}),
    ADMIN: frozenset({P.SIGNED_IN, P.SEE_ACTIVITY, P.MANAGE_ACCOUNTS, P.SET_UP_CAMERAS}),
}
# A regulator has these only for subjects of a shared case: such routes must declare their subject.
NARROWED: Final = frozenset({P.SEE_CASES, P.SEE_ROUNDS})


def of_roles(roles: Collection[str]) -> frozenset[Permission]:
    """Return the permissions of an account with these roles."""
    return frozenset({P.PUBLIC}).union(*(OF_ROLE[role] for role in roles))
