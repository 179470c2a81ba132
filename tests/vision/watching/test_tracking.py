"""Readings of many frames put together to cards."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from replay.cards import RANKS
from vision.calibration.table import CARD_MM
from vision.footage.camera import CameraView
from vision.footage.layout import LOOKS, layout
from vision.reading.index import SUITS, SURE, Index, fused
from vision.watching.motion import Box
from vision.watching.poses import CardView, Pose, Spot
from vision.watching.track import CardTrack
from vision.watching.tracking import Sample, Tracker
from vision.watching.video import Frame

TABLE = layout(5, LOOKS["teal"])
VIEW = CardView(CameraView.at().calibration(TABLE, CARD_MM))
NOISE, OTHER = np.random.default_rng(1).integers(0, 255, (2, 1080, 1920, 3)).astype(np.uint8)


def reading(card: str, sure: float, x: float = 0.0, y: float = 0.0, angle: float = 0.0) -> Index:
    """An index of which card and confidence are given; the rest of the chance is spread over others."""
    ranks, suits = np.full(13, (1 - sure) / 12), np.full(4, 1e-6)
    ranks[RANKS.index(card[0])], suits[SUITS.index(card[1])] = sure, 1.0
    logs = (tuple(np.log(each / each.sum()).tolist()) for each in (ranks, suits))
    return Index(x, y, 14, 22, angle, card, sure, *logs)


def spot(card: str, at_mm: tuple[float, float], sure: float = 0.98, turned: bool = False) -> Spot:
    """An index of a card in box 3 whose middle is at a place; ``turned`` is the lower right one."""
    angle = math.pi if turned else 0.0
    across, down = (CARD_MM[0] / 2 - 8, CARD_MM[1] / 2 - 13)
    sign = 1 if turned else -1
    x, y = VIEW.calibration.to_px([(at_mm[0] + sign * across, at_mm[1] + sign * down)])[0]
    found = VIEW.spot(reading(card, sure, float(x), float(y), angle))
    assert found is not None
    return found


class Table:
    """A tracker and what is shown to it."""

    def __init__(self) -> None:
        self.tracker, self.ms = Tracker(VIEW), 0.0
        self.bare = self.paper = False
        self.picture = NOISE

    def show(self, *spots: Spot, covered: Sequence[Box] = ()) -> list[CardTrack]:
        """A look half a second after the last, at everything; ``covered`` has places at which something moves."""
        self.ms += 500.0
        sample = Sample(
            Frame(int(self.ms / 100), self.ms, self.picture),
            lambda boxes: [box in covered for box in boxes],
            lambda box: self.bare,
            lambda box: self.paper,
            lambda x, y: self.ms - 300,
            lambda x, y: False,
        )
        self.tracker.see(sample)
        self.tracker.take(sample, spots, lambda box: True)
        return self.tracker.close(self.ms)

    def over(self) -> list[CardTrack]:
        """Return the tracks that have ended, after enough time that none will be read again."""
        return self.tracker.close(self.ms + 4_000.0)

    @property
    def cards(self) -> list[str | None]:
        return [track.card for track in self.tracker.tracks]


@pytest.fixture
def table() -> Table:
    return Table()


MIDDLE = tuple(np.mean(TABLE.zones["seat3"], axis=0).tolist())


def at(x: float, y: float) -> tuple[float, float]:
    return MIDDLE[0] + x, MIDDLE[1] + y


def test_readings_that_agree_make_sure() -> None:
    one = fused([reading("7S", 0.75)])
    many = fused([reading("7S", 0.75)] * 4)
    assert one[0] is None and many[0] == "7S"
    assert one[1] == pytest.approx(0.75, abs=0.01) and SURE < many[1] < 0.99


def test_readings_that_differ_abstain() -> None:
    card, sure = fused([reading("7S", 0.9), reading("AS", 0.9)])
    assert card is None and sure < 0.6
    assert fused([]) == (None, 0.0)


def test_a_card_is_one_track_however_often_it_is_read(table: Table) -> None:
    for _ in range(3):
        table.show(spot("7S", at(0, 0)), spot("7S", at(0, 0), turned=True))
    [track] = table.tracker.tracks
    assert track.card == "7S" and track.looks == 3 and len(track.places) == 2
    assert (track.whole.x, track.whole.y) == pytest.approx(at(0, 0), abs=3)


def test_cards_of_a_cascade_are_told_apart(table: Table) -> None:
    table.show(spot("7S", at(0, 0)), spot("7S", at(17, -12)), spot("KH", at(34, -24)))
    assert sorted(map(str, table.cards)) == ["7S", "7S", "KH"]


def test_like_cards_of_which_the_upper_was_half_hidden_at_first_are_two(table: Table) -> None:
    """An index of each is in sight before the upper one's other, so that they look like one card."""
    lower, upper = spot("AD", at(0, 0)), [spot("AD", at(9, -6)), spot("AD", at(9, -6), turned=True)]
    table.show(lower, upper[1])
    assert table.cards == ["AD"]
    table.show(lower, *upper)
    places = [(track.whole.x, track.whole.y) for track in table.tracker.tracks]
    assert table.cards == ["AD", "AD"]
    assert places[0] == pytest.approx(at(0, 0), abs=2) and places[1] == pytest.approx(at(9, -6), abs=2)


