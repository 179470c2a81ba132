"""A round: the layout of the table step by step, expected settlements, findings, and the footage that shows them."""

from datetime import date, datetime
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response

from dashboards.casework import chosen_case, hold_round, hold_rounds_in_dispute, named_case
from dashboards.packets import bundle, stored
from dashboards.packets.case import CaseFile
from dashboards.rounds import films
from dashboards.rounds.films import Moment
from dashboards.rounds.queries import DATASETS, RoundRows
from dashboards.rounds.replay import Replay, stills_changed_ns
from dashboards.web import export
from dashboards.web.attachments import disposition
from dashboards.web.numbers import whole
from dashboards.web.pages import Pages
from dashboards.web.permissions import Permission
from dashboards.web.site import Reply
from dashboards.web.subjects import A_ROUND, round_id
from dashboards.web.visit import Visit, pack_json
from dashboards.web.words import clock_ms, iso, round_url
from replay import narrative
from replay.narrative import Considered, ConsideredCandidate
from warehouse.cases import cases, statuses
from warehouse.cases.errors import Refused
from warehouse.cases.words import ROUND
from warehouse.folders import STILLS
from warehouse.rounds import RoundError

pages = Pages()
_PATH = "{table}/{day}/{round:rest}"
# What a step shows of a snapshot never changes.
_KEEP = {"Cache-Control": "private, max-age=3600"}


@pages.get(f"/rounds/{_PATH}", Permission.SEE_ROUNDS, about=A_ROUND)
def show(visit: Visit) -> Response:
    """The round as the lake has it; its script fetches the replay."""
    rows = _rows(visit)
    row = rows.round()
    if row is None:
        raise HTTPException(404, f"Snapshot {visit.lake.number} has no round {rows.round_id}.")
    if export.wanted(visit):
        return _file(visit, rows)
    findings = rows.findings()
    with visit.site.database.read() as session:
        marks = {} if visit.is_regulator else statuses.of(session, [each["finding_id"] for each in findings])
        held = [] if visit.is_regulator else cases.having(session, ROUND, rows.round_id)
        open_cases = cases.open_titles(session) if visit.may(Permission.EDIT_CASES) else []
    shoe = [] if visit.is_regulator else rows.neighbours()  # who sees shared rounds sees no other
    considered = _considered(rows, findings)
    return visit.render(
        "round.html",
        round=row,
        settlements=rows.settlements(),
        findings=findings,
        marks=marks,
        held=held,
        cases=open_cases,
        shoe=shoe,
        here=next((each for each in shoe if each["round_id"] == rows.round_id), None),
        considered=considered,
        story=_story(visit, considered),
        datasets=DATASETS,
        path=round_url(rows.round_id).removeprefix("/rounds/"),
    )


@pages.get(f"/replays/{_PATH}", Permission.SEE_ROUNDS, about=A_ROUND, quiet=True)
def show_replay(visit: Visit) -> Response:
    """Return the data for the page: the round judged again, with every step, settlement and finding."""
    lake, films = visit.lake, visit.site.films
    asked = lake.number, round_id(visit.path), _rank(visit), stills_changed_ns(lake.lake.path), visit.zone.key
    reply = visit.site.replies.get(
        asked,
        lambda: _reply(visit),
        lambda kept: all((films.place(film) is not None) == is_there for film, is_there in kept.films.items()),
    )
    return visit.packed_json(reply.packed)


def _reply(visit: Visit) -> Reply:
    """The replay, packed once for everybody who opens the round and reads times in that zone."""
    made, films = _replay(visit), visit.site.films
    shown = {moment.film: films.place(moment.film) is not None for moment in made.moments if moment}
    told = {
        "steps": [
            {**_shown(step), "frame": _frame(visit, made, step, moment)}
            for step, moment in zip(made.steps, made.moments, strict=True)
        ],
        "settlements": [_reason(row) for row in made.settlements],
        "findings": [{name: row[name] for name in ("finding_id", "step", "rows")} for row in made.findings],
        "panels": visit.fill(
            "round_panels.html" if _rank(visit) is None else "round_candidate.html", replay=made, path=_path(visit)
        ),
    }
    return Reply(pack_json(told), shown)


@pages.get(f"/frames/{_PATH}", Permission.SEE_ROUNDS, about=A_ROUND, quiet=True)
def show_frame(visit: Visit) -> Response:
    """The frame of the film at a step."""
    made, step = _replay(visit), visit.query.get("step", "")
    number = whole(step) or 0
    if not 1 <= number <= len(made.steps):
        raise HTTPException(404, f"{step!r} is no step of this round; expected 1 to {len(made.steps)}.")
    moment = made.moments[number - 1]
    picture = films.jpeg(visit.site.films, moment) if moment else None
    if picture is None:
        raise HTTPException(404, "No available footage, as audited, shows this step.")
    return Response(picture, media_type="image/jpeg", headers=_KEEP)


@pages.get(f"/stills/{_PATH}", Permission.SEE_ROUNDS, about=A_ROUND, quiet=True)
def show_still(visit: Visit) -> Response:
    """The still of one of the round's findings."""
    wanted = visit.query.get("finding", "")
    own = {row["finding_id"] for row in _rows(visit).findings()}
    path = visit.site.settings.lake / STILLS / f"{wanted}.png"
    if wanted not in own or not path.is_file():
        raise HTTPException(404, "There is no still of this finding.")
    return FileResponse(path, media_type="image/png", headers=_KEEP)


