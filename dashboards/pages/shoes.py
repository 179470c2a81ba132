"""Shoes: the list of a day, and one shoe with its cards by rank and suit and in the order of dealing."""

from datetime import date

from starlette.exceptions import HTTPException
from starlette.responses import Response

from dashboards import live
from dashboards.shoes import contents
from dashboards.shoes.queries import DAY, Shoe
from dashboards.web import export
from dashboards.web.days import of_day
from dashboards.web.pages import Pages
from dashboards.web.permissions import Permission
from dashboards.web.visit import Visit
from replay.cards import RANKS

pages = Pages()
_FILES = ("cards", "composition")


@pages.get("/shoes", Permission.SEE_FLOOR)
@of_day
def show_all(visit: Visit, day: date) -> Response:
    """The shoes of a gaming day, but for those in play."""
    hidden = sorted(live.hidden_shoes(visit.lake, day, visit.site.settings))
    if export.wanted(visit):
        return export.file(visit, f"shoes-{day}", visit.lake.day(day).table(DAY, hidden=hidden))
    return visit.render("shoes.html", day=day, shoes=visit.lake.day(day).rows(DAY, hidden=hidden), hidden=hidden)


@pages.get("/shoes/{shoe:rest}", Permission.SEE_FLOOR)
@of_day
def show(visit: Visit, day: date) -> Response:
    """A shoe; of one in play only that it is in play."""
    name = visit.path["shoe"]
    shoe = Shoe.find(visit.lake.day(day), name)
    if shoe is None:
        raise HTTPException(404, f"There is no shoe {name} on {day}.")
    if name in live.hidden_shoes(visit.lake, day, visit.site.settings):
        if export.wanted(visit):
            raise HTTPException(403, f"Shoe {name} is in play; its cards are shown when it has ended.")
        return visit.render("shoe_in_play.html", shoe=shoe, day=day)
    if export.wanted(visit):
        return _file(visit, shoe)
    composition, cards = shoe.composition(), shoe.cards()
    return visit.render(
        "shoe.html",
        shoe=shoe,
        day=day,
        grid=contents.grid(composition, shoe.row),
        sums=contents.ranks(composition),
        ranks=RANKS,
        order=contents.in_order(cards, shoe.row["cut_card_n"]),
        findings=shoe.findings(),
    )


def _file(visit: Visit, shoe: Shoe) -> Response:
    rows = visit.query.get("rows", _FILES[0])
    if rows not in _FILES:
        raise HTTPException(404, f"{rows!r} cannot be had of a shoe; expected one of {', '.join(_FILES)}.")
    name = shoe.name.replace("/", "-")
    return export.file(visit, f"{rows}-{name}", shoe.cards_file() if rows == "cards" else shoe.composition_file())
