"""Pages that are printed by a command stay as the command prints them."""

from pathlib import Path

from pipelines.commands import explain

ROOT = Path(__file__).parents[2]


def test_the_page_of_findings_is_up_to_date() -> None:
    page = (ROOT / "replay" / "FINDINGS.md").read_text(encoding="utf-8")
    assert page == explain.codes_page(), "run: audit21 codes --markdown > replay/FINDINGS.md"
