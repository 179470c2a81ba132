"""The pages that the head of every page leads to."""

from typing import Final, NamedTuple

from dashboards.web.permissions import Permission
from dashboards.web.visit import Visit


class NavigationPlace(NamedTuple):
    """A page in the navigation, for those who may see it."""

    label: str
    path: str
    permission: Permission
    holds: tuple[str, ...] = ()  # paths of pages that are reached from it


PLACES: Final = (
    NavigationPlace("Open findings", "/open", Permission.SEE_FLOOR),
    NavigationPlace("Triage", "/triage", Permission.SEE_FLOOR, ("/findings/",)),
    NavigationPlace("Tables", "/tables", Permission.SEE_FLOOR, ("/shoes", "/rounds/")),
    NavigationPlace("Audit", "/audit", Permission.SEE_AUDIT),
    NavigationPlace("Dealers", "/dealers", Permission.SEE_FLOOR),
    NavigationPlace("Devices", "/devices", Permission.SEE_FLOOR),
    NavigationPlace("Cases", "/cases", Permission.SEE_CASES, ("/rounds/", "/findings/")),
    NavigationPlace("Activity", "/activity", Permission.SEE_ACTIVITY),
    NavigationPlace("Accounts", "/accounts", Permission.MANAGE_ACCOUNTS),
    NavigationPlace("Cameras", "/cameras", Permission.SET_UP_CAMERAS),
)


def places(visit: Visit) -> list[NavigationPlace]:
    """Return the places in the navigation that this visitor may open."""
    return [place for place in PLACES if visit.may(place.permission)]


def current(visit: Visit) -> NavigationPlace | None:
    """The place that a page belongs to, of those that the visitor has."""
    path = visit.request.url.path
    return next((place for place in places(visit) if path.startswith((place.path, *place.holds))), None)


def start(visit: Visit) -> str:
    """The page that somebody begins with."""
    return places(visit)[0].path
