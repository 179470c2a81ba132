"""The labels on the felt, as Chromium lays them out: none lies over another, whatever was staked."""

import pytest
from playwright.sync_api import Page

from replay import felt
from replay.felt import Bet, Box, Card, FeltScene, Hand
from tests.dashboards.conftest import PageOf
from tests.dashboards.floor import FIRST, Floor
from warehouse.lake import Lake

KINDS = ("main", "split", "double", "insurance", "pair", "match", "bonus-spin", "bsx16", "super-bonus")
# Pairs of texts whose boxes overlap by more than a pixel, with the words of both.
OVERLAPS = """() => {
  const texts = [...document.querySelectorAll("#felt text")].filter((each) => each.textContent);
  const boxes = texts.map((each) => [each.textContent, each.getBBox()]);
  const card = (text) => Boolean(text.closest("g"));
  const found = [];
  for (let a = 0; a < boxes.length; a++) for (let b = a + 1; b < boxes.length; b++) {
    if (card(texts[a]) || card(texts[b])) continue;  // corners of cards lie over each other, as cards do
    const [[first, p], [second, q]] = [boxes[a], boxes[b]];
    const wide = Math.min(p.x + p.width, q.x + q.width) - Math.max(p.x, q.x);
    const high = Math.min(p.y + p.height, q.y + q.height) - Math.max(p.y, q.y);
    if (wide > 1 && high > 4) found.push([first, second]);
  }
  return found;
}"""


def full(cents: int, bettors: int) -> FeltScene:
    """Seven boxes of four hands, every wager of every bettor settled."""
    cards = tuple(Card(name) for name in ("8S", "2H", "3D", "4C", "AS"))
    boxes = []
    for seat in range(1, 8):
        hands = tuple(Hand(n, cards, "soft 18, bust" if n == 4 else "soft 18") for n in range(1, 5))
        bets = [
            Bet(bettor, kind, 1 + n % 4, cents, cents * (n % 2), cents * (1 - n % 2), is_settled=True)
            for bettor in range(1, bettors + 1)
            for n, kind in enumerate(KINDS)
        ]
        boxes.append(Box(seat, hands, tuple(bets)))
    aside = tuple(Card(name, aside=why) for name, why in (("TD", "removed"), ("TC", "not known"), ("2C", "left over")))
    return FeltScene(tuple(boxes), Hand(0, cards, "soft 18"), aside, "all", True)


@pytest.fixture
def stage(floor: Floor, page_of: PageOf) -> Page:
    """The page of a round, ready for another picture on its felt."""
    round_id = Lake.open(floor.lake).read("rounds", days=[FIRST])["round_id"][0]
    page = page_of("ann", f"/rounds/{round_id}")
    page.wait_for_selector("#round[data-ready]")
    return page


@pytest.mark.parametrize(("cents", "bettors"), [(2_500, 1), (12_345_650, 1), (2_550, 3), (1_000_000_00, 3)])
def test_no_label_lies_over_another(stage: Page, cents: int, bettors: int) -> None:
    picture = felt.draw(full(cents, bettors), felt.PAGE)
    stage.evaluate("picture => { document.getElementById('felt').innerHTML = picture; }", picture)
    stage.evaluate("document.fonts.ready")
    assert stage.evaluate("document.fonts.check('13px \"Source Sans Pro\"')")
    assert stage.evaluate("[...document.fonts].filter(each => each.status === 'loaded').length") == 2
    assert stage.evaluate(OVERLAPS) == []
