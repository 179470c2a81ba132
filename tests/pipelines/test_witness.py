"""Witnesses over a real folder and a real server on this machine, and the run that asks them."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit

import pytest
from typer.testing import CliRunner, Result

from dashboards.connections import PatientConnection
from pipelines.cli import app
from pipelines.commands import witness as witnessing
from pipelines.day.audit_run import AuditRun
from tests.pipelines.zones import made
from tests.warehouse.evidence import small_lake
from tests.warehouse.evidence.test_witness import forged, note
from warehouse.evidence import checkpoint, cosign, handover, keys, vkeys, witnesses
from warehouse.evidence.log import EvidenceLog
from warehouse.evidence.verify import Trust, verify
from warehouse.evidence.witness import Witness, origin_hash

SCRIPT = Path(sys.executable).with_name("audit21")


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AUDIT21_KEY", str(tmp_path / "settings" / "key.pem"))
    monkeypatch.delenv("AUDIT21_PIN", raising=False)
    return tmp_path / "settings"


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return small_lake.make(tmp_path / "lake")


@pytest.fixture
def witness(lake: Path, tmp_path: Path) -> Witness:
    """A witness that knows the lake's log, by its pin."""
    said = call("init", "--key", tmp_path / "w" / "key.pem", "--name", "regulator.example/w1")
    assert said.exit_code == 0
    pin = handover.pin_of(EvidenceLog(lake / "evidence"))
    assert pin is not None
    assert call("trust", pin.path, *place(tmp_path)).exit_code == 0
    return witnessing.opened(tmp_path / "w" / "state", tmp_path / "w" / "key.pem")


def place(tmp_path: Path) -> tuple[object, ...]:
    return "--state", tmp_path / "w" / "state", "--key", tmp_path / "w" / "key.pem"


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["witness", *map(str, arguments)])


def ask(settings: Path, witness: Witness, **where: object) -> None:
    (settings / "witnesses.toml").write_text(
        f'[[witness]]\nkey = "{witness.key.text}"\n' + "".join(f'{name} = "{at}"\n' for name, at in where.items())
    )


@contextmanager
def serving(witness: Witness) -> Iterator[str]:
    server = witnessing.server(witnessing.application(witness, lambda _: None), PatientConnection)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def post(url: str, body: bytes) -> tuple[int, str, str]:
    try:
        with urllib.request.urlopen(f"{url}/add-checkpoint", data=body, timeout=10) as answer:
            return answer.status, answer.headers["content-type"], answer.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.headers["content-type"], error.read().decode()


def collected(lake: Path, witness: Witness) -> bool:
    newest = max((lake / "evidence/checkpoints").iterdir())
    return bool(cosign.cosigned(checkpoint.parse(newest.read_bytes()), [witness.key])[0])


# Over HTTP.


def test_a_run_collects_cosignatures_and_verify_demands_them(
    lake: Path, witness: Witness, settings: Path, tmp_path: Path
) -> None:
    with serving(witness) as url:
        ask(settings, witness, url=url)
        assert witnesses.collect(EvidenceLog(lake / "evidence")) == []
        assert collected(lake, witness)
        small_lake.add_day(lake, "2026-01-08", 3)
        small_lake.add_day(lake, "2026-01-09", 4)
        assert not collected(lake, witness)
        assert witnesses.collect(EvidenceLog(lake / "evidence")) == []
        assert collected(lake, witness)
        address = f"{url}/{origin_hash(checkpoint.origin(EvidenceLog(lake / 'evidence')))}/checkpoint"
        with urllib.request.urlopen(address, timeout=10) as answer:
            assert cosign.cosigned(checkpoint.parse(answer.read()), [witness.key])[0]
    assert verify(lake, trust=Trust(demand=cosign.demand([tmp_path / "w" / "key.vkey"], 1))).differences == []


