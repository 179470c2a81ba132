"""Stills for findings: a frame of the footage with the cards that were recognised in it."""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

from pipelines.custody.store import CustodyStore
from pipelines.watch import watched as results
from pipelines.watch.films import FilmFile
from pipelines.watch.sidecar import parse
from pipelines.watch.watched import Watched
from pipelines.watch.watching import FootageStore, films_of
from warehouse import folders
from warehouse.evidence.files import write_whole
from warehouse.lake import Lake
from warehouse.rounds import Place
from warehouse.signing import Recorder, recorded

CODES: Final = (
    *("evidence.card-disagreement", "evidence.zone-disagreement", "evidence.sideways-disagreement"),
    *("deal.hole-card-exposed", "deal.wrong-box"),
)
_HOLE_CARD: Final = "deal.hole-card-exposed"


class Still(NamedTuple):
    """The description of a still; written beside it, so that nothing is drawn twice."""

    finding_id: str
    message: str
    path: str  # of the film
    sha256: str
    line: int  # which of the film's sightings it is about
    frame: int
    time_ms: int

    @property
    def files(self) -> list[str]:
        """The picture and what describes it, below the lake."""
        return [f"{folders.STILLS}/{self.finding_id}.{ending}" for ending in ("png", "json")]

    def is_made(self, folder: Path) -> bool:
        try:
            known = json.loads((folder / f"{self.finding_id}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return bool(known == self._asdict()) and (folder / f"{self.finding_id}.png").is_file()


class StillsResult(NamedTuple):
    """The number of a day's stills, and what went wrong."""

    stills: int = 0
    problems: tuple[str, ...] = ()


def make(lake: Lake, footage: FootageStore, day: date, films: Sequence[FilmFile]) -> StillsResult:
    """Draw the stills of a published day that are not there yet, as far as its films are at hand."""
    shown = {film.path: (film, seen) for film in films if (seen := results.kept(lake.path, film)) is not None}
    if not shown:
        return StillsResult()
    snapshot = lake.snapshot()
    findings = lake.scan("findings", snapshot, [day]).filter(pl.col("code").is_in(CODES)).collect()
    sightings = lake.scan("sightings", snapshot, [day]).filter(pl.col("frame").is_not_null()).collect()
    wanted: dict[str, list[Still]] = {}
    for still in _wanted(findings, sightings, shown):
        wanted.setdefault(still.path, []).append(still)
    made, problems = 0, list[str]()
    for path, stills in wanted.items():
        film, seen = shown[path]
        try:
            made += _draw(lake.path, footage, film, seen, stills)
        except Exception as error:  # a day stands without its stills
            problems.append(f"{path}: no stills, {type(error).__name__}: {' '.join(str(error).split())}")
    return StillsResult(made, tuple(problems))


def of_round(place: Place, landing: Path) -> str | None:
    """Draw a round's cards as they lay when the last one had come, unless that is done; says why it cannot be."""
    rows = place.of_round("sightings").filter(pl.col("frame").is_not_null(), pl.col("face") == "up")
    if rows.is_empty():
        return f"{place.round_id}: no footage shows it"
    row = rows.sort("corrected", "seq").row(-1, named=True)
    custody = CustodyStore(place.lake.path)
    film = next((film for film in films_of(custody, place.day) if film.path == row["path"]), None)
    seen = None if film is None else results.kept(place.lake.path, film)
    if film is None or seen is None:
        return f"{row['path']}: what it shows is no longer kept"
    message = f"{place.round_id}: the table when the last card lay, that card in red"
    time_ms = seen.seen[row["line"] - 1].time_ms
    still = Still(place.still_id, message, row["path"], row["file_sha256"], row["line"], row["frame"], time_ms)
    recorder = Recorder(place.lake.path, custody.log, lambda: datetime.now(UTC))
    made = _draw(place.lake.path, FootageStore(landing, place.lake.path, None, recorder), film, seen, [still])
    return None if made else f"{row['path']}: not at hand below {landing}"


def _wanted(
    findings: pl.DataFrame, sightings: pl.DataFrame, shown: dict[str, tuple[FilmFile, Watched]]
) -> Iterable[Still]:
    by_round = sightings.partition_by("round_id", as_dict=True)
    for finding in findings.iter_rows(named=True):
        rows = by_round.get((finding["round_id"],))
        if rows is None or finding["at"] is None:
            continue
        row = _showing(finding, rows.to_dicts())
        _, seen = shown[row["path"]]
        time_ms = seen.seen[row["line"] - 1].time_ms
        yield Still(
            finding["finding_id"],
            f"{finding['code']}: {finding['message']}",
            *(row["path"], row["file_sha256"], row["line"], row["frame"], time_ms),
        )


def _showing(finding: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The sighting of a round that shows a finding best: its own, else one at its place, the nearest in time."""
    box = f"seat{finding['seat']}." if finding["seat"] else "dealer"
    is_hole_card = finding["code"] == _HOLE_CARD

    def away(row: dict[str, Any]) -> tuple[bool, bool, float, int]:
        is_place = (row["zone"] or "").startswith(box)
        if is_hole_card:
            is_place = is_place and row["order"] == 2 and row["face"] == "up"
        at: datetime = finding["at"]
        apart_s = abs((row["corrected"] - at).total_seconds())
        return apart_s > 0, not is_place, apart_s, row["seq"]

    return min(rows, key=away)


def _draw(lake: Path, footage: FootageStore, film: FilmFile, seen: Watched, stills: Sequence[Still]) -> int:
    """Write the stills of one film, each with what it shows beside it; says how many there are."""
    folder = lake / folders.STILLS
    known = recorded(footage.recorder.log, "stills") if footage.recorder else {}
    due = [still for still in stills if not still.is_made(folder) or not known.keys() >= set(still.files)]
    path = footage.place(film)
    if not due or path is None or film.sidecar is None:
        return len(stills) - len(due)
    from pipelines.watch import drawing as pictures  # OpenCV is loaded where there is something to draw

    calibration = parse(folders.raw(lake, film.sidecar.sha256).read_bytes()).calibration
    for still in due:
        in_sight = [each for each in seen.seen if each.time_ms <= still.time_ms <= each.until_ms]
        picture = pictures.frame_at(path, still.frame, still.time_ms)
        pictures.mark(picture, in_sight, seen.seen[still.line - 1], calibration)
        write_whole(folder / f"{still.finding_id}.png", pictures.png(picture, still.message))
        write_whole(folder / f"{still.finding_id}.json", json.dumps(still._asdict()).encode())
    if footage.recorder:
        footage.recorder.record("stills", film.day, [path for still in due for path in still.files])
    return len(stills)
