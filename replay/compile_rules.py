"""From a table's entry in floor.toml to the engine's numbers."""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, cast

import numpy as np

from replay import ops, rules, settings, situations
from replay.floor import Table
from replay.kinds import NumberKind
from replay.rulebook_file import Rulebook, odds
from replay.rules import Rules
from replay.settings import OPTION, Setting

# Checks that rest on floor.toml or on the log itself where the rulebook has no clause for them.
_WITHOUT_CLAUSE: Final = frozenset(
    {
        "wager.below-minimum",
        "wager.above-maximum",
        "wager.not-offered",
        "wager.side-limit/match-posted",
        "wager.side-limit/match-minimum",
        "wager.too-many-boxes",
        "wager.too-many-bettors",
        "wager.mid-shoe-entry",
        "progressive.unauthorised",
        "progressive.meter-drift",
        "deal.count-mismatch",
        "play.illegal-double/cards",
        "play.illegal-double/split-aces",
        "wager.insurance-ineligible/blackjack",
        "shoe.composition",
        "shoe.deck-count",
        "shoe.ended-mid-round",
        "shoe.decks-withdrawn-reused",
        "play.out-of-turn",
        "play.illegal-hit/finished",
        "play.illegal-double/finished",
        "round.void-unjustified",
        "outcome.capped",
        "outcome.withdrawn",
        "outcome.withdrawn-plays-on",
        "outcome.void",
        "outcome.dead-hand",
    }
)


@lru_cache(maxsize=2048)
def compile_rules(table: Table) -> Rules:
    """The engine's numbers for a table: parameters, options and readings of its rulebook."""
    clause, prescribes, permits, report = _citations(table.book)
    odds_num, odds_den, odds_clause = _odds(table)
    return Rules(
        **_plain(settings.PARAMETERS, table.book.parameters),
        **_plain(settings.OPTIONS, _chosen(table)),
        **_plain(settings.READINGS, table.readings),
        **_the_deal(table, clause, prescribes),
        **_player_hands(table),
        **_surrender_and_insurance(table),
        **_limits(table),
        **_super_bonus(table),
        **_progressives(table),
        **_shoes(table),
        odds_num=odds_num,
        odds_den=odds_den,
        odds_clause=odds_clause,
        clause=clause,
        prescribes=prescribes,
        permits=permits,
        report=report,
    )


