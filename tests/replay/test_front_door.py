"""The library as a script or a notebook uses it."""

import doctest
import io
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

import replay
from replay import settling
from tests.rules import worked

EXAMPLE = worked.HERE / "examples" / "md-pontoon21-overpaid.txt"
HEADER = "rulebook md-pontoon21\ndecks 6\n"


@pytest.mark.parametrize("module", [replay, settling], ids=lambda module: module.__name__)
def test_the_examples_of_the_docstrings_run(module: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(worked.HERE.parents[1])
    tried = doctest.testmod(module)  # type: ignore[arg-type]
    assert tried.attempted
    assert not tried.failed


def test_settlements_and_findings_are_frames() -> None:
    verdict = replay.settle(EXAMPLE)
    assert verdict.rounds == ["117", "118"]
    # 12.A(2): blackjack pays 3 to 2, so 37.50 on 25.00; paid were 50.00.
    blackjack = verdict.settlements.filter(round="118", seat=1).row(0, named=True)
    assert (blackjack["expected_paid_cents"], blackjack["actual_paid_cents"]) == (3750, 5000)
    assert (blackjack["variance_cents"], blackjack["clause"]) == (1250, "md-pontoon21 12.A(2)")
    # 10.G: no bonus on a doubled hand, so 25.25 even money on each part of the double; 37.88 was paid on each.
    assert verdict.findings.filter(round="117")["variance_cents"].to_list() == [1263, 1263]
    assert verdict.findings["severity"].unique().to_list() == ["low"]  # below USD 25.00


def test_frames_of_clean_rounds_keep_their_columns() -> None:
    verdict = replay.settle(HEADER + "round 1\nbet 1 25\nno more bets\ndeal 9S 7H KD KC\n1 stand\npay 1 25\nend\n")
    assert verdict.findings.is_empty()
    assert verdict.findings.schema["variance_cents"] == pl.Int64
    assert verdict.settlements["for_bettor"].dtype == pl.Int64


def test_a_round_is_told_as_text_and_as_html() -> None:
    told = replay.explain(EXAMPLE, "118")
    assert "Round 118" in str(told)
    assert "Round 117" not in str(told)
    assert "\x1b" not in str(told)
    html = told._repr_html_()
    assert html.count("<svg") == 1
    assert "overpaid 12.50" in html
    assert "12.A(2)" in html
    console = Console(file=io.StringIO(), width=120, force_terminal=True, color_system="truecolor")
    console.print(told)
    coloured = console.file.getvalue()  # type: ignore[attr-defined]
    assert "\x1b[" in coloured
    assert "overpaid 12.50" in re.sub(r"\x1b\[[0-9;]*m", "", coloured)


def test_names_in_the_notation_cannot_write_html() -> None:
    evil = "round <script>alert(1)</script>\nbet 1 25\nno more bets\ndeal AS 7H KD KC\npay 1 37.50\nend\n"
    html = replay.explain(HEADER + evil)._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


@pytest.mark.parametrize(
    ("rounds", "said"),
    [
        (HEADER + "round 1\nbet x\n", "notation:4: expected a place"),
        ("no such file", "no such file: no such file"),
        ("rulebook nobody\ndecks 6\nround 1\n", "notation: table T1: rulebook is 'nobody'"),
    ],
)
def test_what_cannot_be_settled_is_named(rounds: str, said: str) -> None:
    with pytest.raises(replay.RoundsError, match=said):
        replay.settle(rounds)


def test_an_unknown_round_is_named() -> None:
    with pytest.raises(replay.UnknownRound, match="no round 12; there are 117, 118"):
        replay.explain(EXAMPLE, "12")


def test_importing_the_library_loads_no_engine(tmp_path: Path) -> None:
    code = "import replay, sys; print('numba' in sys.modules, 'polars' in sys.modules)"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=worked.HERE.parents[1])
    assert done.stdout.split() == ["False", "False"]
