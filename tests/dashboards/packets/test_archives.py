"""Archives that strangers hand in: refused in one line, in bounded memory, before anything is unpacked."""

import io
import os
import stat
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dashboards.packets.bundle import PacketRequest, make
from pipelines.cli import app
from tests.dashboards.packets.ambiguous import AMBIGUOUS
from tests.dashboards.packets.forging import FORGER, list_again, sign_all_again
from tests.dashboards.packets.tables import DAY, TABLE, round_id
from tests.pipelines.lakes import now
from warehouse.evidence.bundle_open import opened
from warehouse.lake import Lake

Files = dict[str, bytes]
_MOST_MEMORY = 1 << 30  # of address space beyond what the command has loaded
LINES = f"lines/{DAY}/{TABLE}/terminal.ndjson"


@pytest.fixture(scope="module")
def content(lake: Lake) -> Files:
    """The files of an honest bundle."""
    with zipfile.ZipFile(io.BytesIO(make(PacketRequest(lake.path, round_id("spin"), now=now)).bundle)) as zipped:
        return {name: zipped.read(name) for name in zipped.namelist()}


def pack(path: Path, files: Files, *more: tuple[zipfile.ZipInfo | str, bytes]) -> Path:
    """A zip of the files and of more members, whatever they are named."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, data in (*files.items(), *more):
            zipped.writestr(name, data)
    return path


def refused(path: Path) -> str:
    """Return the command's output, checked to be one line with the exit code for bad input."""
    done = CliRunner().invoke(app, ["verify", str(path)])
    assert done.exit_code == 2, done.output
    assert len(done.output.strip().splitlines()) == 1
    return done.output


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("../evil", "which no dispute bundle has"),
        ("/etc/evil", "which no dispute bundle has"),
        ("lines/../../evil", "which no dispute bundle has"),
        ("a\\b", "which no dispute bundle has"),
        ("C:evil", "which no dispute bundle has"),
        ("a b", "which no dispute bundle has"),
        ("\x1b[31mred", "which no dispute bundle has"),
        ("evil\nname", "which no dispute bundle has"),
        ("../folder/", "which no dispute bundle has"),
    ],
)
def test_names_that_lead_elsewhere_are_refused(content: Files, tmp_path: Path, name: str, told: str) -> None:
    said = refused(pack(tmp_path / "x.zip", content, (name, b"")))
    assert told in said and "\x1b" not in said


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_name_are_refused(content: Files, tmp_path: Path) -> None:
    """One reader would see the first, another the last."""
    assert "two files named packet.pdf" in refused(pack(tmp_path / "x.zip", content, ("packet.pdf", b"%PDF")))


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_an_archive_that_can_be_read_in_two_ways_is_refused(content: Files, tmp_path: Path, name: str) -> None:
    honest = pack(tmp_path / "x.zip", content)
    opened(honest)
    honest.write_bytes(AMBIGUOUS[name](honest.read_bytes()))
    assert "x.zip" in refused(honest)


def test_an_archive_with_times_and_folders_is_read(content: Files, tmp_path: Path) -> None:
    """As other programs pack it again."""
    time = zipfile.ZipInfo("README.txt")
    time.extra = struct.pack("<2HBl", 0x5455, 5, 1, 1_769_904_600)
    others = {name: data for name, data in content.items() if name != "README.txt"}
    packed = pack(tmp_path / "x.zip", others, ("evidence/", b""), (time, content["README.txt"]))
    assert opened(packed).digests == opened(pack(tmp_path / "y.zip", content)).digests


def test_links_are_refused(content: Files, tmp_path: Path) -> None:
    link = zipfile.ZipInfo("stills/a.png")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    assert "link or a device" in refused(pack(tmp_path / "x.zip", content, (link, b"/etc/passwd")))
    folder = tmp_path / "bundle"
    zipfile.ZipFile(pack(tmp_path / "y.zip", content)).extractall(folder)
    (folder / "stills").mkdir()
    os.mkfifo(folder / "stills" / "a.png")
    assert "link or a device" in refused(folder)


def test_other_ways_to_pack_are_refused(content: Files, tmp_path: Path) -> None:
    packed = zipfile.ZipInfo("stills/a.png")
    packed.compress_type = zipfile.ZIP_LZMA
    assert "packed in another way" in refused(pack(tmp_path / "x.zip", content, (packed, b"x")))


def test_more_files_than_a_bundle_has_are_refused(tmp_path: Path) -> None:
    many = {f"lines/{number}.ndjson": b"" for number in range(10_001)}
    assert "more than 10,000 files" in refused(pack(tmp_path / "x.zip", many))


def _damaged(change: Callable[[bytes], bytes]) -> Callable[[Path, Files], Path]:
    def damage(path: Path, content: Files) -> Path:
        path.write_bytes(change(pack(path, content).read_bytes()))
        return path

    return damage