def test_the_answers_are_those_of_the_specification(lake: Path, witness: Witness) -> None:
    log = EvidenceLog(lake / "evidence")
    four, ten = (checkpoint.parse(note(lake, size)) for size in (4, 10))
    with serving(witness) as url:
        status, kind, line = post(url, witnesses.request_body(log, 0, four))
        assert (status, kind.partition(";")[0], line[0]) == (200, "text/plain", "—")
        assert post(url, witnesses.request_body(log, 0, ten)) == (409, "text/x.tlog.size; charset=utf-8", "4\n")
        assert post(url, b"old 11\n\n" + note(lake, 10))[0] == 400
        assert post(url, b"old 4\n\n" + forged(lake, 4))[0] == 422
        assert post(url, b"old 4\n" + b"A" * 43 + b"=\n\n" + note(lake, 10))[0] == 422
        assert post(url, b"old 4\n\n" + note(lake, 10).replace(b"day", b"dax"))[0] == 403
        assert post(url, b"old 4\n\n" + note(lake, 10).replace(b"audit21/", b"audit22/"))[0] == 404
        for bad in (b"", b"old 4\n", b"old 04\n\n" + note(lake, 10), b"old -1\n\nx", b"old 4\nnot base64\n\nx"):
            assert post(url, bad)[0] == 400
        assert post(url, b"old 4\n" + (b"A" * 43 + b"=\n") * 64 + b"\n" + note(lake, 10))[0] == 400
        assert post(url, b"old 4\n\n" + b"x" * (1 << 20))[0] == 400
        for unknown in ("0" * 64, "..", "%2e%2e"):
            with pytest.raises(HTTPError) as error:
                urllib.request.urlopen(f"{url}/{unknown}/checkpoint", timeout=10)
            error.value.close()
            assert error.value.code == 404
        assert post(url, witnesses.request_body(log, 4, ten))[0] == 200


def test_a_run_says_that_a_witness_is_out_of_reach_and_the_next_one_asks_again(
    lake: Path, witness: Witness, settings: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    ask(settings, witness, url=url)
    (said,) = witnesses.collect(EvidenceLog(lake / "evidence"))
    assert said.startswith("witness regulator.example/w1 has not cosigned yet; the next run asks again")
    with serving(witness) as url:
        ask(settings, witness, url=url)
        assert witnesses.collect(EvidenceLog(lake / "evidence")) == []
    assert collected(lake, witness)


def test_a_witness_that_has_seen_more_than_the_log_has_is_named(
    lake: Path, witness: Witness, settings: Path, tmp_path: Path
) -> None:
    before = shutil.copytree(lake, tmp_path / "before")
    small_lake.add_day(lake, "2026-01-08", 3)
    with serving(witness) as url:
        ask(settings, witness, url=url)
        assert witnesses.collect(EvidenceLog(lake / "evidence")) == []
        (said,) = witnesses.collect(EvidenceLog(before / "evidence"))
    assert "it has cosigned '13' entries, this log has 10: were entries removed?" in said


def test_an_answer_that_the_witness_did_not_sign_is_not_taken(lake: Path, witness: Witness, settings: Path) -> None:
    other = Witness(witness.state, keys.own_key(settings / "other.pem"), witness.key.name, witness.now)
    with serving(other) as url:
        ask(settings, witness, url=url)
        (said,) = witnesses.collect(EvidenceLog(lake / "evidence"))
    assert "no cosignature by its key" in said and not collected(lake, witness)


@contextmanager
def process_serving(tmp_path: Path) -> Iterator[str]:
    """The command in a process of its own, which is killed in the end."""
    command = [str(SCRIPT), "witness", "serve", *map(str, place(tmp_path)), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ)
    assert process.stdout is not None
    with process, process.stdout:
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().split(' port ')[1].split(';')[0]}"
        finally:
            process.send_signal(signal.SIGKILL)


