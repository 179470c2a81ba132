"""Clean rounds that the audit's authors did not write are accused of nothing, whatever the clocks."""

from pathlib import Path

import pytest

from tests.adversary.__main__ import parse, run
from tests.pipelines.lakes import audited


@pytest.mark.parametrize("clocks", ["none", "offset", "drift", "jitter"])
def test_clean_rounds_have_no_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clocks: str) -> None:
    """Only findings about the evidence itself are permitted."""
    monkeypatch.setenv("AUDIT21_KEY", str(tmp_path / "key.pem"))
    rounds = run(parse([str(tmp_path / "zone"), "--rounds", "60", "--seed", "3", "--clocks", clocks]))
    lake = audited(tmp_path / "zone", tmp_path / "lake")
    assert len(lake.read("rounds")) == rounds
    findings = lake.read("findings").select("round_id", "code", "seat", "message").rows()
    assert [each for each in findings if not each[1].startswith("evidence.")] == []
