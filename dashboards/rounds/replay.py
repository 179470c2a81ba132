"""A round judged again, as its page steps through it: every step with picture, clause, arithmetic and source."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from dashboards import felt
from dashboards.packets import timeline, verdicts
from dashboards.packets.gather import Dossier, gather
from dashboards.packets.limits import limits
from dashboards.packets.notation import notation
from dashboards.packets.stills import stills
from dashboards.packets.view import finding_rows, reason_rows
from dashboards.rounds.films import Moment, moments
from dashboards.rounds.sources import side_by_side
from replay.audit import money
from replay.narrative.words import INFERRED, card_text, total_text

Data = dict[str, Any]
_KEPT: Final = 32  # the last rounds that were looked at: all pictures of one take about half a megabyte
_OF_FINDINGS: Final = ("By clause", "Prescribed", "Ruled", "Handling")  # what a step tells of its findings


@dataclass(frozen=True)
class Replay:
    """All that the page shows of a round once it is judged again."""

    steps: list[Data]
    settlements: list[Data]
    findings: list[Data]
    cards: list[Data]  # each with what terminal, shoe and cameras say of it
    notation: str
    limits: list[str]
    moments: list[Moment | None]  # by step: where a film shows it
    stills: frozenset[str]  # findings of which the lake has a still

    def step_of(self, finding_id: str) -> int | None:
        """The number of the step at which a finding shows."""
        return next((row["step"] for row in self.findings if row["finding_id"] == finding_id), None)


@lru_cache(_KEPT)
def replay(lake: Path, round_id: str, as_of: datetime, rank: int | None = None) -> Replay:
    """Replay a round as it was published by a time, or as one of its explanations has it.

    Raises ``RoundError`` where there is no such round or explanation.
    """
    dossier = replace(gather(lake, round_id, as_of, rank), as_of=None)  # a page names its snapshot itself
    told = tell(dossier)
    pictured = stills(dossier)
    return Replay(
        steps=told.steps,
        settlements=told.settlements,
        findings=told.findings,
        cards=told.cards,
        notation=notation(dossier),
        limits=limits(dossier, told.cards, told.settlements, [], len(pictured)),  # no bundle may lack a file
        moments=moments(dossier),
        stills=frozenset(still.finding_id for still in pictured),
    )


class Told(NamedTuple):
    """A round step by step, with its settlements, findings and cards."""

    steps: list[Data]
    settlements: list[Data]
    findings: list[Data]
    cards: list[Data]


def tell(dossier: Dossier) -> Told:
    """Tell a round step by step, with a picture of the table after each."""
    cards = side_by_side(dossier)
    settled = [{**row, "rows": reason_rows(row)} for row in verdicts.settlements(dossier)]
    found = [_placed(row, dossier, cards) for row in verdicts.findings(dossier)]
    return Told(_steps(dossier, cards, settled, found), settled, found, cards)


def _placed(row: Data, dossier: Dossier, cards: list[Data]) -> Data:
    """A finding with the step at which it shows: the engine's, else that of its card, else the last one before it."""
    step = row["step"]
    if step is None and row["code"].startswith("evidence."):
        own = (card for card in cards if card["agreement"] == "disagree" and _is_of(row, card["zone"]))
        step = next((card["step"] for card in own), None)
    if step is None and row["at"]:
        told = [each for each in dossier.account.steps if each.time]
        step = max((e.number for e in told if datetime.fromisoformat(e.time or "") <= row["at"]), default=None)
    return {**row, "step": step, "rows": finding_rows(row)}


def _is_of(row: Data, zone: str | None) -> bool:
    """Whether a card lies where a finding is about."""
    place = f"seat{row['seat']}.hand{row['hand'] or 1}" if row["seat"] else "dealer"
    return zone == place


def _steps(dossier: Dossier, cards: list[Data], settled: list[Data], found: list[Data]) -> list[Data]:
    events, account = dossier.retold.audit.encoded.events, dossier.account
    marked = frozenset(timeline.marked(cards))
    during = [felt.scene(account, events, step.number, marked) for step in account.steps[:-1]]
    pictures = felt.draw_all([*during, felt.scene(account, events, None, marked)], felt.PAGE)
    staked = _Stakes(account.min_cents, account.max_cents)
    due = {(row["seat"], row["bettor"], row["hand"], row["kind"]): row for row in settled}
    told = timeline.steps(dossier)
    steps = []
    for each, step, picture in zip(told, account.steps, pictures, strict=True):
        own = [row for row in found if row["step"] == step.number]
        shown = _step(each, dossier.event(step), due, staked)
        shown["rows"] += [pair for row in own for pair in row["rows"] if pair[0] in _OF_FINDINGS]
        steps.append({**shown, "findings": [row["finding_id"] for row in own], "picture": picture})
    return steps


@dataclass
class _Stakes:
    """The main wagers while steps go by: what other wagers are measured by."""

    min_cents: int
    max_cents: int
    main: dict[tuple[int, int], int] = field(default_factory=dict)

    def rows(self, event: Data) -> list[list[str]]:
        """What a wager is measured by."""
        key = event["seat"], event.get("bettor") or 1
        if event["kind"] == "main":
            self.main[key] = self.main.get(key, 0) + event["cents"]
            return [["Limits", f"{money(self.min_cents)} to {money(self.max_cents)}, staked {money(self.main[key])}"]]
        return [["Stake", f"{money(event['cents'])} beside a main wager of {money(self.main.get(key, 0))}"]]


def _step(each: Data, event: Data, due: dict[tuple[int, int, int, str], Data], staked: _Stakes) -> Data:
    rows = staked.rows(event) if each["type"] == "wager" else []
    if each["hand_cards"] and each["total"] is not None:
        sum_ = " + ".join(map(card_text, each["hand_cards"]))
        rows.append(["Hand", f"{sum_} = {total_text(each['total'], each['soft'])}"])
    if each["clause"]:
        rows.append(["By clause", f"{each['clause']['number']}: {each['clause']['says']}"])
    if each["type"] == "settle":
        key = event["seat"], event.get("bettor") or 1, event.get("hand") or 1, event["kind"]
        rows += due[key]["rows"] if key in due else []
    return {
        "step": each["step"],
        "turn": each["turn"],
        "words": each["words"],
        "clock": _clock(each["corrected"]),
        "rows": rows,
        "source": _source(each),
    }


def _clock(time: datetime | None) -> str:
    """A time of day in UTC, to the millisecond."""
    return f"{time.astimezone(UTC):%H:%M:%S.%f}"[:-3] if time else ""


def _source(each: Data) -> str:
    line = each["line"]
    if line is None:
        return "camera only" if each["type"] == "draw" else INFERRED
    device = f" {line['device']}" if line["device"] else ""
    drawn = f", card {each['n']} of the shoe" if each["n"] else ""
    return f"{line['source']}{device}, own clock {_clock(line['own_time'])}, {line['path']}:{line['line']}{drawn}"