def test_killed_at_any_moment_a_server_goes_on_where_it_was(lake: Path, witness: Witness, tmp_path: Path) -> None:
    log = EvidenceLog(lake / "evidence")
    for size in (4, 7, 10):
        with process_serving(tmp_path) as url:
            latest = witness.latest(checkpoint.origin(log))
            body = witnesses.request_body(log, latest.size if latest else 0, checkpoint.parse(note(lake, size)))
            status, _, line = post(url, body)
        latest = witness.latest(checkpoint.origin(log))
        assert status == 200 and latest is not None and latest.size == size
        assert latest.signatures[0] == checkpoint.read_signature(line.strip())


def test_half_open_connections_keep_no_property_out(lake: Path, witness: Witness, tmp_path: Path) -> None:
    body = witnesses.request_body(EvidenceLog(lake / "evidence"), 0, checkpoint.parse(note(lake, 4)))
    with process_serving(tmp_path) as url, ExitStack() as stack:
        address = urlsplit(url)
        for _ in range(60):
            half = stack.enter_context(socket.create_connection((address.hostname, address.port), timeout=10))
            half.sendall(b"POST /add-checkpoint HTTP/1.1\r\nHost: w\r\nContent-Length: 100\r\n")
        assert post(url, body)[0] == 200


# Through a folder.


def test_a_folder_carries_checkpoints_and_cosignatures(
    lake: Path, witness: Witness, settings: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "exchange"
    folder.mkdir()
    ask(settings, witness, folder=folder)
    (said,) = witnesses.collect(EvidenceLog(lake / "evidence"))
    assert "waits for it in" in said
    watched = call("watch", folder, *place(tmp_path), "--once")
    assert (watched.exit_code, "cosigned, 10 entries" in watched.output) == (0, True)
    assert witnesses.collect(EvidenceLog(lake / "evidence")) == []
    assert collected(lake, witness)
    assert call("watch", folder, *place(tmp_path), "--once").output == ""
    small_lake.add_day(lake, "2026-01-08", 3)
    assert len(witnesses.collect(EvidenceLog(lake / "evidence"))) == 1
    assert call("watch", folder, *place(tmp_path), "--once").exit_code == 0
    assert witnesses.collect(EvidenceLog(lake / "evidence")) == [] and collected(lake, witness)
    shown = call("show", *place(tmp_path))
    assert (shown.exit_code, "13 entries  cosigned" in shown.output) == (0, True)


def test_a_watched_fork_and_rollback_are_told_and_kept(lake: Path, witness: Witness, tmp_path: Path) -> None:
    log = EvidenceLog(lake / "evidence")
    origin = checkpoint.origin(log)
    shared = tmp_path / "exchange" / origin_hash(origin)
    shared.mkdir(parents=True)

    def left(text: bytes, hashes: bytes) -> Result:
        (shared / "checkpoint").write_bytes(text)
        (shared / "hashes").write_bytes(hashes)
        return call("watch", tmp_path / "exchange", *place(tmp_path), "--once")

    assert left(note(lake, 10), log.leaf_hashes(10)).exit_code == 0
    rolled_back = left(note(lake, 7), log.leaf_hashes(7))
    assert (rolled_back.exit_code, "entries were removed" in rolled_back.output) == (1, True)
    torn = left(note(lake, 10).replace(b"day", b"dax"), log.leaf_hashes(10))
    assert (torn.exit_code, "no signature by a key" in torn.output) == (1, True)
    other = tmp_path / "other"
    for snapshot, day in enumerate(("2026-01-05", "2026-01-07", "2026-01-06")):
        small_lake.add_day(other, day, snapshot)
    hashes = EvidenceLog(other / "evidence").leaf_hashes(10)
    fork = left(forged(lake, 10, EvidenceLog(other / "evidence").root()), hashes)
    assert (fork.exit_code, "FORK" in fork.output) == (1, True)
    shown = call("show", *place(tmp_path))
    assert (shown.exit_code, "FORK" in shown.output) == (1, True)
    assert len(witness.forks(origin)) == 1


def test_a_web_server_can_be_watched(lake: Path, witness: Witness, tmp_path: Path) -> None:
    log = EvidenceLog(lake / "evidence")
    shared = tmp_path / "public" / origin_hash(checkpoint.origin(log))
    shared.mkdir(parents=True)
    (shared / "checkpoint").write_bytes(note(lake, 10))
    (shared / "hashes").write_bytes(log.leaf_hashes(10))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    server = subprocess.Popen(
        [sys.executable, "-m", "http.server", port, "--bind", "127.0.0.1", "--directory", tmp_path / "public"],
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + 20
        while (done := call("watch", f"http://127.0.0.1:{port}", *place(tmp_path), "--once")).exit_code:
            assert time.monotonic() < until, done.output
            time.sleep(0.1)
    finally:
        server.kill()
        server.wait()
    newest = witness.latest(checkpoint.origin(log))
    assert newest is not None and newest.size == 10
    assert newest.note.decode() in call("show", *place(tmp_path), "--note").output


# What is asked of whom.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[witness]]\n", "expected a key such as"),
        ("[[witness]\n", "Expected"),
        ("witness = " + "[" * 100_000, "maximum recursion depth"),
        ('[[witness]]\nkey = "KEY"\n', "expected either url or folder"),
        ('[[witness]]\nkey = "KEY"\nurl = "ftp://x"\n', "expected http://"),
        ('[[witness]]\nkey = "KEY"\nurl = "http://x"\nlake = "a"\n', "found lake, expected"),
        ('[[witness]]\nkey = "KEY"\nfolder = "/nowhere"\n', "no such folder"),
    ],
)
def test_a_bad_list_of_witnesses_is_said_and_stops_nothing(
    lake: Path, witness: Witness, settings: Path, text: str, expected: str
) -> None:
    (settings / "witnesses.toml").write_text(text.replace("KEY", witness.key.text))
    (said,) = witnesses.collect(EvidenceLog(lake / "evidence"))
    assert expected in said


