"""The cards on the felt: what is read in many frames goes to the card that lies at its place."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from vision.watching.motion import Box
from vision.watching.poses import Points, Pose, Spot, TableView, distance, is_too_near, turn_between
from vision.watching.track import CLEAR, CardTrack, SeenPlace, whole_pixels
from vision.watching.video import Frame

_FAINT: Final = 0.4  # a reading below this makes no card where none is known
_PAUSES_MS: Final = (0.0, 400.0, 900.0, 1800.0, 4000.0)  # before each further reading of a card that is not sure yet
_ENOUGH: Final = 3  # looks at a card that is sure then ...
_PLENTY: Final = 2  # ... and readings of one that is very sure
_VERY_SURE: Final = 0.985
_WAIT_MS: Final = 500.0  # before a place is looked at again over which something lies
_COVERED_MS: Final = 3000.0  # ... and one over which a card lies
_BLANK_LOOKS: Final = 3  # at a card that shows no index
_BLANK_MS: Final = 250.0  # between them
_INNER: Final = 0.55  # part of such a card by which it is known again
_SAME_INDEX: Final = 0.25  # of its height, by which an index may be found beside where it was
_MISTAKEN_MS: Final = 3000.0  # a card that is read again so soon after another in its place had never left it
_CLOSER: Final = 0.7  # of the way to one card, to another that an index belongs to rather
_WITHIN: Final = 0.75  # of the way from a card's middle to its corners and sides are spots ...
_SPOT_PX: Final = 4  # ... of twice that size ...
_OTHER_SPOTS: Final = 1  # ... of which no more than that may show felt where there is a card ...
_FELT_SPOTS: Final = 3  # ... and more than that show that it is gone

Question = Callable[[Box], bool]  # about a place in the picture


class Sample(NamedTuple):
    """A frame, and answers about its places."""

    frame: Frame
    moves: Callable[[Sequence[Box]], Sequence[bool]]  # whether anything moves there
    bare: Question  # whether it shows nothing but felt
    paper: Question  # whether it shows a card, in the main
    since_ms: Callable[[float, float], float]  # when a point had not begun to change to what it is
    same: Callable[[float, float], bool]  # whether it looks as it has looked for long


class Tracker:
    """The tracks of one video."""

    def __init__(self, view: TableView) -> None:
        self._view = view
        self.tracks: list[CardTrack] = []
        self._replaced: list[CardTrack] = []

    def see(self, sample: Sample) -> None:
        """Note which cards are in sight: where nothing moved, or what moved has left all as it was."""
        places = [place for track in self.tracks for place in track.places]
        moving = dict(zip(map(id, places), sample.moves([place.box for place in places]), strict=True))
        time_ms = sample.frame.time_ms
        for track in self.tracks:
            was_visible = track.visible
            for place in track.places:
                if moving[id(place)]:
                    place.visible = False
                elif not place.visible and not track.missed:
                    place.visible = place.is_unchanged(sample.frame.picture)
            if track.visible:
                track.saw(time_ms)
            elif was_visible:
                track.next_ms = time_ms

    def has_work(self, time_ms: float) -> bool:
        """Return whether there is a card to read or to search for."""
        due = (track for track in self.tracks if track.next_ms <= time_ms and track.lost_ms is None)
        return any(_is_unsure(track) or not track.visible for track in due)

    def shown(self) -> list[CardTrack]:
        """The cards of which an index is in sight."""
        return [track for track in self.tracks if not track.is_blank and track.visible]

    def is_known(self, x: float, y: float) -> bool:
        """Return whether a point is at a visible, unchanged index that was read with certainty."""
        for track in self.tracks:
            if _is_unsure(track):
                continue
            for place in track.places:
                known = place.spot.found if place.visible and place.spot is not None else None
                if known is not None and math.hypot(known.x - x, known.y - y) < _SAME_INDEX * known.height:
                    return True
        return False

    def wanted(self, sample: Sample) -> list[Box]:
        """The boxes to read now: of cards that are not sure, or not seen where they were; bare places are not read."""
        found: list[Box] = []
        for track in self._due(sample.frame.time_ms):
            boxes = [place.box for place in track.places]
            if track.visible:
                if _is_unsure(track) and not track.is_blank:
                    found += [place.box for place in track.places if place.visible]
            elif _felt_spots(track.outline, sample.bare) > _FELT_SPOTS:
                track.miss(sample.frame.time_ms, for_good=True)
            elif all(sample.bare(box) for box in boxes):
                track.miss(sample.frame.time_ms)
            elif not track.is_blank and not any(sample.moves(boxes)):
                found += boxes
        return found

    def take(self, sample: Sample, spots: Iterable[Spot], read: Question) -> None:
        """Take what was found in a frame; ``read`` says whether a box was looked at, with nothing moving in it."""
        time_ms, found = sample.frame.time_ms, set[CardTrack]()
        found_now = sorted(spots, key=lambda each: -each.found.confidence)
        for spot in found_now:
            track, place = self._owner(spot, found_now)
            if track is not None and track.is_replaced_by(spot.found):
                track, place = self._returned(track, spot, time_ms)
            if track is None:
                beside = self._beside(spot)
                if spot.found.confidence < _FAINT or (beside and not _outdone(beside, spot)):
                    continue
                if self._is_other_corner(spot):
                    continue
                if not _may_lie(self._view.outline(spot), sample, spot.found.confidence >= CLEAR):
                    continue
                self.tracks = [other for other in self.tracks if other not in beside]
                track = self._new(sample, spot)
                self._give_back(spot, track)
            track.add(sample.frame.picture, spot, place)
            track.outline = self._view.outline(spot._replace(whole=track.whole))
            found.add(track)
        for track in found:
            track.looks += 1
            track.next_ms = time_ms + _PAUSES_MS[min(track.looks, len(_PAUSES_MS)) - 1]
            track.saw(time_ms)
        for track in self.tracks:
            if track not in found and not track.visible and all(read(place.box) for place in track.places):
                self._miss(track, sample)

    def blanks(self, time_ms: float) -> list[Box]:
        """The boxes of cards without an index that should be looked at again."""
        due = [track for track in self._due(time_ms) if track.is_blank and track.visible and _is_unsure(track)]
        return [place.box for track in due for place in track.places]

    def take_blank(self, sample: Sample, card: Pose, outline: Points, face: str) -> None:
        """Take a card that shows no index."""
        there = [track for track in self.tracks if self._view.is_same_whole(track.whole, card)]
        # A face whose index is not to be read now is most likely that of the card that was read there.
        if any(not track.is_blank and (track.visible or face == "up") for track in there):
            return
        blank = next((track for track in there if track.is_blank), None)
        if blank is None:
            for track in there:
                self._replace(track, sample.frame.time_ms)
            blank = self._begin(sample, card, outline, outline.mean(axis=0).tolist())
            blank.face = face
        middle = outline.mean(axis=0)
        inner = middle + _INNER * (outline - middle)
        blank.places = [SeenPlace.of(sample.frame.picture, (*inner.min(axis=0).tolist(), *inner.max(axis=0).tolist()))]
        blank.looks += 1
        blank.next_ms = sample.frame.time_ms + _BLANK_MS
        blank.saw(sample.frame.time_ms)

    def close(self, time_ms: float) -> list[CardTrack]:
        """Take out the tracks that have ended by a moment; ``math.inf`` when the footage has ended."""
        replaced = [track for track in self._replaced if time_ms > track.missed_ms + _MISTAKEN_MS]
        over = [*replaced, *(track for track in self.tracks if track.is_over(time_ms))]
        self.tracks = [track for track in self.tracks if not track.is_over(time_ms)]
        self._replaced = [track for track in self._replaced if track not in replaced]
        return over

    def unfinished(self) -> list[CardTrack]:
        """The tracks of which more may be told."""
        return [*self.tracks, *self._replaced]

    def _due(self, time_ms: float) -> list[CardTrack]:
        return [track for track in self.tracks if track.next_ms <= time_ms and track.lost_ms is None]

    def _owner(
        self, spot: Spot, others: Sequence[Spot]
    ) -> tuple[CardTrack, SeenPlace] | tuple[CardTrack, None] | tuple[None, None]:
        """The card of which an index is one, and the place if it is known there."""
        for track in self.tracks:
            for place in track.places:
                if place.spot is not None and self._view.is_same_spot(spot, place.spot):
                    return track, place
        near = [track for track in self.tracks if self._has_corner_for(track, spot)]
        nearest = min(near, key=lambda track: distance(track.whole, spot.whole), default=None)
        if nearest is None or _fits_better(spot, nearest.whole, others):
            return None, None
        return nearest, None

    def _is_other_corner(self, spot: Spot) -> bool:
        """Return whether a spot is at a visible card's opposite corner, where a partly covered index is easily misread.

        If both indices of a card are known, a further index near them is of another card, possibly an identical one.
        """
        cards = [track for track in self.tracks if track.visible and not track.is_blank]
        near = [track for track in cards if self._view.is_same_whole(spot.whole, track.whole)]
        return any(all(turn_between(spot.at, other.at) > math.pi / 2 for other in track.spots()) for track in near)

    def _has_corner_for(self, track: CardTrack, spot: Spot) -> bool:
        """Return whether a spot may be the second index of a card with one known index."""
        if track.is_blank or track.card not in (None, spot.found.card):
            return False
        opposite = all(turn_between(spot.at, other.at) > math.pi / 2 for other in track.spots())
        return opposite and self._view.is_same_whole(spot.whole, track.whole, alike=track.card == spot.found.card)

    def _beside(self, spot: Spot) -> list[CardTrack]:
        """The cards with an index in sight that it overlaps: no two stand so close, but what is beside one may look so.

        The same holds for where a known card has its other index, of which another card may leave only a part.
        """
        doubtful = spot.found.confidence < CLEAR
        found = []
        for track in self.tracks:
            known = [place.spot for place in track.places if place.visible and place.spot is not None]
            if doubtful:
                known += [self._view.other_index(each, track.whole) for each in known]
            if any(is_too_near(spot, each, doubtful) for each in known):
                found.append(track)
        return found

    def _new(self, sample: Sample, spot: Spot) -> CardTrack:
        """A track for a card that was not there; what lay at its very place is there no more."""
        for other in [other for other in self.tracks if other.is_blank or not other.visible]:
            if self._view.is_same_whole(spot.whole, other.whole):
                self._replace(other, sample.frame.time_ms)
        below = [track for track in self.tracks if track.visible and not track.is_blank and track.was_clear]
        track = self._begin(sample, spot.whole, self._view.outline(spot), (spot.found.x, spot.found.y))
        under = [other for other in below if other.covers(whole_pixels(spot.found.box))]
        track.on_card = bool(under)
        track.across = any(turn_between(spot.whole, other.whole, math.pi) > math.pi / 4 for other in under)
        return track

    def _give_back(self, spot: Spot, track: CardTrack) -> None:
        """The other index of a new card, where a like card close by was given it before this one was in sight."""
        for other in self.tracks:
            if other.card != spot.found.card or len(other.places) < 2:
                continue
            for place, known in [(place, place.spot) for place in other.places if place.spot is not None]:
                own = [each for each in other.spots() if each is not known]
                away = min((distance(each.whole, known.whole) for each in own), default=0.0)
                opposite = turn_between(spot.at, known.at) > math.pi / 2
                if opposite and distance(spot.whole, known.whole) < _CLOSER * away:
                    track.places.append(place)
                    other.lose(place)

    def _begin(self, sample: Sample, whole: Pose, outline: Points, at: Sequence[float]) -> CardTrack:
        number, time_ms, _ = sample.frame
        track = CardTrack(number, min(time_ms, sample.since_ms(*at)), time_ms, time_ms, whole, outline)
        self.tracks.append(track)
        return track

    def _replace(self, track: CardTrack, time_ms: float) -> None:
        """End a track because another card lies in its place; it is kept for a possible return."""
        track.missed_ms = min(track.missed_ms, time_ms)
        self.tracks.remove(track)
        self._replaced.append(track)

    def _returned(
        self, track: CardTrack, spot: Spot, time_ms: float
    ) -> tuple[CardTrack, SeenPlace] | tuple[None, None]:
        """Restore the card that a track had replaced, if that card is read again: a hand over it caused a misreading.

        Returns the restored track and its place; None twice if a new card has replaced the track.
        """
        for before in self._replaced:
            for place in before.places if before.card == spot.found.card and not before.is_gone else ():
                if place.spot is not None and self._view.is_same_spot(spot, place.spot):
                    self.tracks.remove(track)
                    self._replaced.remove(before)
                    self.tracks.append(before)
                    return before, place
        self._replace(track, time_ms)
        return None, None

    def _miss(self, track: CardTrack, sample: Sample) -> None:
        """Handle a card that was not read at its place: covered by a card, hidden by something else, or gone."""
        time_ms = sample.frame.time_ms
        if track.lost_ms is None and self._is_covered(track):
            track.saw(time_ms)
            track.next_ms = time_ms + _COVERED_MS
        elif any(sample.paper(place.box) for place in track.places):
            track.miss(time_ms, self._shows_below(track))
        else:
            track.next_ms = time_ms + _WAIT_MS

    def _is_covered(self, track: CardTrack) -> bool:
        """Return whether all of a card's indices lie under cards that were laid later."""
        later = [o for o in self.tracks if o is not track and o.visible and o.first_ms >= track.first_ms]
        return bool(later) and all(any(other.covers(place.box) for other in later) for place in track.places)

    def _shows_below(self, track: CardTrack) -> bool:
        """Return whether an index from below a card is visible again: then the card has been removed."""
        earlier = [o for o in self.tracks if o is not track and o.first_ms < track.first_ms]
        return any(place.visible and track.covers(place.box) for other in earlier for place in other.places)


