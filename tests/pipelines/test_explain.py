"""`audit21 explain`, `codes` and `rulebook`, run as a person runs them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipelines.cli import app
from replay import codes, library, narrative
from tests.books import IDS
from tests.rules import worked

SCRIPT = Path(sys.executable).with_name("audit21")
EXAMPLES = sorted((worked.HERE / "examples").glob("*.txt"))
OVERPAID = worked.HERE / "examples" / "md-pontoon21-overpaid.txt"
HEADER = "rulebook md-pontoon21\ndecks 6\n"
ROUND = "round 1\nbet 1 25\nno more bets\ndeal AS 7H KD KC\npay 1 50\nend\n"


def run(*arguments: str | Path) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


def run_script(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The installed script, with the engine uncompiled."""
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1", **environment}
    return subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, check=False, env=env)


@pytest.fixture
def rounds(tmp_path: Path) -> Path:
    path = tmp_path / "rounds.txt"
    path.write_text(HEADER + ROUND + ROUND.replace("round 1", "round 2"), encoding="utf-8")
    return path


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_told(path: Path) -> None:
    code, out, err = run("explain", path)
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 100
    assert not any(line != line.rstrip() for line in out.splitlines())
    assert "\x1b" not in out
    for part in ("Round ", "Settlement, in ", "Why", "The round ends"):
        assert part in out
    assert ("overpaid" in out) == (path == OVERPAID)


def test_one_example_for_every_rulebook() -> None:
    firsts = [path.read_text(encoding="utf-8") for path in EXAMPLES]
    for book in IDS:
        assert any(f"rulebook {book}\n" in text for text in firsts)
    assert not any("\nexpect " in text for text in firsts)


def test_what_is_shown(rounds: Path) -> None:
    code, out, _ = run("explain", rounds, "--round", "1")
    assert code == 0
    assert out.startswith("Maryland Pontoon 21 (md-pontoon21), undated\n")
    assert "Table T1: 6 decks, 7 boxes, wagers of 5.00 to 1,000.00 USD\n" in out
    assert "   7    Box 1, main wager: 50.00 paid" in out
    assert "   !    settlement.overpaid: Box 1, main wager: overpaid 12.50\n" in out
    assert "box 1 main wager 25.00 +37.50 +50.00 +12.50 12.A(2) overpaid" in " ".join(out.split())
    assert "      Hand        A♠ K♦ = blackjack\n" in out
    assert "      By clause   12.A(2): Blackjack pays 3:2\n" in out
    assert "      Reading     blackjack_pays = always: The case list" in out
    assert "      Expected    25.00 at 3:2 = 37.50\n      Logged      50.00 paid\n" in out
    assert "      Variance    overpaid 12.50\n" in out


def test_settings_that_are_not_the_default(tmp_path: Path) -> None:
    path = tmp_path / "set.txt"
    path.write_text(HEADER + "option match = true\nreading blackjack_pays = against-21\n" + ROUND, encoding="utf-8")
    _, out, _ = run("explain", path)
    assert "\nOption match = true (default false)\n" in out
    assert "\nReading blackjack_pays = against-21 (default always)\n" in out
    assert "Reading     blackjack_pays = against-21, set by the operator (default always:" in out


def test_void_rounds_and_rulings(tmp_path: Path) -> None:
    path = tmp_path / "void.txt"
    deal = "bet 1 20\nno more bets\ndeal KS TD 8H 9C TC\n"
    rulings = "rule shoe.ten-found remove-card by ito\nrule shoe.tens-multiple void-round by ito\n"
    unjustified = (
        "round 2\nbet 1 20\nno more bets\ndeal KS 8H 9C 9D\n1 stand\nrule deal.wrong-box void-round by ito\nend\n"
    )
    path.write_text(f"{HEADER}round 1\n{deal}{rulings}end\n{unjustified}", encoding="utf-8")
    _, out, _ = run("explain", path)
    assert "By the rulebook this round is void.\n" in out
    assert "The floor called this round void; by the rulebook it stands.\n" in out
    assert "      Prescribed  void the round and withdraw the decks\n" in out
    assert "      Ruled       void the round (by ito)\n" in out
    assert "      Handling    procedure not followed\n" in out


def test_findings_of_the_table(tmp_path: Path) -> None:
    path = tmp_path / "floor.txt"
    path.write_text(HEADER + "option hole_card = false\n" + ROUND, encoding="utf-8")
    _, out, _ = run("explain", path)
    assert "\nFindings of the table\n  floor.not-permitted (high): " in out


def test_one_round(rounds: Path) -> None:
    _, out, _ = run("explain", rounds, "--round", "2")
    assert " Round 2 " in out
    assert " Round 1 " not in out


@pytest.mark.parametrize("width", [80, 140])
def test_width(width: int) -> None:
    _, out, _ = run("explain", OVERPAID, "--width", str(width))
    assert max(map(len, out.splitlines())) <= width
    assert "variance" in out
    assert "+12.63" in out
    assert "…" not in out


def test_json(rounds: Path) -> None:
    code, out, _ = run("explain", rounds, "--json", "--round", "2")
    data = json.loads(out)
    assert code == 0
    assert [each["round"] for each in data["rounds"]] == ["2"]
    (wager,) = data["rounds"][0]["explanations"]
    assert (wager["clause"]["number"], wager["variance_cents"]) == ("12.A(2)", 1250)
    assert set(data["rounds"][0]) == set(narrative.RoundAccount.__dataclass_fields__)
    assert data["table_findings"] == []