def test_only_the_lakes_that_are_named_are_sent(lake: Path, witness: Witness, settings: Path) -> None:
    with (settings / "witnesses.toml").open("w") as file:
        file.write(f'[[witness]]\nkey = "{witness.key.text}"\nurl = "http://127.0.0.1:1"\nlakes = ["/elsewhere"]\n')
    assert witnesses.collect(EvidenceLog(lake / "evidence")) == []


def test_a_witnesss_key_is_made_once_and_named_well(tmp_path: Path, witness: Witness) -> None:
    again = call("init", "--key", tmp_path / "w" / "key.pem", "--name", "regulator.example/w2")
    assert (again.exit_code, "there is a key already" in again.output) == (2, True)
    bad = call("init", "--key", tmp_path / "x.pem", "--name", "two words")
    assert (bad.exit_code, "without blanks" in bad.output) == (2, True)
    assert (tmp_path / "w" / "key.pem").stat().st_mode & 0o777 == 0o600
    assert vkeys.read(tmp_path / "w" / "key.vkey", vkeys.WITNESS) == [witness.key]
    assert call("show", "--state", tmp_path, "--key", tmp_path / "absent.pem").exit_code == 2


def test_the_pipeline_asks_its_witnesses(tmp_path: Path, settings: Path) -> None:
    made(tmp_path / "zone", tables=1, rounds=3)
    settings.mkdir(exist_ok=True)
    folder = tmp_path / "exchange"
    folder.mkdir()
    key = witnessing.make_key(tmp_path / "w" / "key.pem", "regulator.example/w1")
    (settings / "witnesses.toml").write_text(f'[[witness]]\nkey = "{key.text}"\nfolder = "{folder}"\n')
    works = AuditRun(tmp_path / "zone", tmp_path / "real")
    works.take(works.days()[0])
    works.catalog()
    works.close()
    assert len(works.stumbles) == 1 and "waits for it in" in works.stumbles[0]
    assert [path.name for path in folder.iterdir()] == [origin_hash(checkpoint.origin(works.custody.log))]
