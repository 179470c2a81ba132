"""Values in exported files that CSV cannot hold unchanged."""

import pyarrow as pa

from dashboards.web.export import plain


def test_no_text_is_taken_for_a_formula() -> None:
    texts = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "D013 Ana Fischer", None]
    expected = ["'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\tx", "D013 Ana Fischer", None]
    assert plain(pa.table({"dealer": texts}))["dealer"].to_pylist() == expected


def test_lists_and_bytes_are_written_out() -> None:
    rows = pa.table({"cards": [["7H", "7C"], [], None], "ns": [[1, 2], None, []], "raw": [b"\x00{", None, b""]})
    assert plain(rows).to_pydict() == {
        "cards": ["7H 7C", "", None],
        "ns": ["1 2", None, ""],
        "raw": ["007b", None, ""],
    }


def test_numbers_stay_numbers() -> None:
    rows = pa.table({"variance_cents": [-300, None]})
    assert plain(rows).equals(rows)
