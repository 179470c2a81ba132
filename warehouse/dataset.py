"""Datasets, and the check of a frame or an Arrow table against one."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import dataframely as dy
import polars as pl
import pyarrow as pa
from polars.datatypes import DataTypeClass


class SchemaError(ValueError):
    """A frame does not keep to its dataset's schema."""


@dataclass(frozen=True)
class Dataset:
    """A dataset's schema and the order of its rows within a day."""

    name: str
    schema: type[dy.Schema]
    sort: tuple[str, ...]
    partitioned: bool = True

    @property
    def description(self) -> str:
        """The meaning of a row."""
        return (self.schema.__doc__ or "").strip()

    @cached_property
    def types(self) -> dict[str, pl.DataType]:
        """The type of every column, in order."""
        return {name: column.dtype for name, column in self.schema.columns().items()}

    @cached_property
    def descriptions(self) -> dict[str, str]:
        """The meaning of every column, in order."""
        return {name: column.description or "" for name, column in self.schema.columns().items()}

    @cached_property
    def arrow(self) -> pa.Schema:
        """The schema in Arrow's terms."""
        columns = self.schema.columns().items()
        return pa.schema([pa.field(name, arrow_type(column.dtype), column.nullable) for name, column in columns])

    @cached_property
    def rules(self) -> dict[str, pl.Expr]:
        """Every rule, by the name ``column|rule`` or, for one across columns, its own."""
        rules = self.schema._validation_rules(with_cast=False)  # the only place that has the rules across columns
        return {name: rule.expr for name, rule in rules.items()}

    def empty(self) -> pl.DataFrame:
        """A frame without rows."""
        return pl.DataFrame(schema=self.types)

    def check(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The frame in the schema's order and types; ``SchemaError`` names a rule that it breaks."""
        frame = self._match(frame)
        if not self.schema.is_valid(frame):
            raise self._broken(frame)
        return frame

    def check_table(self, table: pa.Table) -> pa.Table:
        """As ``check``, for Arrow. Dictionary columns of texts stay as they are: their rules are tried word by word."""
        table = self._match_table(table)
        spelled = {field.name for field in table.schema if pa.types.is_dictionary(field.type)}
        for name in spelled & self._rules_of_one.keys():
            if not _words_keep(self._rules_of_one[name], table.column(name)):
                raise self._broken(_frame(table))
        by_row = [
            rule.fill_null(True).all().alias(name)
            for name, rule in self.rules.items()
            if not spelled.issuperset(rule.meta.root_names()) or len(rule.meta.root_names()) > 1
        ]
        needed = sorted({column for rule in by_row for column in rule.meta.root_names()})
        frame = self._match(_frame(table.select(needed)), needed)
        if by_row and not all(frame.select(by_row).row(0)):
            raise self._broken(_frame(table))
        return table

    @cached_property
    def _rules_of_one(self) -> dict[str, "_Rules"]:
        """The rules of single columns of texts, and whether they allow for a text that is not there."""
        found: dict[str, list[pl.Expr]] = {}
        for rule in self.rules.values():
            names = rule.meta.root_names()
            if len(names) == 1 and self.types[names[0]] == pl.String:
                found.setdefault(names[0], []).append(rule.fill_null(True).all())
        nothing = pa.nulls(1, pa.string())
        return {name: _Rules(rules, _kept(rules, nothing)) for name, rules in found.items()}

    def _match(self, frame: pl.DataFrame, names: list[str] | None = None) -> pl.DataFrame:
        """Cast columns where that loses nothing; raise ``SchemaError`` for any other difference."""
        if names is None:
            self._check_names(frame.columns)
        casts = []
        for name in names or self.types:
            found, wanted = frame.schema[name], self.types[name]
            if found != wanted:
                if not _castable(found, wanted):
                    raise SchemaError(f"{self.name}.{name}: expected type {wanted}, found {found}")
                casts.append(pl.col(name).cast(wanted))
        try:
            return frame.select(names or self.types.keys()).with_columns(casts)
        except pl.exceptions.InvalidOperationError as error:
            raise SchemaError(f"{self.name}: a value is too large for its column: {error}") from error

    def _match_table(self, table: pa.Table) -> pa.Table:
        self._check_names(table.column_names)
        columns = []
        for field in self.arrow:
            column = table.column(field.name)
            if not _alike(column.type, field.type):
                if not _castable_arrow(column.type, field.type):
                    raise SchemaError(f"{self.name}.{field.name}: expected type {field.type}, found {column.type}")
                wanted = _WORDS if pa.types.is_dictionary(column.type) else field.type
                try:
                    column = column.cast(wanted)
                except pa.ArrowInvalid as error:
                    raise SchemaError(f"{self.name}.{field.name}: a value is too large: {error}") from error
            columns.append(column)
        return pa.table(columns, names=self.arrow.names)

    def _check_names(self, names: list[str]) -> None:
        if missing := [name for name in self.types if name not in names]:
            raise SchemaError(f"{self.name}: columns missing: {', '.join(missing)}")
        if unknown := [name for name in names if name not in self.types]:
            raise SchemaError(f"{self.name}: columns that the dataset does not have: {', '.join(unknown)}")

    def _broken(self, frame: pl.DataFrame) -> SchemaError:
        """Say what is wrong with a frame that breaks a rule."""
        frame = self._match(frame)
        _, failure = self.schema.filter(frame)
        rule, rows = max(failure.counts().items(), key=lambda item: item[1])
        column, _, of_column = rule.rpartition("|")
        bad = failure.invalid().row(failure.details()[rule].to_list().index("invalid"), named=True)
        about = f"{self.name}.{column}: found {bad[column]!r}" if column else self.name
        words = (self.schema.columns()[column].metadata or {}).get("words") if column else None
        expected = f", expected one of {' '.join(words)}" if words else ""
        shown = {key: value for key, value in bad.items() if value is not None}
        broken = f"rule {of_column.removeprefix('check__')} broken by {rows} of {len(frame)} rows"
        return SchemaError(f"{about}: {broken}{expected}; the first is {shown}")


def arrow_type(dtype: pl.DataType) -> pa.DataType:
    """The Arrow type in which a Polars type is stored."""
    if isinstance(dtype, pl.List):
        return pa.list_(arrow_type(_made(dtype.inner)))
    if isinstance(dtype, pl.Struct):
        return pa.struct([pa.field(field.name, arrow_type(_made(field.dtype))) for field in dtype.fields])
    return _ARROW[dtype]


_ARROW: dict[pl.DataType, pa.DataType] = {
    pl.String(): pa.string(),
    pl.Binary(): pa.binary(),
    pl.Boolean(): pa.bool_(),
    pl.Int16(): pa.int16(),
    pl.Int32(): pa.int32(),
    pl.Int64(): pa.int64(),
    pl.Float64(): pa.float64(),
    pl.Date(): pa.date32(),
    pl.Datetime("ms", "UTC"): pa.timestamp("ms", "UTC"),
}

_WORDS = pa.dictionary(pa.int32(), pa.string())


def _made(dtype: pl.DataType | DataTypeClass) -> pl.DataType:
    """A type, though it be written without parentheses."""
    return dtype if isinstance(dtype, pl.DataType) else dtype()


def _castable(found: pl.DataType, wanted: pl.DataType) -> bool:
    """Tell whether a cast loses nothing, or fails where it would."""
    if isinstance(found, pl.Null):
        return True
    if isinstance(found, pl.List) and isinstance(wanted, pl.List):
        return found.inner == wanted.inner or _castable(_made(found.inner), _made(wanted.inner))
    if isinstance(found, pl.Categorical | pl.Enum):
        return isinstance(wanted, pl.String)
    return found.is_integer() and wanted.is_integer()


def _alike(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Tell whether a column can stay as it is: a dictionary of texts is as good as texts."""
    return bool(found == wanted or (pa.types.is_dictionary(found) and found.value_type == wanted))


def _castable_arrow(found: pa.DataType, wanted: pa.DataType) -> bool:
    if pa.types.is_null(found):
        return True
    if pa.types.is_dictionary(found):
        return bool(pa.types.is_string(wanted)) and _castable_arrow(found.value_type, wanted)
    if pa.types.is_list(wanted) and (pa.types.is_list(found) or pa.types.is_large_list(found)):
        return bool(found.value_type == wanted.value_type) or _castable_arrow(found.value_type, wanted.value_type)
    if pa.types.is_string(wanted):
        return bool(pa.types.is_large_string(found) or pa.types.is_string_view(found))
    if pa.types.is_binary(wanted):
        return bool(pa.types.is_large_binary(found) or pa.types.is_binary_view(found))
    return bool(pa.types.is_integer(found) and pa.types.is_integer(wanted))


def _frame(table: pa.Table) -> pl.DataFrame:
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame


class _Rules(NamedTuple):
    """The rules for the texts of a column."""

    rules: list[pl.Expr]
    allow_null: bool


def _words_keep(rules: _Rules, column: pa.ChunkedArray) -> bool:
    """Tell whether the words that a dictionary column uses keep its rules; unused words do not count."""
    if column.null_count and not rules.allow_null:
        return False
    if not column.num_chunks or _kept(rules.rules, pa.chunked_array([chunk.dictionary for chunk in column.chunks])):
        return True
    return _kept(rules.rules, column.cast(pa.string()))


def _kept(rules: list[pl.Expr], words: pa.Array | pa.ChunkedArray) -> bool:
    """Tell whether all words keep all rules of a column."""
    frame = pl.DataFrame({rules[0].meta.root_names()[0]: pl.Series(pl.from_arrow(words.unique()), dtype=pl.String)})
    return all(frame.select(rule.alias(str(n)) for n, rule in enumerate(rules)).row(0))
