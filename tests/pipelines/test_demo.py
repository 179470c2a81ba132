"""The demonstration, on a floor small enough for a test."""

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from pipelines.commands import demo
from pipelines.commands.simulate import DayOptions, FormOptions
from replay.simulator.simulate import FIRST_DAY


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AUDIT21_KEY", str(tmp_path / "key.pem"))
    monkeypatch.setattr(demo, "_TABLES", 2)
    monkeypatch.setattr(demo, "_WHEN", DayOptions(FIRST_DAY, days=1, rounds=10))
    monkeypatch.setattr(demo, "_PLANTED", ("settlement.overpaid:3",))
    monkeypatch.setattr(demo, "_FORM", FormOptions(1, "none", (), camera=False, filming=None))


@pytest.mark.usefixtures("small")
def test_a_floor_is_simulated_audited_and_checked_once(tmp_path: Path) -> None:
    texts = []
    for _ in range(2):
        out = Console(file=StringIO(), width=120)
        made = demo.make(tmp_path / "demo", out)
        demo.show(made, 8021, out)
        texts.append(out.file.getvalue())  # type: ignore[attr-defined]
    first, again = texts
    assert "Simulated floor" in first and "2026-01-05 audited (first)" in first and "overpaid" in first
    assert "Simulated floor" not in again and "No new files" in again
    for text in texts:
        assert "All records match their recorded hashes" in text
        assert f"http://127.0.0.1:8021/rounds/{made.rounds[0]} " in text
