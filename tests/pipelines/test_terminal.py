"""Text of the evidence is shown, not obeyed."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from rich.table import Table
from typer.testing import CliRunner

from pipelines.cli import app
from pipelines.commands import terminal
from pipelines.commands import witness as witnessing
from replay import visible
from tests.pipelines.handmade import closing, dealt, numbered, opening, played, written
from tests.pipelines.lakes import audited
from tests.pipelines.tampering import append_line, plant
from tests.some import some
from warehouse.evidence import checkpoint, handover, keys
from warehouse.evidence.log import EvidenceLog

EVIL = "7\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\x7f\x08"
RAW = [character for character in EVIL if not character.isprintable()]


def test_signs_stand_for_what_a_terminal_obeys() -> None:
    assert visible.visible(EVIL) == "7␛]0;owned␇␛[2J\\x9b31m\\u202e\\x7f␈"
    assert visible.visible("a\r\nb\tc") == "a␍␊b␉c"
    assert visible.visible_lines("a\r\nb\tc") == "a␍\nb\tc"
    assert visible.visible("box 3 é 牌 🂡") == "box 3 é 牌 🂡"
    assert visible.visible("\udcff") == "\\udcff"


def test_json_is_the_same_data_without_them() -> None:
    text = terminal.as_json({"round": EVIL, "x": ["a\nb"]}, indent=2)
    assert json.loads(text) == {"round": EVIL, "x": ["a\nb"]}
    assert not any(each in text for each in RAW)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_console_shows_them_wherever_they_stand(is_terminal: bool, capsys: pytest.CaptureFixture[str]) -> None:
    out = terminal.console(100, force_terminal=is_terminal, color_system="standard" if is_terminal else None)
    table = Table(box=None, title=EVIL)
    table.add_column(EVIL)
    table.add_row(EVIL)
    out.print(EVIL, style="red" if is_terminal else "")
    out.print(table)
    said = capsys.readouterr().out
    assert said.count("␛]0;owned") == 4
    assert "\x1b]" not in said and "\x1b[2J" not in said and "\x9b" not in said and "\u202e" not in said


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake with a table whose rounds, dealer and patron have such names."""
    folder = tmp_path_factory.mktemp("terminal")
    lines = [*opening(), *(line for n in (1, 2, 3) for line in played(n, is_settled=n != 2)), closing(3)]
    for line in lines:
        if "round" in line:
            line["round"] += EVIL
        line |= {"dealer": EVIL} if "dealer" in line else {}
        line |= {"patron": EVIL} if line["type"] == "wager" else {}
    files = {"terminal.ndjson": numbered(lines), "shoe.ndjson": numbered(dealt((1, 2, 3)))}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUDIT21_KEY", str(folder / "key.pem"))
        zone = written(folder / "zone", {"T1": files})
        (zone / "2026-01-05" / "T1" / f"notes{EVIL}.txt").write_text("")
        return audited(zone, folder / "lake").path


def said_by(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments))
    return done.output


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_commands_show_the_evidence(lake: Path, form: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIT21_KEY", str(lake.parent / "key.pem"))
    round_id = f"T1/2026-01-05/2{EVIL}"
    commands = [
        ["explain", round_id, "--lake", str(lake), *form],
        ["explain", f"T1/2026-01-05/none{EVIL}", "--lake", str(lake)],
        ["run", str(lake.parent / "zone"), "--lake", str(lake), *form],
        ["hold", round_id, "--lake", str(lake), "--by", EVIL, "--why", EVIL],
        ["holds", "--lake", str(lake)],
        ["verify", str(lake), *form],
    ]
    for command in some(commands):
        said = said_by(*command)
        assert said and not any(each in said for each in RAW), (command, said)
        assert "owned" in said or command[0] == "verify"


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_commands_show_what_somebody_wrote_into_a_lake(
    lake: Path, form: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIT21_KEY", str(lake.parent / "key.pem"))
    forged = shutil.copytree(lake, tmp_path / "lake")
    plant(forged, f"rounds/_delta_log/{EVIL}.json")
    repaired = said_by("repair", str(forged), "--dry-run", *form)
    accepted = {"kind": "accepted", "at": "2030-01-01T00:00:00.000Z", "by": EVIL, "reason": EVIL}
    append_line(forged, {**accepted, "key_id": keys.introduced(EvidenceLog(forged / "evidence"))[0][1]})
    shown = said_by("keys", "show", str(forged), *form)
    for said in some([repaired, shown]):
        assert "owned" in said and not any(each in said for each in RAW), said


def test_a_witness_shows_a_checkpoint(lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The property signs whatever it likes, and a regulator looks at it."""
    monkeypatch.setenv("AUDIT21_KEY", str(lake.parent / "key.pem"))
    key, state = tmp_path / "w.pem", tmp_path / "state"
    place = ("--state", str(state), "--key", str(key))
    assert "w1" in said_by("witness", "init", "--key", str(key), "--name", "w1")
    log = EvidenceLog(lake / "evidence")
    pin, newest = handover.pin_of(log), checkpoint.newest(log)
    assert pin is not None and newest is not None
    assert pin.log in said_by("witness", "trust", str(pin.path), *place)
    hostile = replace(newest, extensions=(*newest.extensions, EVIL))
    signed = checkpoint.signed(hostile, [keys.keyring(lake).current])
    witnessing.opened(state, key).add(0, [], signed.note)
    said = said_by("witness", "show", "--note", *place)
    assert "owned" in said and not any(each in said for each in RAW), said
