"""The rows of a view as a file: ``format=csv`` or ``format=parquet`` in the address of any view that has some."""

import io
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv
import pyarrow.parquet as pq
from starlette.exceptions import HTTPException
from starlette.responses import Response

from dashboards.web.attachments import disposition
from dashboards.web.visit import Visit

FORMATS: Final = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
# A spreadsheet would take a text that begins so for a formula.
_FORMULA: Final = r"^[=+\-@\t\r]"


def wanted(visit: Visit) -> bool:
    """Return whether the address asks for a file."""
    return "format" in visit.query


def file(visit: Visit, name: str, rows: pa.Table) -> Response:
    """The file that the address asks for, named after the view and its snapshot."""
    form = visit.query["format"]
    if form not in FORMATS:
        raise HTTPException(404, f"{form!r} is no format; expected {' or '.join(FORMATS)}.")
    out = io.BytesIO()
    if form == "csv":
        csv.write_csv(plain(rows), out)
    else:
        source = {"audit21.view": visit.permalink(format=None), "audit21.snapshot": str(visit.lake.number)}
        pq.write_table(rows.replace_schema_metadata(source), out, compression="zstd")
    filename = f"{name}-snapshot-{visit.lake.number}.{form}"
    return Response(out.getvalue(), media_type=FORMATS[form], headers=disposition(filename))


def plain(rows: pa.Table) -> pa.Table:
    """Rows for CSV: lists with blanks between, bytes as hexadecimal, no text that a spreadsheet takes for a formula."""
    for index, column in enumerate(rows.schema):
        rows = rows.set_column(index, column.name, _plain(rows.column(index), column.type))
    return rows


def _plain(values: Any, kind: pa.DataType) -> Any:
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        values = pc.binary_join(pc.cast(values, pa.list_(pa.string())), " ")
    elif pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        values = pa.array([None if each is None else each.hex() for each in values.to_pylist()], pa.string())
    elif pa.types.is_struct(kind) or pa.types.is_map(kind):
        values = pa.array([None if each is None else str(each) for each in values.to_pylist()], pa.string())
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        risky = pc.match_substring_regex(values, _FORMULA)
        values = pc.if_else(risky, pc.binary_join_element_wise("'", values, ""), values)
    return values
