"""Published figures of the game, found by counting every deal and asking the engine what it pays.

Situations that differ only in cards which do not matter are judged once and weighted with the number of deals that
give them. Weights are exact fractions.
"""

import tomllib
from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from datetime import date
from fractions import Fraction
from importlib import resources
from itertools import product
from typing import Any, NamedTuple

import pytest

from replay import floor, library, notation, rulebook_file
from replay.audit import Settlement, audit
from replay.cards import RANKS

DECK = tuple(rank + suit for rank in RANKS if rank != "T" for suit in "SHDC")
HEADER = "rulebook md-spanish21\ndecks {decks}\noption match = true\n"


class One(NamedTuple):
    """A single rulebook, whatever it is called."""

    book: rulebook_file.Rulebook

    def find(self, wanted: str) -> rulebook_file.Rulebook:
        return self.book


def settled(decks: int, rounds: Sequence[str], book: rulebook_file.Rulebook | None = None) -> list[list[Settlement]]:
    """Return the engine's verdict on each round's wagers."""
    texts = (f"round {n}\n{text}\nend\n" for n, text in enumerate(rounds))
    script = notation.load(HEADER.format(decks=decks) + "".join(texts))
    plan = floor.parse(script.floor, One(book) if book else library.PACKAGE)
    table = plan.tables[0]
    result = audit(plan, table.id, max(table.since, date(2000, 1, 1)), script.events)
    by_round: list[list[Settlement]] = [[] for _ in rounds]
    for line in result.settlements:
        by_round[int(line.round)].append(line)
    return by_round


def won(lines: Sequence[Settlement], kind: str) -> Fraction:
    """Return the result of the wager of that kind per unit staked."""
    line = next(line for line in lines if line.kind == kind)
    assert line.verdict != "undetermined"
    return Fraction(line.expected_paid_cents - line.expected_taken_cents, line.stake_cents)


def ways(cards: Sequence[str], decks: int) -> int:
    """In how many ways these cards come out of a full shoe in this order."""
    seen: Counter[str] = Counter()
    total = 1
    for card in cards:
        total *= decks - seen[card]
        seen[card] += 1
    return total


def percent(value: Fraction) -> str:
    return f"{float(value * 100):.4f}"


def match_cards(up: str, decks: int) -> dict[str, int]:
    """The player's cards that the match wager can tell apart, and how many of each a full shoe holds."""
    same_rank = {up[0] + suit: decks for suit in "SHDC"}
    others = {rank + up[1]: 4 * decks for rank in RANKS if rank not in ("T", up[0])}
    return {**same_rank, **others}


def match_edge(decks: int, book: rulebook_file.Rulebook | None = None) -> Fraction:
    """Spades stand for every suit of the up card; the hole card makes no difference, nor does the play."""
    weights, texts = [], []
    for rank in RANKS.replace("T", ""):
        held = match_cards(f"{rank}S", decks)
        check = "\ncheck no-blackjack" if rank in "AKQJ" else ""
        for first, second in product(held, repeat=2):
            left = held[first] - (first == f"{rank}S")
            weights.append(4 * decks * left * (held[second] - (second == f"{rank}S") - (second == first)))
            deal = f"{first} {rank}S {second} 9D"
            texts.append(f"bet 1 20\nbet 1 match 10\nno more bets\ndeal {deal}{check}")
    assert sum(weights) == 48 * decks * (48 * decks - 1) * (48 * decks - 2)
    results = settled(decks, texts, book)
    gains = [weight * won(lines, "match") for weight, lines in zip(weights, results, strict=True)]
    return -sum(gains, Fraction(0)) / sum(weights)


def with_parameters(book: str, **changes: str) -> rulebook_file.Rulebook:
    """A rulebook in which some parameters have other values."""
    text = resources.files("replay.rulebooks").joinpath(f"{book}.toml").read_text(encoding="utf-8")
    data: dict[str, Any] = deepcopy(tomllib.loads(text))
    for clause in data["clauses"].values():
        for name in clause.get("sets", {}):
            if name in changes:
                clause["sets"][name] = changes.pop(name)
    assert not changes
    return rulebook_file.parse(data)


@pytest.mark.parametrize(("decks", "expected"), [(6, "3.0555"), (8, "2.9855")])
def test_match_wager_edge(decks: int, expected: str) -> None:
    assert percent(match_edge(decks)) == expected


def test_match_wager_edge_of_six_deck_odds_on_eight_decks() -> None:
    odds = {"odds.match.8.suited": "9:1", "odds.match.8.unsuited": "4:1"}
    assert percent(match_edge(8, with_parameters("md-spanish21", **odds))) == "1.4189"


@pytest.mark.parametrize(("decks", "expected"), [(6, "24.7387"), (8, "24.8042")])
def test_insurance_edge(decks: int, expected: str) -> None:
    """Against the ace of spades; whose the player's cards are is not known when the hole card is counted."""
    holes = [card for card in DECK if ways(("AS", card), decks)]
    bets = "bet 1 20\nno more bets\ndeal 2H AS 9C {}\nbet 1 insurance 10\ncheck {}"
    texts = [bets.format(hole, "blackjack" if hole[0] in "KQJ" else "no-blackjack") for hole in holes]
    gain = total = Fraction(0)
    for hole, lines in zip(holes, settled(decks, texts), strict=True):
        weight = ways(("AS", hole), decks)
        total += weight
        gain += weight * won(lines, "insurance")
    assert total == decks * (48 * decks - 1)
    assert percent(-gain / total) == expected


@pytest.mark.parametrize(("decks", "expected"), [(6, 668_382), (8, 549_188)])
def test_super_bonus_is_won_once_in(decks: int, expected: int) -> None:
    """A hand that draws one card to its first two wins it with suited sevens against a seven.

    Four cards of rank seven are tried in every combination of suits; with any other card the engine must not pay, of
    which one deal for each place of the odd card is looked at.
    """
    sevens = [f"7{suit}" for suit in "SHDC"]
    deals = list(product(sevens, repeat=4))
    odd = [("6S", "7S", "7S", "7S"), ("7S", "6S", "7S", "7S"), ("7S", "7S", "6S", "7S"), ("7S", "7S", "7S", "6S")]
    round_text = "bet 1 25\nno more bets\ndeal {} {} {} KD\n1 hit {}\n1 stand"
    texts = [round_text.format(*deal) for deal in (*deals, *odd)]
    results = settled(decks, texts)
    wins = [any(line.kind == "super-bonus" and line.expected_paid_cents for line in lines) for lines in results]
    assert not any(wins[len(deals) :])
    hits = sum(ways(deal, decks) for deal, win in zip(deals, wins, strict=False) if win)
    cards = 48 * decks
    chance = Fraction(hits, cards * (cards - 1) * (cards - 2) * (cards - 3))
    assert round(1 / chance) == expected
