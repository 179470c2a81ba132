"""From a table's entry in floor.toml to the engine's numbers."""

from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import numpy as np

from replay import ops, rules, situations
from replay.cards import RANKS
from replay.floor import FloorError, Table
from replay.rulebook import Rulebook, odds
from replay.rules import Rules

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


_SHARES: Final = {"players": "player", "wagers": "wager"}


@lru_cache(maxsize=2048)
def compile_rules(table: Table) -> Rules:
    """The engine's numbers for a table: parameters, options and readings of its rulebook."""
    clause, prescribes, permits, report = _citations(table.book)
    odds_num, odds_den, odds_clause = _odds(table)
    return Rules(
        **_the_deal(table, clause, prescribes),
        **_player_hands(table),
        **_surrender_and_insurance(table),
        **_limits(table),
        **_super_bonus(table),
        **_readings(table),
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


def _the_deal(table: Table, clause: rules.I64, prescribes: rules.I64) -> dict[str, Any]:
    """The deal, the dealer and the reader."""
    p, o = table.book.parameters, table.options
    return {
        "hole_card": _offered(p["hole_card"], o.get("hole_card")),
        "reader": _offered(p["reader"], o.get("card_reader")),
        "reader_up": _ranks(p.get("reader_up_cards", "")),
        "reader_stops": _is(p.get("reader_fault", "without-reader"), "stop", "without-reader"),
        "reader_reveals": int(bool(o.get("reader_reveals_hole_card"))),
        "soft_17_draws": _is(p["dealer_soft_17"], "draws", "stands"),
        "stands_on": p["dealer_stands_on"],
        "burn_first": _burn_first(table),
        "burn_after_refill": int(bool(p.get("burn_after_refill"))),
        "one_ten": _removal(prescribes, situations.SHOE__TEN_FOUND),
        "more_tens": _removal(prescribes, situations.SHOE__TENS_MULTIPLE, situations.SHOE__TEN_FOUND),
        "one_face_up": _removal(prescribes, situations.SHOE__FACE_UP),
        "more_face_up": _removal(prescribes, situations.SHOE__FACE_UP_MULTIPLE, situations.SHOE__FACE_UP),
        "face_up_counts": int(clause[situations.SHOE__FACE_UP_MULTIPLE] >= 0),
    }


def _player_hands(table: Table) -> dict[str, Any]:
    """Doubling, splitting, drawing."""
    p, o = table.book.parameters, table.options
    _only(p["double_max"], "original")
    _only(p["split_stake"], "original")
    return {
        "wins_at_once": _is(p["player_21"], "wins-at-once", "beats-dealer-21"),
        "ace_on_double": _index(p["ace_on_double"], "normal", "first-two-count-one", "initial-deal-counts-one"),
        "double_first_two": _is(p["double_cards"], "first-two", "two-or-more"),
        "double_split_aces": int(p["double_split_aces"]),
        "double_min": _index(p["double_min"], "none", "table-minimum", "increment"),
        "rescue_max": p["rescue_max_total"],
        "rescue_before_next": int(bool(p.get("rescue_before_next_card"))),
        "max_hands": o.get("max_hands_per_box", 4) if p["split_max_hands"] == "option" else p["split_max_hands"],
        "aces_once": _is(p["split_aces"], "once-one-card", "free"),
        "resplit_aces": int(bool(o.get("resplit_aces", True))),
        "must_draw_below": p.get("must_draw_below", 0),
        "absent_above": p.get("absent_draws_above", p.get("absent_draws_to", 1) - 1),
        "absent_soft": p.get("absent_soft_draws_to", 0),
        "bonus_on_split": int(p["bonus_on_split"]),
        "bonus_on_double": int(p["bonus_on_double"]),
        "takes_double": int(p["dealer_blackjack_takes_double"]),
        "assign_first_only": _is(p.get("uncovered_split", "first-hand"), "first-hand", "either-hand"),
        "assign_before_cards": int(bool(p.get("assign_before_cards"))),
    }


def _surrender_and_insurance(table: Table) -> dict[str, Any]:
    """Surrender and insurance."""
    p = table.book.parameters
    surrender, insurance = Fraction(p["surrender_share"]), Fraction(p["insurance_share"])
    return {
        "surrender_up": _ranks(RANKS if p["surrender_up_cards"] == "any" else p["surrender_up_cards"]),
        "surrender_first": _is(p["surrender_time"], "first", "turn"),
        "surrender_by_bettor": _is(table.readings.get("surrender_binds", "box"), "bettor", "box"),
        "surrender_waits": _ranks(p.get("surrender_waits_up_cards", p["surrender_up_cards"])),
        "late_surrender": int(bool(p.get("surrender_if_not_offered"))),
        "late_insurance": int(bool(p.get("insurance_if_not_offered"))),
        "surrender_num": surrender.numerator,
        "surrender_den": surrender.denominator,
        "insurance_up": _ranks(p["insurance_up_card"]),
        "insurance_after_second": _is(p.get("insurance_collected", "after-check"), "after-second-card", "after-check"),
        "insurance_num": insurance.numerator,
        "insurance_den": insurance.denominator,
        "insurance_rounds_up": int(p["insurance_rounds_up"]),
        "insurance_chips": int(bool(p.get("insurance_payable_in_chips"))),
        "insurance_with_blackjack": int(p["insurance_with_blackjack"]),
        "insurance_for_others": int(bool(p.get("insurance_for_others"))),
    }


def _limits(table: Table) -> dict[str, Any]:
    """What may be staked, by how many, and in which order it is settled."""
    p, o = table.book.parameters, table.options
    return {
        "chip": table.chip_unit_cents,
        "min_cents": table.min_cents,
        "max_cents": table.max_cents,
        "over_to_maximum": _is(p.get("over_maximum"), "to-maximum", None),
        "under_once": _is(p.get("under_minimum"), "once", None),
        "payout_cap": o.get("payout_cap_cents") or 0,
        "increment": o.get("min_increment_cents") or 0,
        "match_offered": int(bool(o.get("match"))),
        "match_min": o["match_min_cents"] if "match_min_cents" in table.given else p.get("match_min_cents", 0),
        "match_max": o.get("match_max_cents") or 0,
        "match_within_main": _is(p.get("match_max"), "main", None),
        "pair_offered": int(bool(o.get("pair"))),
        "bettors_max": o["bettors_per_box"] if "bettors_per_box" in table.given else p["bettors_per_box"],
        "bettors_book": p["bettors_per_box"],
        "boxes_per_player": o.get("boxes_per_player") or 0,
        "entry": _index(o.get("mid_shoe_entry", "allow"), "allow", "minimum", "forbid"),
        "settle_order": _settle_order(table),
        "match_order": _index(p.get("match_order", "free"), "free", "collect-then-pay", "right-to-left"),
    }


def _super_bonus(table: Table) -> dict[str, Any]:
    """The Super Bonus and its shares."""
    p = table.book.parameters
    low, high = p["super_bonus.low"], p["super_bonus.high"]
    _only(table.book.readings["share_per"].default, _SHARES[p["super_bonus.share_to"]])
    return {
        "super_low_from": low["from_cents"],
        "super_low_to": low.get("to_cents", high["from_cents"] - 1)
        if table.readings.get("super_bonus_steps") == "literal"
        else high["from_cents"] - 1,
        "super_low_prize": low["prize_cents"],
        "super_high_from": high["from_cents"],
        "super_high_prize": high["prize_cents"],
        "super_low_clause": table.book.stated_by["super_bonus.low"],
        "super_high_clause": table.book.stated_by["super_bonus.high"],
        "super_double_clause": table.book.stated_by["super_bonus_on_double"],
        "super_split_clause": table.book.stated_by["super_bonus_on_split"],
        "super_on_split": int(p["super_bonus_on_split"]),
        "super_on_double": int(p["super_bonus_on_double"]),
        "super_waits": int(bool(p.get("super_bonus_hand_waits"))),
        "share_cents": p["super_bonus.share_cents"],
        "share_per_player": _is(table.readings.get("share_per", "wager"), "player", "wager"),
        "share_to_winning_double": int(p["super_bonus.share_to_winning_double"]),
    }


def _readings(table: Table) -> dict[str, Any]:
    """How the text is read where it is open."""
    p = table.book.parameters
    return {
        "blackjack_against_21": _is(table.readings.get("blackjack_pays", "always"), "against-21", "always"),
        "split_21": _index(table.readings.get("split_two_card_21", "win"), "push", "win", "win-3-2"),
        "after_split": _index(
            table.readings.get("dealer_blackjack_after_split", "all"), "busted-plus-one", "original", "all"
        ),
        "bust_original_only": _is(table.readings.get("bust_before_dealer_blackjack", "lost"), "original-only", "lost"),
        "undoubled_bonus": _is(table.readings.get("undoubled_bettor_odds", "even"), "bonus", "even"),
        "undoubled_super": int(bool(p.get("super_bonus_for_undoubled"))),
        "stopped_short_complete": _is(table.readings.get("dealer_stopped_short", "as-dealt"), "complete", "as-dealt"),
        "late_honoured": _is(table.readings.get("late_wager", "refused"), "honoured", "refused"),
        "count_within_shoe": _is(table.readings.get("more_than_one_within", "round"), "shoe", "round"),
        "excess_whole": _is(table.readings.get("excess_wager", "to-limit"), "whole", "to-limit"),
    }


def _progressives(table: Table) -> dict[str, Any]:
    """Bonus Spin and Bonus Spin Xtreme."""
    p, o = table.book.parameters, table.options
    _only(p.get("bonus_spin.trigger", "player-blackjack"), "player-blackjack")
    _only(p.get("bsx16.trigger", "dealer-6-and-ten-value"), "dealer-6-and-ten-value")
    spin, bsx = table.progressive.get("bonus-spin", {}), table.progressive.get("bsx16", {})
    return {
        "spin_offered": int(bool(o.get("bonus_spin"))),
        "bsx_offered": int(bool(o.get("bsx16"))),
        "bsx_pays_symbol": int(bool(p.get("bsx16.pays_symbol"))),
        "bsx_protocol": int(bool(p.get("bsx16.protocol"))),
        "bsx_prize_stake": p.get("bsx16.paytable_stake_cents", 0),
        "bsx_stake_clause": table.book.stated_by.get("bsx16.paytable_stake_cents", rules.NO_CLAUSE),
        "spin_jackpot_fixed": _spin_jackpot(table),
        "spin_authorise": spin.get("authorise_from_cents", 0),
        "bsx_authorise": bsx.get("authorise_from_cents", 0),
        "spin_stakes": np.array(p.get("bonus_spin.stakes_cents", []), dtype=np.int64),
        "bsx_stakes": np.array(p.get("bsx16.stakes_cents", []), dtype=np.int64),
        "prizes": _prizes(table),
    }


def _shoes(table: Table) -> dict[str, Any]:
    """Decks, cuts, burns and inspections."""
    p, o = table.book.parameters, table.options
    least, most = Fraction(p.get("cut_card_min_from_back", "0")), Fraction(p.get("cut_card_max_from_back", "1"))
    return {
        "decks": table.decks,
        "cards_per_deck": p["cards_per_deck"],
        "max_age_ms": p.get("decks_max_age_hours", 0) * 3_600_000,
        "cut_least_num": least.numerator,
        "cut_least_den": least.denominator,
        "cut_most_num": most.numerator,
        "cut_most_den": most.denominator,
        "cut_ends": p.get("cut_min_from_ends_cards", p.get("cut_min_from_ends_decks", 0) * p["cards_per_deck"]),
        "cut_needed": int("cut_needed" in p),
        "cut_needed_after_machine": _is(p.get("cut_needed", "always"), "always", "not-after-machine"),
        "cut_first_reshuffles": _is(
            p.get("cut_card_first_of_round", "finish-round"), "reshuffle-at-once", "finish-round"
        ),
        "burn_new_dealer": int(bool(p.get("burn_new_dealer"))),
        "inspectors": p.get("inspectors_min", 1),
        "two_sets": int(bool(p.get("two_sets_with_shuffler"))),
        "continuous": int(bool(o.get("continuous_shuffler"))),
    }


def _is(value: Any, yes: Any, no: Any) -> int:
    if value not in (yes, no):
        raise FloorError(f"found {value!r} where only {yes!r} or {no!r} has a meaning")
    return int(value == yes)


def _only(value: Any, expected: Any) -> Any:
    """A parameter that has one meaning so far; another value needs code first."""
    if value != expected:
        raise FloorError(f"found {value!r} where only {expected!r} has a meaning")
    return value


def _index(value: Any, *choices: str) -> int:
    if value not in choices:
        raise FloorError(f"found {value!r} where only {', '.join(choices)} have a meaning")
    return choices.index(value)


def _offered(parameter: str, option: Any) -> int:
    return int(bool(option)) if _index(parameter, "never", "always", "option") == 2 else int(parameter == "always")


def _ranks(letters: str) -> int:
    return sum(1 << RANKS.index(letter) for letter in letters)


def _burn_first(table: Table) -> int:
    stated = table.book.parameters["burn_first"]
    return int(bool(table.options.get("burn_first_card")) if stated == "option" else _only(stated, True))


def _settle_order(table: Table) -> int:
    stated = table.book.parameters["settle_order"]
    chosen = table.options.get("settle_order", "collect-then-pay") if stated == "option" else stated
    return _index(chosen, "free", "collect-then-pay", "right-to-left")


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
    """What becomes of a card that should not be there, by the ruling that its clause prescribes."""
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
        clause[row] = stated[parts[0]]
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
        _index(value, "meter", "fixed")
        rows.append((system, ops.JACKPOT, 0, -1, 0, stake, clause))
    elif label == "jackpot-secondary":
        _only(value, "secondary-meter")
        rows.append((system, ops.JACKPOT_SECONDARY, 0, -1, 0, stake, clause))
    elif label.startswith("community-"):
        spinner, others = value if isinstance(value, list) else (0, value)
        rows.append((system, ops.COMMUNITY_AMOUNT, int(label[10:]) * 100, spinner, others, stake, clause))
    elif label.isdigit():
        rows.append((system, ops.AMOUNT, int(label) * 100, value, 0, stake, clause))