@pages.post(f"/rounds/{_PATH}", Permission.EDIT_CASES, about=A_ROUND)
def put_into_case(visit: Visit) -> Response:
    """Put the round into a case, a new one where the form says so."""
    rows = _rows(visit)
    if rows.round() is None:
        raise Refused(f"There is no round {rows.round_id} in the lake.")
    with visit.site.database.write() as session:
        case = chosen_case(visit, session)
        if cases.add_item(case, ROUND, rows.round_id, _day(visit), visit.account.name, visit.now):
            visit.record(session, "add to case", f"case {case.id}", round=rows.round_id)
            hold_rounds_in_dispute(visit, session, case)
    return visit.redirect(f"/cases/{case.id}")


@pages.post(f"/packets/{_PATH}", Permission.EDIT_CASES, about=A_ROUND)
def make_packet(visit: Visit) -> Response:
    """The dispute packet of the round: a zip with the paper and all that it rests on."""
    settings, case, redact = visit.site.settings, _case_file(visit), bool(visit.text("redact"))
    asked = bundle.PacketRequest(
        lake=settings.lake,
        round_id=round_id(visit.path),
        case=case,
        deadlines=settings.deadlines,
        as_of=_published(visit),
        redact=redact,
        text_of=settings.text_of,
        by=f"{visit.account.full_name or visit.account.name} ({visit.account.name})",
        now=settings.now,
    )
    try:
        made = bundle.make(asked)
    except bundle.Failed as error:
        raise Refused(f"The packet cannot be issued: {error}") from error
    with visit.site.database.write() as session:
        about = {"number": case.number, "snapshot": visit.lake.number, "redacted": "yes" if redact else ""}
        visit.record(session, "make packet", f"round {asked.round_id}", **about)
        why = f"dispute {case.number}" if case.number else "dispute packet made"
        hold_round(visit, session, asked.round_id, why)
    return Response(made.bundle, media_type="application/zip", headers=disposition(f"{made.name}.zip"))


def _case_file(visit: Visit) -> CaseFile:
    """The case that the form names, and what the form says beside it. The same gives the same bytes on any day."""
    told, seat = CaseFile(), visit.text("seat")
    if visit.text("case"):
        with visit.site.database.read() as session:
            case = named_case(visit, session)
        if not stored.has_round(case, round_id(visit.path)):
            raise Refused(f"Case {case.id} is not about this round; put the round into it first.")
        told = stored.case_file(case)
    return told.with_answers(
        number=visit.text("number").strip() or None,
        seat=whole(seat),
        prepared_by=visit.account.full_name,
    )


def _shown(step: dict[str, Any]) -> dict[str, Any]:
    """Return a step with its times in the zone of the page."""
    return {**step, "clock": clock_ms(step["at"]), "at": iso(step["at"]), "source": step["source"].words}


def _day(visit: Visit) -> date:
    return visit.day(visit.path["day"])


def _path(visit: Visit) -> str:
    return round_url(round_id(visit.path)).removeprefix("/rounds/")


def _rows(visit: Visit) -> RoundRows:
    return RoundRows(visit.lake.day(_day(visit)), visit.path["table"], round_id(visit.path))


def _published(visit: Visit) -> datetime:
    """When the day was published that the snapshot shows."""
    return visit.lake.snapshot.days[_day(visit)].published


def _considered(rows: RoundRows, findings: list[dict[str, Any]]) -> Considered:
    """The explanations that were considered for the round."""
    is_ambiguous = any(each["code"] == "evidence.ambiguous" for each in findings)
    return narrative.considered(rows.stories(), is_ambiguous)


def _rank(visit: Visit) -> int | None:
    """Return the rank of the explanation in the address, None without one; 0 for text that is not a rank."""
    return whole(visit.query["story"]) or 0 if "story" in visit.query else None


def _story(visit: Visit, considered: Considered) -> ConsideredCandidate | None:
    rank = _rank(visit)
    found = next((each for each in considered.candidates if each.rank == rank), None)
    if rank is not None and found is None:
        raise HTTPException(404, f"{visit.query['story']!r} is no explanation of this round.")
    return found


def _replay(visit: Visit) -> Replay:
    try:
        return visit.site.replays.replay(visit.lake.lake, visit.lake.snapshot, round_id(visit.path), _rank(visit))
    except RoundError as error:
        raise HTTPException(404, str(error)) from error


def _file(visit: Visit, rows: RoundRows) -> Response:
    dataset = visit.query.get("rows", DATASETS[0])
    if dataset not in DATASETS:
        raise HTTPException(404, f"{dataset!r} is no dataset of a round; expected one of {', '.join(DATASETS)}.")
    name = rows.round_id.replace("/", "-")
    return export.file(visit, f"{dataset}-{name}", rows.file(dataset))


def _frame(visit: Visit, made: Replay, step: dict[str, Any], moment: Moment | None) -> dict[str, str | None]:
    """Return the picture for a step: the address of a frame or still (None if there is none), and its caption."""
    snapshot = visit.lake.number
    still = next((each for each in step["findings"] if each in made.stills), None)
    if moment is not None and visit.site.films.place(moment.film) is not None:
        story = "" if _rank(visit) is None else f"&story={_rank(visit)}"
        url = f"/frames/{_path(visit)}?step={step['step']}&snapshot={snapshot}{story}"
        return {"url": url, "text": f"{moment.film.path}, {moment.clock} into it"}
    if still is not None:
        return {"url": f"/stills/{_path(visit)}?finding={still}&snapshot={snapshot}", "text": "still of the finding"}
    if moment is not None:
        text = f"{moment.film.path} shows this moment, {moment.clock} into it, but {visit.site.films.missing}"
        return {"url": None, "text": text}
    return {"url": None, "text": "No footage shows this moment."}


def _reason(row: dict[str, Any]) -> dict[str, Any]:
    key = "-".join(str(row[name]) for name in ("seat", "bettor", "hand", "kind"))
    return {"key": key, "rows": row["rows"], "words": row["verdict_words"]}