def test_the_lower_index_of_another_card_is_not_taken_for_ones_own(table: Table) -> None:
    table.show(spot("7S", at(0, 0)))
    table.show(spot("7S", at(0, 0)), spot("KH", at(17, 12), turned=True))
    assert table.cards == ["7S", "KH"]


def test_what_is_half_hidden_at_a_known_cards_other_corner_is_no_card(table: Table) -> None:
    table.show(spot("QD", at(0, 0)))
    table.show(spot("QD", at(0, 0)), spot("7D", at(5, 6), sure=0.7, turned=True))
    assert table.cards == ["QD"]


def test_an_index_that_was_misread_at_first_comes_to_its_card(table: Table) -> None:
    table.show(spot("KD", at(0, 0), sure=0.93), spot("3H", at(0, 0), turned=True))
    assert table.cards == ["3H"]
    table.show(spot("3H", at(0, 0), sure=0.99))
    [track] = table.tracker.tracks
    assert track.card == "3H" and len(track.places) == 2 and track.first_ms == 500.0


def test_what_is_in_sight_and_sure_need_not_be_read_again(table: Table) -> None:
    seen = spot("7S", at(0, 0))
    where = seen.found.x, seen.found.y
    table.show(seen)
    assert not table.tracker.is_known(*where), "once is not enough"
    table.show(seen)
    assert table.tracker.is_known(*where)
    assert not table.tracker.is_known(where[0] + 12, where[1])
    table.show(covered=[place.box for place in table.tracker.tracks[0].places])
    assert not table.tracker.is_known(*where)


@pytest.mark.parametrize(("angle", "sure", "is_picture"), [(90, 0.9, True), (90, 0.98, False), (0, 0.9, False)])
def test_what_seems_to_lie_across_a_card_may_be_its_picture(
    table: Table, angle: float, sure: float, is_picture: bool
) -> None:
    table.show(spot("KD", at(0, 0)))
    x, y = VIEW.calibration.to_px([at(4, 6)])[0]
    upon = VIEW.spot(reading("3C", sure, float(x), float(y), math.radians(angle)))
    assert upon is not None
    table.show(spot("KD", at(0, 0)), upon)
    found = next(track for track in table.tracker.tracks if track.card == "3C")
    assert found.on_card and found.is_picture == is_picture


@pytest.mark.parametrize(
    ("middle", "sure", "cards"),
    [((60, 62), 0.98, ["7C", "6S"]), ((60, 62), 0.8, ["7C"]), ((47, 75), 0.98, ["7C"])],
    ids=["clear", "doubtful", "in one line with it"],
)
def test_beside_an_index_only_a_clear_one_at_its_side_is_turned_against_it(
    table: Table, middle: tuple[float, float], sure: float, cards: list[str]
) -> None:
    """A rank and the pip of the card below it, which stands above it, look like an index upside down."""
    below = spot("7C", at(0, 0)), spot("7C", at(0, 0), turned=True)
    table.show(*below)
    table.show(*below, spot("6S", at(*middle), sure))
    assert table.cards == cards


def test_a_clear_reading_outdoes_what_was_never_clear(table: Table) -> None:
    table.show(spot("QD", at(0, 0), sure=0.6))
    assert table.cards == [None]
    table.show(spot("TC", at(6, 6)))
    assert table.cards == ["TC"]


def test_where_felt_is_to_be_seen_lies_no_card(table: Table) -> None:
    table.bare = True
    table.show(spot("AS", at(0, 0)))
    assert table.cards == []


