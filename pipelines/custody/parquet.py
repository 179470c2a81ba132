"""Rows of a Parquet file as lines: a row is compact JSON of its columns that are not null, in their order."""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

_BATCH_ROWS: Final = 1 << 16
_SLICE_BYTES: Final = 1 << 24
_compute: Any = pc


class NotParquet(ValueError):
    """A file that cannot be read, at all or to its end; ``lines`` are those that could be."""

    def __init__(self, message: str, lines: bytes) -> None:
        super().__init__(message)
        self.lines = lines


def rows_as_lines(data: pa.Buffer, most_bytes: int, most_lines: int) -> bytearray:
    """All rows as lines of text; raises NotParquet where they are more than that, with those up to there."""
    lines, rows = bytearray(), 0
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        _check_size(file.metadata, most_bytes, most_lines)
        texts = [n for n, field in enumerate(file.schema_arrow) if _is_text(field.type)]
        file = pq.ParquetFile(pa.BufferReader(data), read_dictionary=[file.schema_arrow.names[n] for n in texts])
        for batch in file.iter_batches(_BATCH_ROWS):
            for some in _slices(batch):
                lines += _lines(some)
                rows += len(some)
                if len(lines) > most_bytes or rows > most_lines:
                    raise ValueError(f"goes beyond the limit of {most_bytes} bytes or {most_lines} lines")
    except (OSError, ValueError, MemoryError, OverflowError, pa.ArrowException) as error:
        message = (str(error).splitlines() or [type(error).__name__])[0]
        raise NotParquet(message, bytes(lines)) from None
    return lines


def _check_size(metadata: pq.FileMetaData, most_bytes: int, most_values: int) -> None:
    """Refuse a file of which one group of rows would unpack to more than a file may hold."""
    for n in range(metadata.num_row_groups):
        group = metadata.row_group(n)
        values = max((group.column(each).num_values for each in range(group.num_columns)), default=0)
        if group.total_byte_size > most_bytes or values > most_values:
            raise ValueError(
                f"row group {n + 1} holds {values} values in {group.total_byte_size} bytes; send it in parts"
            )


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _slices(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """A batch in slices whose texts, written out, take no more than some memory: a long one may stand in every row."""
    longest = 1
    for column in batch.columns:
        if pa.types.is_dictionary(column.type) and _is_text(column.type.value_type):
            longest += _compute.max(_compute.binary_length(column.dictionary)).as_py() or 0
    rows = max(1, _SLICE_BYTES // longest)
    for start in range(0, len(batch), rows):
        yield batch.slice(start, rows)


def _lines(batch: pa.RecordBatch) -> bytes:
    columns = [pair for pair in zip(batch.schema.names, batch.columns, strict=True) if pair[1].null_count < len(batch)]
    if not columns:
        return b"{}\n" * len(batch)
    fields = [_joined(f"{json.dumps(name, ensure_ascii=False)}:", _json(column)) for name, column in columns]
    inner = _compute.binary_join_element_wise(*fields, ",", null_handling="skip")
    lines = _joined("{", _Shown("", inner, "}\n"))
    joined = _compute.binary_join(pa.ListArray.from_arrays([0, len(lines)], lines), "")
    return bytes(joined[0].as_buffer())


class _Shown(NamedTuple):
    """Values as text, null where there is none, and what stands before and after each."""

    before: str
    values: Any
    after: str


def _joined(before: str, shown: _Shown) -> Any:
    return _compute.binary_join_element_wise(before + shown.before, shown.values, shown.after, "")


def _json(column: Any) -> _Shown:
    """A column's values as JSON."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _json(column.dictionary_decode())
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _Shown('"', _escaped(column.cast(pa.string())), '"')
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return _Shown("", column.cast(pa.string()), "")
    if pa.types.is_timestamp(kind):
        return _Shown('"', _time(column), '"' if kind.tz is None else 'Z"')
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _Shown("[", _list(column), "]")
    return _Shown("", _one_by_one(column), "")


def _escaped(texts: Any) -> Any:
    """Texts as JSON writes them between the quotes."""
    text = np.frombuffer(texts.buffers()[2] or b"", np.uint8)
    if not ((text < ord(" ")) | (text == ord('"')) | (text == ord("\\"))).any():
        return texts
    coded = texts.dictionary_encode()
    inner = [json.dumps(word, ensure_ascii=False)[1:-1] for word in coded.dictionary.to_pylist()]
    return pa.DictionaryArray.from_arrays(coded.indices, pa.array(inner, pa.string())).dictionary_decode()


def _time(column: Any) -> Any:
    """Times in the form of RFC 3339 but for the offset: UTC where the zone is known."""
    shown = column.cast(pa.timestamp("us"), safe=False).cast(pa.string())
    return _compute.replace_substring(shown, " ", "T")


def _list(column: Any) -> Any:
    """Lists as JSON writes them between the brackets."""
    values = _joined("", _json(column.flatten())).fill_null("null")
    lengths = _compute.fill_null(_compute.list_value_length(column), 0)
    ends = _compute.cumulative_sum(lengths.cast(pa.int32()))
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends])
    inner = _compute.binary_join(pa.ListArray.from_arrays(offsets, values), ",")
    return _compute.if_else(column.is_valid(), inner, pa.scalar(None, pa.string()))


def _one_by_one(column: Any) -> Any:
    """Values of a kind that no field has."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode
    return pa.array([None if value is None else encode(value) for value in column.to_pylist()], pa.string())
