"""A round told step by step: every step with picture, clause, arithmetic and source."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple

from dashboards.packets import timeline, verdicts
from dashboards.packets.gather import Dossier
from dashboards.packets.view import finding_rows, reason_rows
from dashboards.rounds.sources import side_by_side
from dashboards.web.words import clock_ms
from replay import felt
from replay.narrative.words import INFERRED, total_text
from replay.wording import card_text, money

Data = dict[str, Any]
_OF_FINDINGS: Final = ("By clause", "Prescribed", "Ruled", "Handling")  # rows of a finding that its step shows


class NarratedRound(NamedTuple):
    """A round step by step, with its settlements, findings and cards."""

    steps: list[Data]
    settlements: list[Data]
    findings: list[Data]
    cards: list[Data]


def tell(dossier: Dossier) -> NarratedRound:
    """Tell a round step by step, with a picture of the table after each."""
    cards = side_by_side(dossier)
    settled = [{**row, "rows": reason_rows(row)} for row in verdicts.settlements(dossier)]
    found = [_placed(row, dossier, cards) for row in verdicts.findings(dossier)]
    return NarratedRound(_steps(dossier, cards, settled, found), settled, found, cards)


def _placed(row: Data, dossier: Dossier, cards: list[Data]) -> Data:
    """Return a finding with its step: the engine's, else that of its card, else the last step before it."""
    step = row["step"]
    if step is None and row["code"].startswith("evidence."):
        own = (card for card in cards if card["agreement"] == "disagree" and _is_of(row, card["zone"]))
        step = next((card["step"] for card in own), None)
    if step is None and row["at"]:
        told = [each for each in dossier.account.steps if each.time]
        step = max((e.number for e in told if datetime.fromisoformat(e.time or "") <= row["at"]), default=None)
    return {**row, "step": step, "rows": finding_rows(row)}


def _is_of(row: Data, zone: str | None) -> bool:
    """Return whether a card lies in a finding's zone."""
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
        shown["rows"] = list(dict.fromkeys(map(tuple, shown["rows"])))  # a wager and its finding cite the same clause
        steps.append({**shown, "findings": [row["finding_id"] for row in own], "picture": picture})
    return steps


@dataclass
class _Stakes:
    """The main wagers so far, as the other wagers' limits depend on them."""

    min_cents: int
    max_cents: int
    main: dict[tuple[int, int], int] = field(default_factory=dict)

    def rows(self, event: Data) -> list[list[str]]:
        """List the figures that a wager is checked against, as label and value."""
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
        "at": each["corrected"],
        "rows": rows,
        "source": _source(each),
    }


@dataclass(frozen=True)
class StepSource:
    """The line that a step was read from. Its time is written when it is shown, in the zone of who looks."""

    before: str
    own_time: datetime | None
    after: str

    @property
    def words(self) -> str:
        """Name source, device, time on its own clock, file, line and card."""
        return f"{self.before}, own clock {clock_ms(self.own_time)}{self.after}" if self.own_time else self.before


def _source(each: Data) -> StepSource:
    line = each["line"]
    if line is None:
        return StepSource("camera only" if each["type"] == "draw" else INFERRED, None, "")
    device = f" {line['device']}" if line["device"] else ""
    drawn = f", card {each['n']} of the shoe" if each["n"] else ""
    return StepSource(f"{line['source']}{device}", line["own_time"], f", {line['path']}:{line['line']}{drawn}")
