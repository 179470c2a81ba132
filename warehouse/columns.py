"""The forms of the lake's columns: texts, words of a list, whole numbers, truths, times, with their cheap rules."""

from collections.abc import Callable, Iterable
from types import new_class
from typing import Any, cast

import dataframely as dy
import polars as pl

from replay.contract import forms
from replay.contract.stored import Column, stored_columns


def text(description: str, *, key: bool = False, **options: Any) -> dy.String:
    """Any text. ``key`` makes it part of the primary key."""
    return dy.String(description=description, primary_key=key, **options)


def word(description: str, words: Iterable[str], *, nullable: bool = False) -> dy.String:
    """One of a closed list of words, which the column's metadata tells under ``words``."""
    known = tuple(words)

    def known_word(value: pl.Expr) -> pl.Expr:
        return value.is_in(known)

    return dy.String(description=description, nullable=nullable, check=known_word, metadata={"words": known})


def hexadecimal(description: str, *, nullable: bool = False) -> dy.String:
    """A SHA-256 hash in 64 hexadecimal digits."""
    return dy.String(description=description, nullable=nullable, min_length=64, max_length=64)


def texts(description: str, *, nullable: bool = False) -> dy.List:
    """A list of texts."""
    return dy.List(dy.String(nullable=True), description=description, nullable=nullable)


def whole(description: str, least: int | None = None, *, nullable: bool = False) -> dy.Int64:
    """A whole number: cents, counts, numbers of lines."""
    return dy.Int64(description=description, min=least, nullable=nullable)


def wholes(description: str, *, nullable: bool = False) -> dy.List:
    """A list of whole numbers."""
    return dy.List(dy.Int64(nullable=True), description=description, nullable=nullable)


def small(
    description: str, least: int | None = None, most: int | None = None, *, nullable: bool = False, **options: Any
) -> dy.Int16:
    """A small whole number: box, bettor, hand, total."""
    return dy.Int16(description=description, min=least, max=most, nullable=nullable, **options)


def line_number(description: str, *, nullable: bool = False) -> dy.Int32:
    """The number of a line in its file, from 1."""
    return dy.Int32(description=description, min=1, nullable=nullable)


def count(description: str) -> dy.Int32:
    """A count, such as that of a round's findings."""
    return dy.Int32(description=description, min=0)


def truth(description: str, *, nullable: bool = False) -> dy.Bool:
    """True or false."""
    return dy.Bool(description=description, nullable=nullable)


def number(description: str, least: float | None = None, most: float | None = None, *, nullable: bool = False) -> Any:
    """A number with a fraction; never NaN."""
    return dy.Float64(description=description, min=least, max=most, nullable=nullable)


def time(description: str, *, nullable: bool = False, **options: Any) -> dy.Datetime:
    """A moment, in UTC, to the millisecond."""
    return dy.Datetime(description=description, time_unit="ms", time_zone="UTC", nullable=nullable, **options)


def logged_fields(*sources: str) -> type[dy.Schema]:
    """A schema with a column for every field that lines of some sources have, by the contract."""
    columns = {name: _field(column) for name, column in stored_columns(*sources).items()}
    return cast(type[dy.Schema], new_class("Fields", (dy.Schema,), exec_body=lambda body: body.update(columns)))


def _field(column: Column) -> dy.Column:
    form, nullable = column.form, not column.is_required
    whole_number = small if form.is_small else whole
    least = form.low if form.kind == forms.WHOLE and not nullable else None
    made: dict[int, Callable[[], dy.Column]] = {
        forms.WHOLE: lambda: whole_number(column.doc, least, nullable=nullable),
        forms.TRUTH: lambda: truth(column.doc, nullable=nullable),
        forms.TIME: lambda: time(column.doc, nullable=nullable),
        forms.SHARE: lambda: number(column.doc, 0, 1, nullable=nullable),
        forms.CHOICE: lambda: word(column.doc, form.words, nullable=nullable),
        forms.MEMBERS: lambda: wholes(column.doc, nullable=nullable),
        forms.SEVERAL: lambda: wholes(column.doc, nullable=nullable),
        forms.RULINGS: lambda: texts(column.doc, nullable=nullable),
        forms.PEOPLE: lambda: texts(column.doc, nullable=nullable),
    }
    return made.get(form.kind, lambda: text(column.doc, nullable=nullable))()
