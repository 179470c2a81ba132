"""Reasons for a wager's expected settlement, and findings with their prescribed and logged rulings."""

from collections.abc import Iterator
from typing import Final

from replay.audit import Audit, Settlement
from replay.engine import layout as L
from replay.finding import Finding
from replay.narrative import sentences, words
from replay.narrative.forms import Explanation, FindingAccount, UsedReading, cited
from replay.narrative.teller import Teller
from replay.ops import IRREGULARITY
from replay.tape import Encoded, Event
from replay.wording import KIND_NAMES, card_text, cards_text, money, place_text

# Readings that apply in a situation, regardless of the slot that decided the wager.
_BY_SITUATION: Final = frozenset({"dealer_stopped_short", "more_than_one_within", "super_bonus_steps", "excess_wager"})
# A ruling on one ten covers several as well, and so on.
_ALIKE: Final = ({"shoe.ten-found", "shoe.tens-multiple"}, {"shoe.face-up", "shoe.face-up-multiple"})
_SEVENS: Final = ("777-suited", "777-spades")


def explain(teller: Teller, s: Settlement) -> Explanation:
    """Everything about one wager's verdict."""
    book = teller.book
    decider = book.cited_by.get(s.reason)
    because = "" if decider is None or s.verdict == "undetermined" else book.clauses[decider].id
    if because == s.clause or s.reason == "outcome.withdrawn":
        because = ""
    return Explanation(
        place=place_text(s.seat, s.hand, s.bettor),
        seat=s.seat,
        bettor=s.bettor,
        hand=s.hand,
        kind=s.kind,
        kind_name=KIND_NAMES[s.kind],
        patron=s.patron,
        stake_cents=s.stake_cents,
        player=teller.hands.get((s.seat, s.hand)),
        dealer=teller.dealer,
        reason=s.reason,
        decided=_decided(teller, s),
        clause=cited(book, s.clause),
        because=cited(book, because),
        readings=tuple(_reading(teller.audit, name) for name in _readings(teller, s)),
        arithmetic=sentences.arithmetic(s, teller.audit.rules),
        expected_paid_cents=s.expected_paid_cents,
        expected_taken_cents=s.expected_taken_cents,
        actual_paid_cents=s.actual_paid_cents,
        actual_taken_cents=s.actual_taken_cents,
        variance_cents=s.variance_cents,
        verdict=s.verdict,
        verdict_words=_verdict_words(s),
        note=_note(teller, s),
    )


def tell_finding(audit: Audit, finding: Finding, step: int | None) -> FindingAccount:
    """Return a finding with the rulings that its clause prescribes and those in the log."""
    book = audit.table.book
    clause = book.find(finding.clause.number) if finding.clause else None
    names = [name for name in book.readings if finding.slot in sentences.READING_SLOTS.get(name, ())]
    return FindingAccount(
        id=finding.id,
        code=finding.code,
        slot=finding.slot,
        severity=finding.severity,
        place=place_text(finding.seat, finding.hand, finding.bettor),
        message=finding.message,
        clause=cited(book, finding.clause.number if finding.clause else ""),
        prescribed=tuple(words.rulings_text(rulings) for rulings in clause.prescribes) if clause else (),
        ruled=_rulings(audit, finding),
        handling=finding.handling,
        handling_words=words.HANDLING_WORDS[finding.handling or ""],
        readings=tuple(_reading(audit, name) for name in names),
        cost_cents=finding.variance_cents,
        step=step,
        certainty=finding.certainty,
        certainty_words=words.certainty_text(finding.certainty),
        inferred=finding.inferred,
    )


def _reading(audit: Audit, name: str) -> UsedReading:
    reading = audit.table.book.readings[name]
    clause = cited(audit.table.book, reading.clause)
    return UsedReading(name, audit.table.readings[name], reading.default, clause, reading.why)


def _rulings(audit: Audit, finding: Finding) -> tuple[str, ...]:
    """List the logged rulings on a finding, and by whom; those on a similar code where there is no other."""
    alike = next((pair for pair in _ALIKE if finding.code in pair), {finding.code})
    found: dict[str, list[str]] = {code: [] for code in alike}
    for event in _irregularities(audit.encoded):
        if event.get("code") not in alike or event.get("round") != finding.round or event.get("inferred"):
            continue
        if finding.seat is None or event.get("seat") in (None, finding.seat):
            by = f" (by {event['by']})" if event.get("by") else ""
            found[event["code"]].append(words.rulings_text(words.listed(event.get("ruling"))) + by)
    return tuple(found[finding.code] or [ruling for rulings in found.values() for ruling in rulings])


def _irregularities(encoded: Encoded) -> Iterator[Event]:
    """The irregularity lines, all of which stand on the table's tape."""
    for index in encoded.table_source[encoded.table.op == IRREGULARITY].tolist():
        yield encoded.events[index]


def _verdict_words(s: Settlement) -> str:
    amount = money(abs(s.variance_cents))
    due = "due to the player" if s.variance_cents < 0 else "to be collected"
    return {
        "correct": "settled correctly",
        "overpaid": f"overpaid {amount}",
        "underpaid": f"underpaid {amount}",
        "missing": f"{amount} {due}, not logged",
        "unexpected": f"{amount} paid or taken with nothing due",
        "undetermined": "undetermined",
    }[s.verdict]


# Deciding situations of a wager.


def _about(teller: Teller, s: Settlement) -> list[Finding]:
    """Findings about this wager."""
    place = (s.seat, s.bettor, s.kind, s.hand)
    return [f for f in teller.findings if (f.seat, f.bettor or 1, f.kind, f.hand or 1) == place]