def _fits_better(spot: Spot, card: Pose, others: Iterable[Spot]) -> bool:
    """Return whether another index just found fits the card better: identical cards may overlap."""
    away = _CLOSER * distance(card, spot.whole)
    for other in others:
        if other is not spot and other.found.card == spot.found.card:
            opposite = turn_between(spot.at, other.at) > math.pi / 2
            if distance(spot.whole if opposite else card, other.whole) < away:
                return True
    return False


def _outdone(tracks: Sequence[CardTrack], spot: Spot) -> bool:
    """Return whether a clear reading disproves the tracks at its place, none of which was ever read clearly."""
    return spot.found.confidence >= CLEAR and not any(track.was_clear for track in tracks)


def _may_lie(outline: Points, sample: Sample, is_clear: bool) -> bool:
    """Return whether a card may lie there now: no felt shows and, unless the reading is clear, something changed.

    Print on the felt and parts of a court card's picture also resemble an index.
    """
    if _felt_spots(outline, sample.bare) > _OTHER_SPOTS:
        return False
    same = (sample.same(x, y) for x, y in _spots_on(outline))
    return is_clear or sum(same) <= _OTHER_SPOTS


def _felt_spots(outline: Points, bare: Question) -> int:
    """Count the sample spots of a card that show felt."""
    return sum(bare((x - _SPOT_PX, y - _SPOT_PX, x + _SPOT_PX, y + _SPOT_PX)) for x, y in _spots_on(outline))


def _spots_on(outline: Points) -> list[tuple[int, int]]:
    """Eight places around the middle of a card."""
    middle = outline.mean(axis=0)
    around = np.vstack([outline, (outline + np.roll(outline, 1, axis=0)) / 2])
    return [(round(x), round(y)) for x, y in (middle + _WITHIN * (around - middle)).tolist()]


def _is_unsure(track: CardTrack) -> bool:
    if track.is_blank:
        return track.looks < _BLANK_LOOKS
    if track.card is None:
        return track.looks < len(_PAUSES_MS)
    if track.sure >= _VERY_SURE:
        return len(track.readings) < _PLENTY
    return track.looks < _ENOUGH