def test_letters_where_the_terminal_knows_no_suits(rounds: Path) -> None:
    done = run_script("explain", rounds, "--round", "1", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "Hand        AS KD = blackjack" in done.stdout
    assert done.stdout.isascii()


def test_help_is_quick_and_needs_no_engine() -> None:
    program = "import sys; from pipelines.cli import app; app(['--help'], standalone_mode=False)"
    program += "; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("False\n")
    for command in ("explain", "codes", "rulebook"):
        assert command in done.stdout


BAD_FILES = [
    ("rulebook md-pontoon21\ndecks 6\nrounds 1\n", ":3: expected a statement, found 'rounds'; did you mean 'round'?"),
    ("", ":1: expected 'rulebook' in the header, found the end of the text"),
    (
        "rulebook md-pontoon22\ndecks 6\n" + ROUND,
        ": table T1: rulebook is 'md-pontoon22', expected one of md-pontoon21,",
    ),
    (HEADER, ": expected at least one round;"),
    (HEADER + ROUND.replace("bet 1", "bet 40"), ":4: seat: found 40, expected a whole number from 1 to 31"),
    (HEADER + ROUND + "rule nonsense continue\n", ":9: code: found 'nonsense', expected a finding code"),
    (
        HEADER + "option bonus_spin = B\nprogressive bonus-spin meter spin\n" + ROUND,
        ": table T1: progressive.bonus-spin.meter is 'spin', expected the id of a [[meter]]",
    ),
]


@pytest.mark.parametrize(("text", "message"), BAD_FILES)
def test_bad_file_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(text, encoding="utf-8")
    code, out, err = run("explain", path)
    assert (code, out) == (2, "")
    assert err.startswith(f"{path}{message}")
    assert err.count("\n") == 1


def test_file_that_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "bytes.txt"
    path.write_bytes(HEADER.encode() + b"\xff\n")
    assert run("explain", path) == (2, "", f"{path}:3: expected text in UTF-8, found byte 0xff\n")


def test_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "T1" / "1"
    assert run("explain", path) == (2, "", f"{path}: no such file\n")


def test_file_below_a_file(rounds: Path) -> None:
    assert run("explain", rounds / "1") == (2, "", f"{rounds / '1'}: cannot be read, Not a directory\n")


def test_directory(tmp_path: Path) -> None:
    expected = f"{tmp_path}: a directory, expected a file of rounds in the notation\n"
    assert run("explain", tmp_path) == (2, "", expected)


def test_unknown_round(rounds: Path) -> None:
    assert run("explain", rounds, "--round", "9") == (2, "", f"{rounds}: no round 9; there are 1, 2\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain"], "audit21: Missing argument 'ROUND_ID|FILE'"),
        (["explain", "rounds.txt", "--width", "5"], "audit21: Invalid value for '--width'"),
        (["explain", "rounds.txt"], "rounds.txt: no such file"),
        (["rulebook", "nonsense"], "audit21: rulebook is 'nonsense', expected one of md-pontoon21,"),
    ],
)
def test_bad_command_is_one_line(arguments: list[str], message: str) -> None:
    done = run_script(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 1


def test_codes() -> None:
    code, out, _ = run("codes", "--width", "140")
    assert code == 0
    heads = [line.split() for line in out.splitlines() if line and not line.startswith(" ")]
    assert [head[0] for head in heads] == [each.name for each in codes.CODES]
    first = out.splitlines()[:5]
    assert [line.split()[0] for line in first] == ["settlement.overpaid", "means", "shown", "action", "handling"]


def test_codes_as_json() -> None:
    _, out, _ = run("codes", "--json")
    rows = json.loads(out)
    assert [row["code"] for row in rows] == [each.name for each in codes.CODES]
    assert set(rows[0]) == {"code", "severity", "means", "shown_by", "do", "evidence", "handlings"}


@pytest.mark.parametrize("book", IDS)
def test_rulebook(book: str) -> None:
    clauses = library.load(book).clauses
    code, out, _ = run("rulebook", book, "--width", "300")
    assert code == 0
    lines = out.splitlines()
    assert lines[0].endswith(f": {len(clauses)} of {len(clauses)} clauses")
    assert len(lines) == 3 + len(clauses)
    assert lines[3].split() == [clauses[0].id, clauses[0].does, *clauses[0].says.split()]


def test_rulebook_by_what_it_does() -> None:
    _, out, _ = run("rulebook", "md-pontoon21", "--does", "settles", "--json")
    rows = json.loads(out)
    assert {row["does"] for row in rows} == {"settles"}
    assert len(rows) == sum(clause.does == "settles" for clause in library.load("md-pontoon21").clauses)


def test_one_clause_and_what_stands_below_it() -> None:
    _, out, _ = run("rulebook", "md-pontoon21", "13.D")
    assert "\n13.D  Several tens while dealing: void, decks withdrawn\n" in out
    assert "\n  prescribes  void the round and withdraw the decks\n" in out
    _, out, _ = run("rulebook", "md-pontoon21", "7.O", "--json")
    assert [row["id"] for row in json.loads(out)] == ["7.O", "7.O(1)", "7.O(2)", "7.O(3)", "7.O(4)"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "rulebook is 'nonsense', expected one of md-pontoon21,"),
        (["md-pontoon21", "99"], "md-pontoon21 has no clause 99; see audit21 rulebook md-pontoon21"),
        (["md-pontoon21", "13.D", "--does", "settles"], "md-pontoon21 has no clause 13.D that settles;"),
        (["md-pontoon21", "--does", "nonsense"], "--does: found 'nonsense', expected one of settles,"),
    ],
)
def test_bad_rulebook_command_is_one_line(arguments: list[str], message: str) -> None:
    code, out, err = run("rulebook", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"audit21: {message}")
    assert err.count("\n") == 1