def _decided(teller: Teller, s: Settlement) -> str:
    if s.verdict == "undetermined":
        return f"The result of this wager cannot be determined: {_unknown(teller, s)}."
    if s.reason == "outcome.withdrawn" and not s.stake_cents:
        return "No wager and no prize was due here."
    refused = [f for f in _about(teller, s) if f.code.partition(".")[0] in ("wager", "progressive", "play")]
    if s.reason == "outcome.withdrawn" and refused:
        return f"The wager does not count. {refused[0].message}."
    hand = teller.hands.get((s.seat, s.hand))
    if hand is None and s.reason == "outcome.push":
        return "There is no hand for this wager: it goes back."
    first = [card for role, seat, _, _, card in teller.drawn if role == L.TO_BOX and seat == s.seat][:2]
    dealer = teller.dealer.cards
    said = sentences.sentence(s.reason, won=s.expected_paid_cents > 0).format(
        player=words.total_text(hand.total, hand.soft) if hand else "no hand",
        dealer=_dealer_holds(teller),
        natural=teller.natural,
        first=cards_text(first) or "not known",
        up=card_text(dealer[0]) if dealer else "card",
        second=card_text(dealer[1]) if len(dealer) > 1 else "not known",
    )
    bonus = sentences.BONUS_HANDS.get(s.odds or "")
    return f"{said} It is a {bonus}, which has bonus odds." if bonus else said


def _dealer_holds(teller: Teller) -> str:
    dealer = teller.dealer
    if len(dealer.cards) == 1:
        return f"only {card_text(dealer.cards[0])}"
    return f"a {teller.natural}" if teller.dealer_natural else dealer.worth.removesuffix(", bust")


def _unknown(teller: Teller, s: Settlement) -> str:
    if s.kind in ("bonus-spin", "bsx16"):
        return "the wheel's symbol, or the card that triggers the spin, is not in the log"
    if any(f.code == "dealer.failed-to-draw" for f in teller.findings):
        return "the dealer's hand has to be completed first"
    if teller.incomplete:
        return "cards, or the end of the round, are missing from the log"
    return "a card that decides it is not in the log"


def _note(teller: Teller, s: Settlement) -> str:
    key = (s.seat, s.bettor, s.kind, s.hand)
    same = [other for other in teller.settlements if (other.seat, other.bettor, other.kind, other.hand) == key]
    if same[0] is not s:
        return "payments and collections are counted with the earlier wager at this place"
    if not s.variance_cents or any(f.code.startswith("settlement.") and f.variance_cents for f in _about(teller, s)):
        return ""
    causes = [f.code for f in teller.findings if f.variance_cents and f.seat in (None, s.seat)]
    return f"the variance is explained by the finding {causes[0]}" if causes else ""


# Readings.


def _readings(teller: Teller, s: Settlement) -> list[str]:
    """Readings that bear on this wager."""
    found = []
    about = {f.slot for f in _about(teller, s)}
    in_situation = {**_hand_situations(teller, s), **_wager_situations(teller, s)}
    for name in teller.book.readings:
        slots = sentences.READING_SLOTS.get(name, ())
        concerned = s.reason in slots or name in _BY_SITUATION or not about.isdisjoint(slots)
        if concerned and in_situation.get(name, True):
            found.append(name)
    return found


def _hand_situations(teller: Teller, s: Settlement) -> dict[str, bool]:
    """By reading, whether the hand is in the situation that the reading is about."""
    hand = teller.hands.get((s.seat, s.hand))
    total = hand.total if hand else 0
    after_split = teller.dealer_natural and (s.seat, 2) in teller.hands
    two_card_21 = hand is not None and hand.from_split and len(hand.cards) == 2 and total == 21
    double = (s.seat, s.bettor, "double", s.hand)
    doubled = any((other.seat, other.bettor, other.kind, other.hand) == double for other in teller.settlements)
    short = any(f.code == "dealer.failed-to-draw" for f in teller.findings) and s.kind in ("main", "split", "double")
    by_total = s.verdict == "undetermined" or s.reason in sentences.READING_SLOTS["dealer_stopped_short"]
    return {
        "split_two_card_21": two_card_21,
        "dealer_blackjack_after_split": after_split,
        "bust_before_dealer_blackjack": teller.dealer_natural and total > 21 and (s.kind == "double" or after_split),
        "undoubled_bettor_odds": not doubled,
        "dealer_stopped_short": short and by_total,
    }


def _wager_situations(teller: Teller, s: Settlement) -> dict[str, bool]:
    """The same for the wager and its amount."""
    mains = [m for m in teller.settlements if m.seat == s.seat and m.kind == "main"]
    original = next((m.stake_cents for m in mains if m.bettor == s.bettor), 0)
    low, high = (teller.book.parameters[f"super_bonus.{step}"] for step in ("low", "high"))
    between_steps = low.get("to_cents", high["from_cents"]) < original < high["from_cents"]
    sevens = s.kind == "super-bonus" or (
        s.odds in _SEVENS and teller.dealer.cards[:1] and "7" in teller.dealer.cards[0]
    )
    here = {f.code for f in _about(teller, s)}
    anywhere = {f.code for f in teller.findings}
    late = bool(here & {"wager.late", "progressive.late-wager"})
    excess = "wager.insurance-excess" in here or (s.kind in ("double", "split") and s.stake_cents > original)
    several = bool(anywhere & {"shoe.tens-multiple", "shoe.face-up-multiple"})
    return {
        "super_bonus_steps": bool(sevens) and between_steps,
        "late_wager": late and (s.reason == "outcome.withdrawn" or bool(teller.audit.rules.late_honoured)),
        "more_than_one_within": s.reason == "outcome.void" and several,
        "excess_wager": excess and s.reason != "outcome.withdrawn",
        "surrender_binds": len({m.bettor for m in mains}) > 1,
    }