def _middle(data: bytes) -> bytes:
    return data[: len(data) // 2] + bytes(64) + data[len(data) // 2 + 64 :]


DAMAGE = {
    "empty": _damaged(lambda data: b""),
    "text": _damaged(lambda data: b"no zip at all"),
    "only an end": _damaged(lambda data: b"PK\x05\x06" + bytes(18)),
    "first half": _damaged(lambda data: data[: len(data) // 2]),
    "last half": _damaged(lambda data: data[len(data) // 2 :]),
    "zeros in the middle": _damaged(_middle),
    "directory that counts too much": _damaged(lambda data: data[:-12] + struct.pack("<HL", 9_999, 9_999) + data[-6:]),
    "directory far away": _damaged(lambda data: data[:-6] + struct.pack("<L", 0xFFFFFF00) + data[-2:]),
    "end cut off": _damaged(lambda data: data[:-10]),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_archive_is_refused(content: Files, tmp_path: Path, name: str) -> None:
    assert "x.zip" in refused(DAMAGE[name](tmp_path / "x.zip", content))


@pytest.mark.parametrize("missing", ["manifest.txt", "packet.json", "issued/proof.txt", "evidence/key.pem"])
def test_a_bundle_without_what_it_needs_is_refused(content: Files, tmp_path: Path, missing: str) -> None:
    rest = {name: data for name, data in content.items() if name != missing}
    assert f"it lacks {missing}" in refused(pack(tmp_path / "x.zip", rest))


# Memory: the command runs with a bound on it.


def verified_in_bounds(path: Path) -> subprocess.CompletedProcess[str]:
    code = (
        "import resource, sys\n"
        "from pipelines.cli import app\n"
        "import pipelines.commands.verify, pipelines.commands.explain, jsonschema\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        f"resource.setrlimit(resource.RLIMIT_AS, (used + {_MOST_MEMORY}, resource.RLIM_INFINITY))\n"
        "app(['verify', sys.argv[1]])\n"
    )
    return subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)


BOMBS: dict[str, tuple[str, bytes, str]] = {
    "paper": ("packet.pdf", b"\0", "more than 1024 MB unpacked"),
    "packet": ("packet.json", b"[", "packet.json has more than 8 MB"),
    "lines": (LINES, b"\n", "has more than 8 MB"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_in_bounded_memory(content: Files, tmp_path: Path, name: str) -> None:
    place, byte, told = BOMBS[name]
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as zipped:
        for each, data in content.items():
            if each != place:
                zipped.writestr(each, data)
        with zipped.open(place, "w", force_zip64=True) as out:
            for _ in range(1100 if place == "packet.pdf" else 32):
                out.write(byte * (1 << 20))
    done = verified_in_bounds(path)
    assert done.returncode == 2, done.stderr
    assert told in done.stderr and len(done.stderr.strip().splitlines()) == 1


def test_a_file_that_is_longer_than_it_says_is_refused(content: Files, tmp_path: Path) -> None:
    """The directory says 10 bytes, the stream goes on."""
    path = pack(tmp_path / "x.zip", content)
    with zipfile.ZipFile(path) as zipped:
        info = zipped.getinfo("round.txt")
    data = path.read_bytes()
    size = struct.pack("<L", info.file_size)
    at = data.rfind(b"round.txt") - 46 + 24
    assert data[at : at + 4] == size
    path.write_bytes(data[:at] + struct.pack("<L", 10) + data[at + 4 :])
    assert "not a readable bundle" in refused(path)


@pytest.mark.parametrize(
    ("name", "hostile"),
    [
        ("packet.json", b"[" * 200_000 + b"]" * 200_000),
        ("packet.json", b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
        ("packet.json", b'{"a": 1' + b"0" * 10_000 + b"}"),
        ("packet.json", b"\xff\xfe"),
        ("evidence/entries.ndjson", b"[" * 200_000 + b"\n"),
        (LINES, b"[" * 200_000 + b"\n"),
        (LINES, b"\n" * 100_000),
        ("evidence/proofs.txt", b"# file\n"),
        ("evidence/checkpoint.txt", b"\n\n"),
    ],
)
def test_hostile_content_that_its_forger_signed_is_told(
    content: Files, tmp_path: Path, name: str, hostile: bytes
) -> None:
    """All hashes and signatures are right, by a key that is in the bundle."""
    folder = tmp_path / "bundle"
    zipfile.ZipFile(pack(tmp_path / "x.zip", content)).extractall(folder)
    sign_all_again(folder, FORGER)
    (folder / name).write_bytes(hostile)
    list_again(folder, FORGER)
    done = verified_in_bounds(folder)
    assert done.returncode == 1, done.stderr
    assert done.stderr == "" and "differences; the first:" in done.stdout
    script = subprocess.run(["sh", "verify.sh"], cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    assert script.returncode == 1 and script.stdout.splitlines()[-1].startswith("WRONG: ")


def test_no_more_memory_is_used_than_the_bound(content: Files, tmp_path: Path) -> None:
    """The bound of these tests is one that an honest bundle keeps."""
    done = verified_in_bounds(pack(tmp_path / "x.zip", content))
    assert done.returncode == 0, done.stderr