def _plain(declared: Mapping[str, Setting], values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the engine that take a setting's number as it is."""
    return {
        setting.field: cast(NumberKind, setting.kind).number(values.get(name, setting.default))
        for name, setting in declared.items()
        if setting.field
    }


def _chosen(table: Table) -> dict[str, Any]:
    """Every option: as the table chose it, or by default."""
    return {name: table.options.get(name, option.default) for name, option in settings.OPTIONS.items()}


def _the_deal(table: Table, clause: rules.I64, prescribes: rules.I64) -> dict[str, Any]:
    """The deal, the dealer and the reader."""
    p, o = table.book.parameters, _chosen(table)
    return {
        "hole_card": int(o["hole_card"] if p["hole_card"] == OPTION else p["hole_card"] == "always"),
        "reader": int(o["card_reader"] if p["reader"] == OPTION else p["reader"] == "always"),
        "burn_first": int(o["burn_first_card"] if p["burn_first"] == OPTION else p["burn_first"]),
        "one_ten": _removal(prescribes, situations.SHOE__TEN_FOUND),
        "more_tens": _removal(prescribes, situations.SHOE__TENS_MULTIPLE, situations.SHOE__TEN_FOUND),
        "one_face_up": _removal(prescribes, situations.SHOE__FACE_UP),
        "more_face_up": _removal(prescribes, situations.SHOE__FACE_UP_MULTIPLE, situations.SHOE__FACE_UP),
        "face_up_counts": int(clause[situations.SHOE__FACE_UP_MULTIPLE] >= 0),
    }


def _player_hands(table: Table) -> dict[str, Any]:
    """Set the number of hands a box may have, and the totals to which an absent player's hand draws."""
    p, o = table.book.parameters, _chosen(table)
    return {
        "max_hands": o["max_hands_per_box"] if p["split_max_hands"] == OPTION else p["split_max_hands"],
        "absent_above": p.get("absent_draws_above", p.get("absent_draws_to", 1) - 1),
    }


def _surrender_and_insurance(table: Table) -> dict[str, Any]:
    """Surrender and insurance."""
    p = table.book.parameters
    surrender, insurance = Fraction(p["surrender_share"]), Fraction(p["insurance_share"])
    waits = p.get("surrender_waits_up_cards", p["surrender_up_cards"])
    return {
        "surrender_waits": cast(NumberKind, settings.PARAMETERS["surrender_waits_up_cards"].kind).number(waits),
        "surrender_num": surrender.numerator,
        "surrender_den": surrender.denominator,
        "insurance_num": insurance.numerator,
        "insurance_den": insurance.denominator,
    }


def _limits(table: Table) -> dict[str, Any]:
    """Set the limits of wagers and bettors, and the order of settlement."""
    p, o = table.book.parameters, _chosen(table)
    settle_order = o["settle_order"] if p["settle_order"] == OPTION else p["settle_order"]
    return {
        "chip": table.chip_unit_cents,
        "min_cents": table.min_cents,
        "max_cents": table.max_cents,
        "match_min": int(o["match_min_cents"] if "match_min_cents" in table.given else p.get("match_min_cents", 0)),
        "bettors_max": o["bettors_per_box"] if "bettors_per_box" in table.given else p["bettors_per_box"],
        "settle_order": cast(NumberKind, settings.PARAMETERS["settle_order"].kind).number(settle_order),
    }


def _super_bonus(table: Table) -> dict[str, Any]:
    """The steps of the Super Bonus, and the clauses that state them."""
    p, stated = table.book.parameters, table.book.stated_by
    low, high = p["super_bonus.low"], p["super_bonus.high"]
    up_to_next = high["from_cents"] - 1
    literal = table.readings.get("super_bonus_steps") == "literal"
    return {
        "super_low_from": low["from_cents"],
        "super_low_to": low.get("to_cents", up_to_next) if literal else up_to_next,
        "super_low_prize": low["prize_cents"],
        "super_high_from": high["from_cents"],
        "super_high_prize": high["prize_cents"],
        "super_low_clause": stated.get("super_bonus.low", rules.NO_CLAUSE),
        "super_high_clause": stated.get("super_bonus.high", rules.NO_CLAUSE),
        "super_double_clause": stated.get("super_bonus_on_double", rules.NO_CLAUSE),
        "super_split_clause": stated.get("super_bonus_on_split", rules.NO_CLAUSE),
    }


def _progressives(table: Table) -> dict[str, Any]:
    """Bonus Spin and Bonus Spin Xtreme."""
    p = table.book.parameters
    spin, bsx = table.progressive.get("bonus-spin", {}), table.progressive.get("bsx16", {})
    return {
        "spin_offered": int(bool(_chosen(table)["bonus_spin"])),
        "bsx_stake_clause": table.book.stated_by.get("bsx16.paytable_stake_cents", rules.NO_CLAUSE),
        "spin_jackpot_fixed": _spin_jackpot(table),
        "spin_authorise": spin.get("authorise_from_cents", 0),
        "bsx_authorise": bsx.get("authorise_from_cents", 0),
        "spin_stakes": np.array(p.get("bonus_spin.stakes_cents", []), dtype=np.int64),
        "bsx_stakes": np.array(p.get("bsx16.stakes_cents", []), dtype=np.int64),
        "prizes": _prizes(table),
    }


def _shoes(table: Table) -> dict[str, Any]:
    """Decks and cuts."""
    p = table.book.parameters
    least, most = Fraction(p["cut_card_min_from_back"]), Fraction(p["cut_card_max_from_back"])
    return {
        "decks": table.decks,
        "max_age_ms": p["decks_max_age_hours"] * 3_600_000,
        "cut_least_num": least.numerator,
        "cut_least_den": least.denominator,
        "cut_most_num": most.numerator,
        "cut_most_den": most.denominator,
        "cut_ends": p.get("cut_min_from_ends_cards", p.get("cut_min_from_ends_decks", 0) * p["cards_per_deck"]),
        "cut_needed": int(p["cut_needed"] != "never"),
        "cut_needed_after_machine": int(p["cut_needed"] != "not-after-machine"),
    }


def _citations(book: Rulebook) -> tuple[rules.I64, rules.I64, rules.I64, rules.I64]:
    clause = np.full(situations.COUNT, rules.NOT_CHECKED, dtype=np.int64)
    prescribes = np.zeros((situations.COUNT, 4), dtype=np.int64)
    permits = np.zeros(situations.COUNT, dtype=np.int64)
    report = np.zeros(situations.COUNT, dtype=np.int64)
    for slot, name in enumerate(situations.NAMES):
        found = book.clause_for(slot)
        if found < 0:
            if (
                (name.startswith("settlement.") and "/" not in name)
                or name in _WITHOUT_CLAUSE
                or name.partition("/")[0] in _WITHOUT_CLAUSE
            ):
                clause[slot] = rules.NO_CLAUSE
            continue
        clause[slot] = found
        row = book.clauses[found]
        if row.handles and name not in row.handles and name.partition("/")[0] not in row.handles:
            continue
        for n, rulings in enumerate(row.prescribes):
            prescribes[slot, n] = sum({ops.RULING_BITS[ruling] for ruling in rulings})
        permits[slot] = sum({ops.RULING_BITS[ruling] for ruling in row.permits})
        report[slot] = int(row.report)
    return clause, prescribes, permits, report


def _removal(prescribes: rules.I64, slot: int, fallback: int = -1) -> int:
    """Return the fate of a card that should not be there, by the ruling that its clause prescribes."""
    wanted = int(prescribes[slot, 0])
    if not wanted:
        return rules.OPERATOR if fallback < 0 else _removal(prescribes, fallback)
    if wanted & ops.VOID:
        return rules.VOID
    return rules.REMOVE if wanted & ops.REMOVE_CARD else rules.PLAY


def _odds(table: Table) -> tuple[rules.I64, rules.I64, rules.I64]:
    p, stated = table.book.parameters, table.book.stated_by
    num = np.zeros(len(rules.ODDS), dtype=np.int64)
    den = np.ones(len(rules.ODDS), dtype=np.int64)
    clause = np.full(len(rules.ODDS), rules.NO_CLAUSE, dtype=np.int64)
    per_card = f"odds.match.{6 if table.decks <= 6 else 8}"
    suited, unsuited = f"{per_card}.suited", f"{per_card}.unsuited"
    sums = {
        "match.2-suited": (suited, suited),
        "match.1-suited-1-unsuited": (suited, unsuited),
        "match.1-suited": (suited,),
        "match.2-unsuited": (unsuited, unsuited),
        "match.1-unsuited": (unsuited,),
    }
    for row, name in enumerate(rules.ODDS):
        parts: tuple[str, ...] = (f"odds.{name}",)
        if parts[0] not in p:
            parts = sums.get(name, ())
        if any(part not in p for part in parts) or not parts:
            continue
        value = sum((odds(p[part]) for part in parts), Fraction(0))
        num[row], den[row] = value.numerator, value.denominator
        clause[row] = stated.get(parts[0], rules.NO_CLAUSE)
    return num, den, clause


def _spin_jackpot(table: Table) -> int:
    letter = table.options.get("bonus_spin")
    if letter and table.book.parameters.get(f"bonus_spin.{letter}.jackpot") == "fixed":
        return int(table.progressive.get("bonus-spin", {}).get("jackpot_cents", -1))
    return -1


# The community tables for the other stake: 12.D(9) has A and B for $1, 12.D(10) C and D for $5.
_OTHER_STAKE: Final = {"A": "C", "B": "D", "C": "A", "D": "B"}


def _prizes(table: Table) -> rules.I64:
    """Rows of system, class of symbol, amount on it, winner's prize, others' prize, others' stake, clause."""
    rows: list[tuple[int, ...]] = []
    letter = table.options.get("bonus_spin")
    for name, value in table.book.parameters.items():
        system, _, rest = name.partition(".")
        clause = table.book.stated_by.get(name, rules.NO_CLAUSE)
        if system == "bsx16" and table.options.get("bsx16"):
            _add_prize(rows, 1, rest, value, 0, clause)
        elif system == "bonus_spin" and letter and rest[:2] == f"{letter}.":
            _add_prize(rows, 0, rest[2:], value, 500 if letter in "CD" else 100, clause)
        elif system == "bonus_spin" and letter and rest[:2] == f"{_OTHER_STAKE[letter]}." and "community" in rest:
            _add_prize(rows, 2, rest[2:], value, 500 if letter in "AB" else 100, clause)
    return np.array(rows, dtype=np.int64).reshape(len(rows), 7)


def _add_prize(rows: list[tuple[int, ...]], system: int, label: str, value: Any, stake: int, clause: int) -> None:
    if label == "jackpot":
        rows.append((system, ops.JACKPOT, 0, -1, 0, stake, clause))
    elif label == "jackpot-secondary":
        rows.append((system, ops.JACKPOT_SECONDARY, 0, -1, 0, stake, clause))
    elif label.startswith("community-"):
        spinner, others = value if isinstance(value, list) else (0, value)
        rows.append((system, ops.COMMUNITY_AMOUNT, int(label[10:]) * 100, spinner, others, stake, clause))
    elif label.isdigit():
        rows.append((system, ops.AMOUNT, int(label) * 100, value, 0, stake, clause))
