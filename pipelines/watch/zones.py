"""Columns of zones: the box and the hand that each names."""

from typing import Final

import polars as pl

ROUND: Final = ("table", "round")
_HAND: Final = r"^seat(\d+)\.hand(\d+)$"


def seat_of(zone: str) -> pl.Expr:
    """The box of a column of zones, null for the dealer's and the like."""
    return pl.col(zone).str.extract(_HAND, 1).cast(pl.Int16)


def hand_of(zone: str) -> pl.Expr:
    """The hand's number of a column of zones, null for the dealer's and the like."""
    return pl.col(zone).str.extract(_HAND, 2).cast(pl.Int16)


def on_felt(zone: str) -> pl.Expr:
    """Tell whether a column of zones names a hand or the dealer's cards: a card there is in play."""
    return pl.col(zone).str.starts_with("seat") | (pl.col(zone) == "dealer")
