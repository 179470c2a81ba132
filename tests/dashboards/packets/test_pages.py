"""What the page says is what is done."""

from pathlib import Path

from dashboards.packets.paper import verify_script

PAGE = Path(__file__).parents[3] / "dashboards" / "PACKETS.md"


def test_the_page_has_the_commands_of_the_bundle() -> None:
    _, _, rest = PAGE.read_text(encoding="utf-8").partition("<!-- verify.sh -->\n```sh\n")
    assert rest.partition("```")[0].encode() == verify_script()
