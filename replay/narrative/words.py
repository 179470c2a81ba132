"""Words for the narrative: cards, places, rulings and events."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from replay.finding_sentences import sentence
from replay.wording import KIND_NAMES, card_text, money, place_text

Event = Mapping[str, Any]

SIDE_NAMES: Final = {"match": "a match with the dealer", "pair": "a pair"}
RULING_WORDS: Final = {
    "void-round": "void the round",
    "dead-hand": "declare the hand dead",
    "remove-card": "take the card out",
    "burn-card": "burn the card",
    "use-next": "use it as the next card",
    "reconstruct": "reconstruct the deal",
    "reshuffle": "reshuffle",
    "withdraw-decks": "withdraw the decks",
    "withdraw": "let the wager be withdrawn",
    "refuse": "refuse it",
    "continue": "go on",
}
INFERRED: Final = "Inferred: not logged"
_WHOLE: Final = 1 - 1e-9  # shares are sums
HANDLING_WORDS: Final = {
    "": "no procedure applies",
    "as-prescribed": "procedure followed",
    "not-prescribed": "procedure not followed",
    "unreported": "not reported, though a floorperson or supervisor had to act or be informed",
}


def share_text(share: float) -> str:
    """A share of one in per cent: ``99.4 %``, ``100 %``, ``over 99.9 %``."""
    if share >= _WHOLE:
        return "100 %"
    if share > 0.999:
        return "over 99.9 %"
    return "under 0.1 %" if share < 0.001 else f"{share:.1%}".replace("%", " %")


def certainty_text(certainty: float) -> str:
    """Say how certain a finding is: ``99.4 % certain``; empty where there is no doubt."""
    return "" if certainty >= _WHOLE else f"{share_text(certainty)} certain"


def evidence_text(evidence: str) -> str:
    """Return the sources that show a finding, or that it was inferred."""
    return INFERRED if evidence == "inferred" else evidence.replace("+", ", ")


def total_text(total: int, soft: bool) -> str:
    """``17`` or ``soft 17``; a 21 is a 21."""
    return f"soft {total}" if soft and total != 21 else str(total)


def signed_text(cents: int) -> str:
    """Return an amount with its sign: above zero in the player's favour."""
    return f"+{money(cents)}" if cents > 0 else money(cents)


def logged_text(paid_cents: int, taken_cents: int) -> str:
    """Name the logged payment and collection."""
    parts = [f"{money(paid_cents)} paid"] if paid_cents else []
    parts += [f"{money(taken_cents)} taken"] if taken_cents else []
    return " and ".join(parts) or "nothing paid, nothing taken"


def reading_text(name: str, value: str, default: str, why: str) -> str:
    """Return a reading that decided a verdict, with its reason."""
    if value != default:
        return f"{name} = {value}, set by the operator (default {default}: {why})"
    return f"{name} = {value}: {why}"


