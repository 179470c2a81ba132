"""The closed lists of words."""

from typing import Final

SURVEILLANCE: Final = "surveillance"
AUDIT: Final = "audit"
REGULATOR: Final = "regulator"
ADMIN: Final = "admin"
ROLES: Final = (SURVEILLANCE, AUDIT, REGULATOR, ADMIN)

NEW: Final = "new"
IN_REVIEW: Final = "in review"
ESCALATED: Final = "escalated"
DISMISSED: Final = "dismissed"
STATUSES: Final = (NEW, IN_REVIEW, ESCALATED, DISMISSED)
UNRESOLVED: Final = (NEW, IN_REVIEW)

ROUND: Final = "round"
FINDING: Final = "finding"
ITEM_KINDS: Final = (ROUND, FINDING)

OPEN: Final = "open"
CLOSED: Final = "closed"
