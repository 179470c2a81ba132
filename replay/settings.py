"""Parameters, options and readings that a rulebook may set: kind and default, beside the field that uses each."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from replay.kinds import MOST_CENTS, Either, Fields, Flag, Kind, Odds, Ranks, Share, Whole, Wholes, Words

CENTS: Final = Whole(0, MOST_CENTS)
POSTED_CENTS: Final = Whole(0, MOST_CENTS, or_false=True)
OPTION: Final = "option"  # as a parameter's value: floor.toml decides, by the option of that parameter
REQUIRED: Final = object()


@dataclass(frozen=True)
class Setting:
    """A name with a meaning for the engine.

    ``default`` is its value where no rulebook sets it, None where that follows from other settings. ``field`` is the
    field of ``replay.rules.Rules`` that takes the value's number; ``replay.compile_rules`` works out the others.
    """

    name: str
    kind: Kind
    default: Any = REQUIRED
    field: str = ""
    option: str = ""  # of a parameter: the option that may decide in its place, or whose limit it states
    is_house: bool = False  # of an option: a limit that a house may post under any rulebook

    @property
    def is_required(self) -> bool:
        return self.default is REQUIRED


def _named(settings: Iterable[Setting]) -> Mapping[str, Setting]:
    return {setting.name: setting for setting in settings}


_STEP: Final = Fields({"from_cents": CENTS, "to_cents": CENTS, "prize_cents": CENTS}, frozenset({"to_cents"}))
_OFFERED: Final = Words("never", "always", OPTION)
_ORDER: Final = ("free", "collect-then-pay", "right-to-left")

_DEAL: Final = (
    Setting("hole_card", _OFFERED, option="hole_card"),
    Setting("reader", _OFFERED, option="card_reader"),
    Setting("reader_up_cards", Ranks(), "", field="reader_up"),
    Setting("reader_fault", Words("without-reader", "stop"), "without-reader", field="reader_stops"),
    Setting("dealer_soft_17", Words("stands", "draws"), field="soft_17_draws"),
    Setting("dealer_stands_on", Whole(12, 21), field="stands_on"),
    Setting("burn_first", Words(True, False, OPTION), option="burn_first_card"),
    Setting("burn_after_refill", Flag(), field="burn_after_refill"),
    Setting("burn_new_dealer", Flag(), field="burn_new_dealer"),
)
_PLAYER_HANDS: Final = (
    Setting("player_21", Words("beats-dealer-21", "wins-at-once"), field="wins_at_once"),
    Setting("ace_on_double", Words("normal", "first-two-count-one", "initial-deal-counts-one"), field="ace_on_double"),
    Setting("double_cards", Words("two-or-more", "first-two"), field="double_first_two"),
    Setting("double_max", Words("original")),
    Setting("double_min", Words("none", "table-minimum", "increment"), field="double_min"),
    Setting("double_split_aces", Flag(), field="double_split_aces"),
    Setting("rescue_max_total", Whole(0, 21), field="rescue_max"),
    Setting("rescue_before_next_card", Flag(), False, field="rescue_before_next"),
    Setting("split_stake", Words("original")),
    Setting("split_max_hands", Either(Whole(1, 99), Words(OPTION)), option="max_hands_per_box"),
    Setting("split_aces", Words("free", "once-one-card"), field="aces_once", option="resplit_aces"),
    Setting("must_draw_below", Whole(0, 21), 0, field="must_draw_below"),
    Setting("absent_draws_above", Whole(0, 21), None),
    Setting("absent_draws_to", Whole(1, 21), None),
    Setting("absent_soft_draws_to", Whole(0, 21), 0, field="absent_soft"),
    Setting("bonus_on_split", Flag(), field="bonus_on_split"),
    Setting("bonus_on_double", Flag(), field="bonus_on_double"),
    Setting("dealer_blackjack_takes_double", Flag(), field="takes_double"),
    Setting("uncovered_split", Words("either-hand", "first-hand"), "first-hand", field="assign_first_only"),
    Setting("assign_before_cards", Flag(), False, field="assign_before_cards"),
)

_SURRENDER_AND_INSURANCE: Final = (
    Setting("surrender_up_cards", Ranks("any"), field="surrender_up"),
    Setting("surrender_waits_up_cards", Ranks("any"), None),  # those of surrender_up_cards
    Setting("surrender_time", Words("turn", "first"), field="surrender_first"),
    Setting("surrender_if_not_offered", Flag(), False, field="late_surrender"),
    Setting("surrender_share", Share()),
    Setting("insurance_up_card", Ranks(), field="insurance_up"),
    Setting("insurance_share", Share()),
    Setting(
        "insurance_collected", Words("after-check", "after-second-card"), "after-check", field="insurance_after_second"
    ),
    Setting("insurance_if_not_offered", Flag(), False, field="late_insurance"),
    Setting("insurance_rounds_up", Flag(), field="insurance_rounds_up"),
    Setting("insurance_payable_in_chips", Flag(), False, field="insurance_chips"),
    Setting("insurance_with_blackjack", Flag(), field="insurance_with_blackjack"),
    Setting("insurance_for_others", Flag(), False, field="insurance_for_others"),
)
_LIMITS: Final = (
    Setting("boxes_min", Whole(1, 31), None),
    Setting("boxes_max", Whole(1, 31), None),
    Setting("bettors_per_box", Whole(1, 15), field="bettors_book", option="bettors_per_box"),
    Setting("over_maximum", Words("as-placed", "to-maximum"), "as-placed", field="over_to_maximum"),
    Setting("under_minimum", Words("as-placed", "once"), "as-placed", field="under_once"),
    Setting("settle_order", Words(*_ORDER, OPTION), option="settle_order"),
    Setting("match_order", Words(*_ORDER), "free", field="match_order"),
    Setting("match_min_cents", CENTS, None, option="match_min_cents"),
    Setting("match_max", Words("posted", "main"), "posted", field="match_within_main"),
)
_SUPER_BONUS: Final = (
    Setting("super_bonus.low", _STEP),
    Setting("super_bonus.high", _STEP),
    Setting("super_bonus_on_split", Flag(), field="super_on_split"),
    Setting("super_bonus_on_double", Flag(), field="super_on_double"),
    Setting("super_bonus_hand_waits", Flag(), False, field="super_waits"),
    Setting("super_bonus_for_undoubled", Flag(), False, field="undoubled_super"),
    Setting("super_bonus.share_cents", CENTS, field="share_cents"),
    Setting("super_bonus.share_to", Words("wagers", "players")),
    Setting("super_bonus.share_to_winning_double", Flag(), field="share_to_winning_double"),
)
_SHOES: Final = (
    Setting("decks", Wholes(1, 255, 12)),
    Setting("cards_per_deck", Whole(1, 52), field="cards_per_deck"),
    Setting("decks_max_age_hours", Whole(0, 8760), 0),
    Setting("cut_card_min_from_back", Share(), "0"),
    Setting("cut_card_max_from_back", Share(), "1"),
    Setting(
        "cut_card_first_of_round",
        Words("finish-round", "reshuffle-at-once"),
        "finish-round",
        field="cut_first_reshuffles",
    ),
    Setting("cut_min_from_ends_cards", Whole(0, 52), None),
    Setting("cut_min_from_ends_decks", Whole(0, 4), None),
    Setting("cut_needed", Words("never", "always", "not-after-machine"), "never"),
    Setting("inspectors_min", Whole(0, 9), 1, field="inspectors"),
    Setting("two_sets_with_shuffler", Flag(), False, field="two_sets"),
)
_STAKES: Final = Wholes(1, MOST_CENTS, 4)
_PROGRESSIVES: Final = (
    Setting("bonus_spin.trigger", Words("player-blackjack"), "player-blackjack"),
    Setting("bonus_spin.stakes_cents", _STAKES, None, option="bonus_spin"),
    Setting("bsx16.trigger", Words("dealer-6-and-ten-value"), "dealer-6-and-ten-value"),
    Setting("bsx16.stakes_cents", _STAKES, None, option="bsx16"),
    Setting("bsx16.paytable_stake_cents", CENTS, 0, field="bsx_prize_stake"),
    Setting("bsx16.pays_symbol", Flag(), False, field="bsx_pays_symbol"),
    Setting("bsx16.protocol", Flag(), False, field="bsx_protocol"),
    Setting("bsx16.reset_min_cents", Wholes(0, MOST_CENTS, 2, count=2, rising=False), None),
    Setting("bsx16.jackpot", Words("meter"), None),
    Setting("bsx16.jackpot-secondary", Words("secondary-meter"), None),
)

# By row of ``replay.rules.ODDS``. A match row without odds of its own is the sum of those per matching card, see below.
_ODDS: Final = (
    *(Setting(f"odds.{row}", Odds()) for row in ("regular", "blackjack", "insurance")),
    *(Setting(f"odds.678-{suits}", Odds()) for suits in ("mixed", "suited", "spades")),
    *(Setting(f"odds.777-{suits}", Odds()) for suits in ("mixed", "suited", "spades")),
    *(Setting(f"odds.{count}-card-21", Odds()) for count in (5, 6, 7)),
    Setting("odds.doubled", Odds(), None),  # those of a regular win
    Setting("odds.pair", Odds(), None, option="pair"),
    *(Setting(f"odds.match.{cards}", Odds(), None) for cards in ("2-suited", "1-suited-1-unsuited", "1-suited")),
    *(Setting(f"odds.match.{cards}", Odds(), None) for cards in ("2-unsuited", "1-unsuited")),
    *(Setting(f"odds.match.{decks}.{suit}", Odds(), None) for decks in (6, 8) for suit in ("suited", "unsuited")),
)

PARAMETERS: Final = _named(
    (*_DEAL, *_PLAYER_HANDS, *_SURRENDER_AND_INSURANCE, *_LIMITS, *_SUPER_BONUS, *_SHOES, *_PROGRESSIVES, *_ODDS)
)
PAYTABLES: Final = ("A", "B", "C", "D")  # of Bonus Spin; rulebooks may leave any out

# Parameters by what their names look like: a prize for each amount or community amount on a progressive's symbols.
_PRIZES: Final = (
    (re.compile(r"bonus_spin\.[A-D]\.[1-9]\d{0,6}"), CENTS),
    (re.compile(r"bonus_spin\.[A-D]\.community-[1-9]\d{0,6}"), Wholes(0, MOST_CENTS, 2, count=2, rising=False)),
    (re.compile(r"bonus_spin\.[A-D]\.jackpot"), Words("meter", "fixed")),
    (re.compile(r"bonus_spin\.[A-D]\.reset_min_cents"), CENTS),
    (re.compile(r"bsx16\.[1-9]\d{0,6}"), CENTS),
    (re.compile(r"bsx16\.community-[1-9]\d{0,6}"), CENTS),
)
OF_A_PAYTABLE: Final = ("jackpot", "reset_min_cents")  # what each paytable of Bonus Spin has to state


def parameter(name: str) -> Kind | None:
    """The kind of a parameter; None where the engine knows none of that name."""
    if name in PARAMETERS:
        return PARAMETERS[name].kind
    return next((kind for pattern, kind in _PRIZES if pattern.fullmatch(name)), None)


OPTIONS: Final = _named(
    (
        Setting("hole_card", Flag(), False),
        Setting("card_reader", Flag(), False),
        Setting("reader_reveals_hole_card", Flag(), False, field="reader_reveals"),
        Setting("max_hands_per_box", Whole(1, 99), 4),
        Setting("resplit_aces", Flag(), True, field="resplit_aces"),
        Setting("match", Flag(), False, field="match_offered"),
        Setting("pair", Flag(), False, field="pair_offered"),
        Setting("bonus_spin", Words(False, *PAYTABLES), False),
        Setting("bsx16", Flag(), False, field="bsx_offered"),
        Setting("bettors_per_box", Whole(1, 15), 1),
        Setting("boxes_per_player", POSTED_CENTS, False, field="boxes_per_player", is_house=True),
        Setting("mid_shoe_entry", Words("allow", "minimum", "forbid"), "allow", field="entry"),
        Setting("settle_order", Words(*_ORDER), "collect-then-pay"),
        Setting("burn_first_card", Flag(), False),
        Setting("continuous_shuffler", Flag(), False, field="continuous"),
        Setting("min_increment_cents", POSTED_CENTS, False, field="increment", is_house=True),
        Setting("match_min_cents", POSTED_CENTS, False, is_house=True),
        Setting("match_max_cents", POSTED_CENTS, False, field="match_max", is_house=True),
        Setting("payout_cap_cents", POSTED_CENTS, False, field="payout_cap", is_house=True),
    )
)
HOUSE_OPTIONS: Final = frozenset(name for name, option in OPTIONS.items() if option.is_house)
# By option: the parameter whose clause speaks of it.
PARAMETER_OF: Final[Mapping[str, str]] = {each.option: name for name, each in PARAMETERS.items() if each.option}

READINGS: Final = _named(
    (
        Setting("surrender_binds", Words("box", "bettor"), "box", field="surrender_by_bettor"),
        Setting("blackjack_pays", Words("always", "against-21"), "always", field="blackjack_against_21"),
        Setting("split_two_card_21", Words("push", "win", "win-3-2"), "win", field="split_21"),
        Setting(
            "dealer_blackjack_after_split", Words("busted-plus-one", "original", "all"), "all", field="after_split"
        ),
        Setting("bust_before_dealer_blackjack", Words("lost", "original-only"), "lost", field="bust_original_only"),
        Setting("undoubled_bettor_odds", Words("even", "bonus"), "even", field="undoubled_bonus"),
        Setting("dealer_stopped_short", Words("as-dealt", "complete"), "as-dealt", field="stopped_short_complete"),
        Setting("late_wager", Words("refused", "honoured"), "refused", field="late_honoured"),
        Setting("more_than_one_within", Words("round", "shoe"), "round", field="count_within_shoe"),
        Setting("excess_wager", Words("to-limit", "whole"), "to-limit", field="excess_whole"),
        Setting("share_per", Words("wager", "player"), "wager", field="share_per_player"),
        Setting("super_bonus_steps", Words("up-to-next", "literal"), "up-to-next"),
    )
)