def setting_text(value: Any) -> str:
    """The value of an option."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def rulings_text(rulings: Sequence[str]) -> str:
    return " and ".join(", ".join(RULING_WORDS[ruling] for ruling in rulings).rsplit(", ", 1))


def listed(value: Any) -> list[Any]:
    """A field that may be absent, one value or a list."""
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


# Events.


def _who(event: Event) -> str:
    return place_text(event["seat"], event.get("hand"), event.get("bettor")).capitalize()


def _wager(e: Event) -> str:
    amount, kind = money(e["cents"]), e["kind"]
    box = place_text(e["seat"], None, e.get("bettor")).capitalize()
    said = {
        "main": f"{box} bets {amount}",
        "insurance": f"{box} insures for {amount}",
        "split": f"{box} puts {amount} on hand {e.get('hand', 1)} for a split",
        "double": f"{_who(e)} adds {amount} to double",
    }.get(kind, f"{box} bets {amount} on {SIDE_NAMES.get(kind, KIND_NAMES[kind])}")
    said += f" for bettor {e['for_bettor']}" if e.get("for_bettor") else ""
    return said + (f" (patron {e['patron']})" if e.get("patron") else "")


def _decision(e: Event) -> str:
    does = {
        "hit": "asks for a card",
        "stand": "stands",
        "double": "doubles",
        "split": "splits",
        "surrender": "surrenders",
        "rescue": "takes the double back (rescue)",
    }[e["action"]]
    bettors = listed(e.get("bettors"))
    return f"{_who(e)} {does}" + (f", bettor {', '.join(map(str, bettors))} only" if bettors else "")


def _settle(e: Event) -> str:
    paid, taken = e.get("paid_cents") or 0, e.get("taken_cents") or 0
    parts = [f"{money(abs(paid))} {'paid' if paid > 0 else 'of a payment reversed'}"] if paid else []
    parts += [f"{money(abs(taken))} {'taken' if taken > 0 else 'of a collection returned'}"] if taken else []
    return f"{_who(e)}, {KIND_NAMES[e['kind']]}: {' and '.join(parts) or 'push'}"


def _irregularity(e: Event) -> str:
    if e.get("inferred"):
        return _inferred(e)
    by = f" by {e['by']}" if e.get("by") else ""
    where = f" for {place_text(e['seat'], e.get('hand'), e.get('bettor'))}" if e.get("seat") else ""
    missed = f", {'first' if e['card'] == 1 else 'second'} card missed" if e.get("card") else ""
    return f"Ruling{by} on {e['code']}{where}{missed}: {rulings_text(listed(e.get('ruling'))) or 'none'}"


def _inferred(e: Event) -> str:
    """An irregularity that the audit supposes."""
    said = sentence(e["code"], e.get("seat"), e.get("hand"), None, None, {})
    other = f", from {place_text(e['refused_by'][0])}" if e.get("refused_by") else ""
    missed = f", {'first' if e['card'] == 1 else 'second'} card missed" if e.get("card") else ""
    drawn = f", card {' and '.join(map(str, listed(e['n'])))} of the shoe" if e.get("n") else ""
    return f"{INFERRED}. {said}{missed}{other}{drawn}"


_ACTION_WORDS: Final = {
    "start_round": "round started",
    "cancel_round": "round cancelled",
    "trigger": "trigger entered",
    "spin": "the wheel turns",
    "confirm": "result confirmed",
    "enable_spin": "spin enabled",
    "disable_spin": "spin disabled",
    "hot_spot": "hot spot",
    "community": "prize for everybody",
    "prize": "prize",
    "cancel_jackpot": "jackpot cancelled",
    "pay_jackpot": "jackpot to be paid",
    "authorize": "authorised",
    "paid": "marked as paid",
    "end_round": "round ended",
    "must_hit": "must-hit jackpot",
}


def _progressive(e: Event) -> str:
    said = f"{KIND_NAMES[e['system']]}: {_ACTION_WORDS[e['action']]}"
    said += f", {place_text(e['seat'], None, e.get('bettor'))}" if e.get("seat") else ""
    said += f", the wheel shows {e['symbol']}" if e.get("symbol") else ""
    said += f", {money(e['prize_cents'])}" if e.get("prize_cents") is not None else ""
    said += f", {e.get('meter', 'the')} meter at {money(e['meter_cents'])}" if e.get("meter_cents") is not None else ""
    return said + (f", by {e['by']}" if e.get("by") else "")


def _loaded(e: Event) -> str:
    source = "the discards" if e.get("from") == "discards" else f"set {e.get('decks_id', '?')}"
    return f"Shoe {e.get('shoe', '?')} is loaded from {source}, shuffle: {e.get('shuffle', 'machine')}"


_EVENT_WORDS: Final[dict[str, Callable[[Event], str]]] = {
    "wager": _wager,
    "bets_closed": lambda e: "No more bets",
    "offer": lambda e: f"{e['what'].capitalize()} is {'offered' if e['state'] == 'open' else 'closed'}",
    "decision": _decision,
    "assign": lambda e: f"{place_text(e['seat'], None, e.get('bettor')).capitalize()} chooses hand {e.get('hand', 1)}",
    "withdraw": lambda e: f"{_who(e)} takes back the {KIND_NAMES[e['kind']]}",
    "settle": _settle,
    "irregularity": _irregularity,
    "progressive": _progressive,
    "round_end": lambda e: "The round ends",
    "draw": lambda e: f"{card_text(e['card']) if e.get('card') else 'A card that was not read'} leaves the shoe",
    "hole_card_check": lambda e: f"The card reader says: {e['result'].replace('no-', 'no ')}",
    "reader_check": lambda e: f"The card reader is inspected: {e['result']}",
    "fault": lambda e: f"Fault: {e['device']}",
    "repaired": lambda e: f"Repaired: {e['device']}",
    "cut_card": lambda e: f"The cut card comes out after {e['n']} cards",
    "shoe_loaded": _loaded,
    "shoe_ended": lambda e: f"Shoe {e.get('shoe', '?')} ends with {e['remaining']} cards left",
    "open": lambda e: f"The table opens, dealer {e.get('dealer', 'not named')}",
    "close": lambda e: "The table closes",
    "inspection": lambda e: (
        f"Decks {e.get('decks_id', '?')} are inspected by {', '.join(map(str, listed(e.get('by'))))}"
    ),
    "dealer_change": lambda e: f"{e['dealer']} takes over as dealer",
    "cut": lambda e: f"Shoe {e.get('shoe', '?')} is cut by {e.get('by', 'an unnamed person')}",
}


def event_text(event: Event) -> str:
    """One event in words."""
    return _EVENT_WORDS[event["type"]](event)
