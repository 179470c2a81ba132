"""The app: all pages behind their guards."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect
from starlette.routing import Mount

from dashboards.lake.reader import LakeReader
from dashboards.pages import (
    accounts,
    activity,
    audit,
    cameras,
    cases,
    charts,
    dealers,
    devices,
    disputes,
    findings,
    profile,
    rounds,
    rulebooks,
    setting_up,
    shoes,
    signing_in,
    tables,
    triage,
)
from dashboards.rounds.warm import warm_up
from dashboards.settings import Settings
from dashboards.web import errors, navigation, words
from dashboards.web.headers import SecurityHeaders
from dashboards.web.site import Site
from dashboards.web.static import Files
from warehouse.cases.database import Database
from warehouse.cases.errors import Refused

MODULES: Final = (
    signing_in,
    setting_up,
    profile,
    accounts,
    activity,
    cases,
    disputes,
    charts,
    findings,
    triage,
    rounds,
    tables,
    shoes,
    audit,
    dealers,
    devices,
    cameras,
    rulebooks,
)


def create_app(settings: Settings) -> Starlette:
    """The app on a lake and a database of cases; ``LakeError`` or ``CasesError`` where one of them cannot be used."""
    lake = LakeReader(settings.lake)
    database = Database(settings.database)
    files = Files()
    pages = {"places": navigation.places, "current": navigation.current, "start": navigation.start}
    templates = words.environment(static=files.url, **pages)
    site = Site(settings, lake, database, templates)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        warm_up()
        yield
        site.close()

    app = Starlette(
        routes=[
            *(route for module in MODULES for route in module.pages.routes),
            Mount("/static", files),
        ],
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(TrustedHostMiddleware, allowed_hosts=[*settings.hosts], www_redirect=False),
            Middleware(GZipMiddleware, minimum_size=2000, compresslevel=4),
        ],
        exception_handlers={
            Refused: errors.refused,
            HTTPException: errors.http,
            ClientDisconnect: errors.gone,
            Exception: errors.broken,
        },
        lifespan=lifespan,
    )
    app.state.site = site
    return app
