"""The script that draws charts."""

from starlette.responses import FileResponse, Response

from dashboards import charts
from dashboards.web.pages import Pages
from dashboards.web.permissions import Permission
from dashboards.web.visit import Visit

pages = Pages()


@pages.get("/charts/vega.js", Permission.SIGNED_IN, quiet=True)
def vega(visit: Visit) -> Response:
    """Vega with all that it needs."""
    return FileResponse(
        charts.bundle(), media_type="text/javascript", headers={"Cache-Control": "private, max-age=86400"}
    )
