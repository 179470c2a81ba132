"""The picture of the table, step by step."""

import xml.etree.ElementTree as ElementTree
from datetime import date

import pytest

from replay import felt, floor, narrative, notation
from replay.audit import Audit, audit
from tests.dashboards.packets import tables
from tests.some import some

HEADER = "rulebook md-pontoon21\ndecks 6\nboxes 8\n"


def told(text: str, name: str) -> tuple[Audit, narrative.RoundAccount]:
    script = notation.load(HEADER + text)
    plan = floor.parse(script.floor)
    judged = audit(plan, plan.tables[0].id, date(2026, 1, 5), script.events, trace=True)
    return judged, narrative.account(judged, name)


@pytest.fixture(scope="module")
def eight() -> tuple[Audit, narrative.RoundAccount]:
    return told(tables.EIGHT_BOXES, "eight")


def test_the_end_of_a_round_shows_hands_splits_and_money(eight: tuple[Audit, narrative.RoundAccount]) -> None:
    judged, account = eight
    scene = felt.scene(account, judged.encoded.events)
    assert [len(box.hands) for box in scene.boxes] == [2, 1, 1, 3, 1, 1, 1, 1]
    first = scene.boxes[0].hands[0]
    assert [card.name for card in first.cards] == ["8S", "3C", "KC"]
    assert [card.sideways for card in first.cards] == [False, False, True]  # the card of the double
    assert [card.name for card in scene.boxes[3].hands[2].cards] == ["9D", "JD"]
    assert scene.dealer.worth == "17"
    bet = scene.boxes[7].bets[0]
    assert (bet.kind, bet.cents, bet.paid_cents, bet.taken_cents) == ("main", 2500, 0, 2500)


def test_a_step_shows_what_had_happened_by_then(eight: tuple[Audit, narrative.RoundAccount]) -> None:
    judged, account = eight
    deal = next(step for step in account.steps if step.words.startswith("8♣ to the dealer"))
    scene = felt.scene(account, judged.encoded.events, deal.number)
    assert [card.hidden for card in scene.dealer.cards] == [False, True]
    assert scene.dealer.worth == ""  # the hole card is not for anybody's eyes yet
    assert all(len(box.hands) == 1 for box in scene.boxes)
    assert not any(bet.is_settled for box in scene.boxes for bet in box.bets)
    assert felt.scene(account, judged.encoded.events, 1).boxes[1].bets == ()


def test_every_step_can_be_drawn(eight: tuple[Audit, narrative.RoundAccount]) -> None:
    judged, account = eight
    pictures = [felt.draw(felt.scene(account, judged.encoded.events, step.number)) for step in account.steps]
    for picture in pictures:
        assert ElementTree.fromstring(picture).tag.endswith("svg")
    assert len(set(pictures)) == len(pictures)  # no step leaves no trace
    end = felt.scene(account, judged.encoded.events)
    assert felt.draw(end) == felt.draw(end)


def test_everything_stays_on_the_picture(eight: tuple[Audit, narrative.RoundAccount]) -> None:
    judged, account = eight
    picture = ElementTree.fromstring(felt.draw(felt.scene(account, judged.encoded.events)))
    _, _, width, height = map(float, picture.attrib["viewBox"].split())
    for text in some(picture.iter("{http://www.w3.org/2000/svg}text")):
        assert 0 <= float(text.attrib["x"]) <= width
        assert 0 <= float(text.attrib["y"]) <= height


def test_removed_cards_lie_aside_and_a_void_round_says_so() -> None:
    judged, account = told(tables.VOID, "void")
    scene = felt.scene(account, judged.encoded.events)
    assert [(card.name, card.aside) for card in scene.aside] == [("TD", "removed"), ("TC", "removed")]
    assert scene.is_void
    assert "VOID ROUND" in felt.draw(scene)


def test_cards_on_which_sources_disagree_are_marked(eight: tuple[Audit, narrative.RoundAccount]) -> None:
    judged, account = eight
    scene = felt.scene(account, judged.encoded.events, None, {(8, 1, 2), (0, 0, 1)})
    assert [card.is_marked for card in scene.boxes[7].hands[0].cards] == [False, True]
    assert scene.dealer.cards[0].is_marked
    assert felt.draw(scene).count(felt.LIGHT.mark) > felt.draw(felt.scene(account, judged.encoded.events)).count(
        felt.LIGHT.mark
    )


def test_what_people_wrote_is_text_and_not_markup() -> None:
    scene = felt.FeltScene((felt.Box(1),), felt.Hand(0, (), ""), (), '<script>"&', False)
    assert ElementTree.fromstring(felt.draw(scene)).attrib["aria-label"] == '<script>"&'


def test_soft_totals_and_blackjacks_are_said_during_play() -> None:
    deal = "bet 1 20; bet 2 20; no more bets; deal AS KC 9D 6H AH KS; 1 hit 2C; 1 stand; take 1 20; pay 2 30"
    judged, account = told(f"round 1\n{deal}\nend\n".replace("; ", "\n"), "1")
    worth = [
        [hand.worth for box in scene.boxes for hand in box.hands]
        for step in account.steps
        for scene in [felt.scene(account, judged.encoded.events, step.number)]
    ]
    dealt = next(n for n, step in enumerate(account.steps) if step.words.startswith("A\N{BLACK HEART SUIT}"))
    hit = next(n for n, step in enumerate(account.steps) if step.words.startswith("2\N{BLACK CLUB SUIT}"))
    assert worth[dealt] == ["soft 17", "blackjack"]
    assert worth[hit] == ["soft 19", "blackjack"]