def test_a_card_that_is_picked_up(table: Table) -> None:
    table.show(spot("7S", at(0, 0)))
    table.show(spot("7S", at(0, 0)))
    [place] = table.tracker.tracks[0].places
    table.show(covered=[place.box])
    table.bare, table.picture = True, OTHER
    seen_ms = table.tracker.tracks[0].seen_ms
    over = [track for _ in range(14) for track in _look_again(table)]
    assert [track.card for track in over] == ["7S"] and over[0].seen_ms == seen_ms and table.cards == []


def _look_again(table: Table) -> list[CardTrack]:
    """A look at which cards that are wanted are searched for in vain."""
    table.ms += 500.0
    sample = Sample(
        Frame(0, table.ms, table.picture),
        lambda boxes: [False] * len(boxes),
        lambda box: table.bare,
        lambda box: table.paper,
        lambda x, y: table.ms,
        lambda x, y: True,
    )
    table.tracker.see(sample)
    table.tracker.wanted(sample)
    table.tracker.take(sample, [], lambda box: True)
    return table.tracker.close(table.ms)


def test_a_hand_over_a_card_does_not_end_it(table: Table) -> None:
    table.show(spot("7S", at(0, 0)))
    [place] = table.tracker.tracks[0].places
    for _ in range(10):
        assert table.show(covered=[place.box]) == []
    table.show(spot("7S", at(0, 0)))
    [track] = table.tracker.tracks
    assert track.card == "7S" and track.first_ms == 500.0 and track.seen_ms == table.ms


def test_another_card_in_the_same_place(table: Table) -> None:
    table.show(spot("7S", at(0, 0)))
    [place] = table.tracker.tracks[0].places
    table.show(covered=[place.box])
    table.picture = OTHER
    table.show(spot("AD", at(0, 0)))
    assert [track.card for track in table.over()] == ["7S"] and table.cards == ["AD"]


def test_a_card_that_a_hand_made_another_for_a_moment_is_itself(table: Table) -> None:
    table.show(spot("6D", at(0, 0)))
    [card] = table.tracker.tracks
    for read in ("5D", "6D"):
        table.show(covered=[place.box for track in table.tracker.tracks for place in track.places])
        table.picture = OTHER if read == "5D" else NOISE
        table.show(spot(read, at(0, 0)))
    assert table.tracker.tracks == [card] and card.card == "6D" and table.over() == []


def test_a_like_card_after_felt_was_in_sight_is_another(table: Table) -> None:
    table.show(spot("7S", at(0, 0)))
    [place] = table.tracker.tracks[0].places
    table.show(covered=[place.box])
    table.bare, table.picture = True, OTHER
    _look_again(table)
    table.bare = False
    table.show(spot("7S", at(0, 0)))
    assert [track.card for track in table.over()] == ["7S"] and table.cards == ["7S"]


def test_a_like_card_after_what_lay_below_was_in_sight_is_another(table: Table) -> None:
    """The upper of two cards is moved away, and the next one dealt there happens to look the same."""
    below = [spot("9H", at(0, 0)), spot("9H", at(0, 0), turned=True)]
    upper = spot("7S", at(4, 24))
    table.show(*below)
    table.show(below[0], upper, covered=[table.tracker.tracks[0].places[1].box])
    gone = next(track for track in table.tracker.tracks if track.card == "7S")
    table.show(below[0], covered=[place.box for place in gone.places])
    table.paper, table.picture = True, OTHER
    over = [track for _ in range(4) for track in table.show(*below)]
    assert over == [gone]
    table.show(below[0], upper)
    assert sorted(map(str, table.cards)) == ["7S", "9H"]


def test_a_card_face_down_and_then_turned(table: Table) -> None:
    outline = VIEW.calibration.to_px([at(-31, -44), at(31, -44), at(31, 44), at(-31, 44)])
    answers = (lambda b: [False] * len(b), lambda b: False, lambda b: False, lambda x, y: 0.0, lambda x, y: False)
    sample = Sample(Frame(1, 100.0, NOISE), *answers)
    for _ in range(2):
        table.tracker.take_blank(sample, Pose(*at(0, 0), 0.0), outline, "down")
    [down] = table.tracker.tracks
    assert down.face == "down" and down.is_blank and down.looks == 2 and down.card is None
    table.show(covered=[down.places[0].box])
    table.show(spot("KS", at(0, 0)))
    assert table.over() == [down] and table.cards == ["KS"]
