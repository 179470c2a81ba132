"""Checks of a day's counts, the classes of faults, and the format of money."""

import errno
from collections import Counter
from datetime import date

import dagster as dg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.defs import checks, metadata
from pipelines.defs.faults import passes, told_plainly
from pipelines.publish.tally import Audited, Money
from warehouse.lake import LakeBusy, LakeError

DAY = date(2026, 1, 5)
COUNT = st.integers(0, 10**9)


@given(COUNT, COUNT, COUNT, st.integers(-3, 3), st.lists(st.just("2026-01-05/T1/shoe.ndjson"), max_size=1))
def test_conservation(accepted: int, repeated: int, quarantined: int, lost: int, unbalanced: list[str]) -> None:
    lines = accepted + repeated + quarantined + lost
    audited = Audited(DAY, lines=lines, accepted=accepted, repeated=repeated, quarantined=quarantined)
    audited.unbalanced = unbalanced
    found = checks.conservation(audited)
    assert found.passed == (lost == 0 and not unbalanced)
    if unbalanced:
        assert unbalanced[0] in str(found.description)


@pytest.mark.parametrize(
    ("evidence", "passed"),
    [
        ({"terminal+shoe": 90, "terminal+camera": 5, "terminal": 5}, True),
        ({"terminal+shoe": 90, "terminal+camera": 4, "terminal": 6}, False),
        ({}, True),
    ],
)
def test_coverage_warns(evidence: dict[str, int], passed: bool) -> None:
    found = checks.coverage(Audited(DAY, rounds=sum(evidence.values()), evidence=Counter(evidence)))
    assert found.passed == passed
    assert found.severity == dg.AssetCheckSeverity.WARN


def test_a_failed_table_is_an_error_but_stops_nothing() -> None:
    found = checks.every_table(Audited(DAY, tables=3, failed={"P21-04": "IndexError: 7"}))
    assert not found.passed
    assert found.severity == dg.AssetCheckSeverity.ERROR
    assert "P21-04: IndexError: 7" in str(found.description)
    assert not checks.EVERY_TABLE.blocking


def test_what_passes_is_tried_again() -> None:
    wrapped = LakeError("could not be written")
    wrapped.__cause__ = OSError(errno.EIO, "stumbled")
    full = LakeError("could not be written")
    full.__cause__ = OSError(errno.ENOSPC, "full")
    assert passes(LakeBusy("held")) and passes(OSError(errno.ESTALE, "gone")) and passes(wrapped)
    assert not passes(full) and not passes(ValueError("ours"))


def test_other_faults_end_the_step_in_one_line() -> None:
    with pytest.raises(dg.Failure) as ours, told_plainly():
        raise LakeError("the lake\nis gone")
    assert (ours.value.description, ours.value.allow_retries) == ("the lake is gone", False)
    with pytest.raises(dg.Failure, match="IndexError: list index"), told_plainly():
        raise IndexError("list index")
    with pytest.raises(LakeBusy), told_plainly():
        raise LakeBusy("held")


def test_money_as_it_is_said() -> None:
    sums = Money(handle=1_234_500, paid=100_000, taken=99_995, over=12_000, under=-3_505)
    assert metadata.money_text("USD", sums) == "USD 12,345.00 handle, 120.00 over, 35.05 under, -0.05 win"
