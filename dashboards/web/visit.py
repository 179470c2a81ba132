"""One request, as the pages see it: who asks, for what, and how to answer."""

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from functools import cached_property
from typing import Any, Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from dashboards.lake.house import NOWHERE, House
from dashboards.lake.pinned import Pinned
from dashboards.web import cookies, words
from dashboards.web.numbers import whole
from dashboards.web.permissions import Permission, of_roles
from dashboards.web.site import Site
from warehouse.cases import activity
from warehouse.cases.activity import Actor
from warehouse.cases.sessions import Person, Running
from warehouse.cases.words import REGULATOR
from warehouse.lake import LakeError

THEMES: Final = ("light", "dark")


@dataclass
class Visit:
    """A request that was let in. Its snapshot of the lake stays the same to its end."""

    request: Request
    site: Site
    signed_in: Running | None
    form: FormData = field(default_factory=FormData)

    # Who asks.

    @property
    def account(self) -> Person:
        """The account; only pages that are not public may ask."""
        if self.signed_in is None:
            raise HTTPException(401)
        return self.signed_in.account

    @property
    def roles(self) -> frozenset[str]:
        """The roles of the account; none for a stranger."""
        return self.signed_in.account.roles if self.signed_in else frozenset()

    @cached_property
    def permissions(self) -> frozenset[Permission]:
        """Return the visitor's permissions."""
        return of_roles(self.roles)

    def may(self, permission: Permission | str) -> bool:
        """Return whether the visitor has a permission; templates give its name."""
        return (Permission[permission] if isinstance(permission, str) else permission) in self.permissions

    @property
    def is_regulator(self) -> bool:
        """Return whether the visitor is a regulator, who sees shared cases only."""
        return REGULATOR in self.roles

    @property
    def address(self) -> str:
        """Return the client's IP address, empty if unknown."""
        return self.request.client.host if self.request.client else ""

    @property
    def actor(self) -> Actor:
        """Return the account name and IP address for the activity log."""
        return Actor(self.signed_in.account.name if self.signed_in else "", self.address)

    # What is asked for.

    @property
    def query(self) -> Mapping[str, str]:
        """The query of the address."""
        return self.request.query_params

    @property
    def path(self) -> Mapping[str, Any]:
        """The parameters in the path."""
        return self.request.path_params

    def text(self, name: str, default: str = "") -> str:
        """A field of the form."""
        value = self.form.get(name, default)
        return value if isinstance(value, str) else default

    def texts(self, name: str) -> list[str]:
        """A field of the form that comes several times."""
        return [value for value in self.form.getlist(name) if isinstance(value, str)]

    @property
    def wants_json(self) -> bool:
        """Return whether the request accepts JSON, so comes from a script."""
        return "application/json" in self.request.headers.get("Accept", "")

    @property
    def keeps_form(self) -> bool:
        """Return whether the page's script sent the form; it keeps the entries should the form be refused."""
        return "X-Keeps-Form" in self.request.headers

    @property
    def now(self) -> datetime:
        """The time."""
        return self.site.now()

    @cached_property
    def lake(self) -> Pinned:
        """The snapshot that the address names (``snapshot=7``), or the newest; the same one for the whole request."""
        named = self.query.get("snapshot")
        number = None if named is None else whole(named)
        if named is not None and number is None:
            raise HTTPException(404, f"{named!r} is no snapshot; expected a number.")
        try:
            return self.site.lake.pin(number)
        except LakeError as error:
            raise HTTPException(404, str(error)) from error

    @property
    def is_pinned(self) -> bool:
        """Return whether the address names the snapshot, so that its page never changes."""
        return "snapshot" in self.query

    def day(self, named: str | None = None) -> date:
        """The gaming day that the address names (``day=2026-01-05``), or the newest of the snapshot."""
        named = named or self.query.get("day")
        days = self.lake.days
        if named is None:
            if not days:
                raise HTTPException(404, "No gaming day has been published yet; audit21 run does that.")
            return days[-1]
        try:
            day = date.fromisoformat(named)
        except ValueError:
            raise HTTPException(404, f"{named!r} is no gaming day; expected one such as 2026-01-05.") from None
        if day not in days:
            raise HTTPException(404, f"{day} is not in snapshot {self.lake.number} of the lake.")
        return day

    def permalink(self, **changes: object) -> str:
        """This view with its snapshot named, and parameters changed, or left out where None."""
        return self.link(**{"snapshot": self.lake.number, **changes})

    def link(self, **changes: object) -> str:
        """This view with parameters changed, or left out where None; a list comes several times."""
        kept = [(name, value) for name, value in self._asked if name not in changes]
        for name, value in changes.items():
            values = value if isinstance(value, list | tuple) else [] if value is None else [value]
            kept += [(name, str(each)) for each in values]
        return self._own_path + (f"?{urlencode(kept)}" if kept else "")

    @cached_property
    def _asked(self) -> list[tuple[str, str]]:
        return self.request.query_params.multi_items()

    @cached_property
    def _own_path(self) -> str:
        return self.request.url.path

    # How it is answered.

    @property
    def expected_token(self) -> str | None:
        """The token that a change has to bring; None where the browser never got one."""
        return self.signed_in.csrf if self.signed_in else cookies.form_token(self.request)

    @cached_property
    def csrf(self) -> str:
        """The token that every form carries."""
        return self.expected_token or cookies.new_token()

    @cached_property
    def house(self) -> House:
        """The property; one without name or zone where the lake cannot be read."""
        try:
            return self.site.houses.of(self.lake)
        except (LakeError, HTTPException, OSError):
            return NOWHERE

    @property
    def shows_utc(self) -> bool:
        """Tell whether the visitor wants times in UTC, not in the property's zone."""
        return self.request.cookies.get(cookies.ZONE) == "utc"

    @property
    def zone(self) -> ZoneInfo:
        """The zone of all times on the page."""
        return NOWHERE.zone if self.shows_utc else self.house.zone

    def zone_on(self, day: date) -> str:
        """Return the short name of that zone on a gaming day: ``EST``."""
        return words.zone_name(datetime.combine(day, time(12), self.zone))

    def fill(self, template: str, /, **context: object) -> str:
        """A template, filled in."""
        theme = self.request.cookies.get(cookies.THEME)
        known = {"visit": self, "theme": theme if theme in THEMES else None, "csrf": self.csrf}
        with words.times_in(self.zone):
            return self.site.templates.get_template(template).render(**known, **context)

    def render(self, template: str, status: int = 200, /, **context: object) -> Response:
        """A page."""
        response = HTMLResponse(self.fill(template, **context), status)
        if self.signed_in is None:
            cookies.set_form_token(self.request, response, self.csrf)
        return response

    def json(self, data: object, status: int = 200) -> Response:
        """An answer for a script."""
        return JSONResponse(data, status)

    def packed_json(self, packed: bytes) -> Response:
        """An answer that ``pack_json`` made for everybody who asks."""
        takes_gzip = "gzip" in self.request.headers.get("Accept-Encoding", "")
        headers = {"Vary": "Accept-Encoding"} | ({"Content-Encoding": "gzip"} if takes_gzip else {})
        return Response(packed if takes_gzip else gzip.decompress(packed), 200, headers, "application/json")

    def redirect(self, url: str) -> Response:
        """Go on elsewhere, after a change; a script that sent a form is told where."""
        return self.json({"location": url}) if self.keeps_form else RedirectResponse(url, 303)

    def record(self, session: Session, action: str, subject: str = "", **details: object) -> None:
        """Record this transaction's action in the activity log."""
        activity.record(session, self.actor, self.now, action, subject, details)


def pack_json(data: object) -> bytes:
    """An answer for a script, compressed: the same data give the same bytes."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return gzip.compress(text.encode(), 6, mtime=0)
