"""The wheel has all that the commands need, in an environment in which the sources are not at hand."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest
import typer

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "tests" / "rules" / "examples" / "md-pontoon21-overpaid.txt"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the commands, where the wheel alone is installed beside the packages that it needs."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    venv.create(folder / "env", with_pip=False)
    python = folder / "env" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python), "install"]
    subprocess.run([*pip, "--no-deps", "--no-index", str(wheel)], check=True, capture_output=True)
    [packages] = (folder / "env" / "lib").glob("python*/site-packages")
    (packages / "needed.pth").write_text(str(Path(typer.__file__).parents[1]))
    return python.parent


def run(installed: Path, *command: str | Path) -> str:
    """Return a command's output, run from a folder outside the source tree, with the engine uncompiled."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        [installed / command[0], *command[1:]], cwd=installed.parent, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_packages_are_those_of_the_wheel(installed: Path) -> None:
    code = "import dashboards, pipelines, replay, vision, warehouse as w; print(w.__file__)"
    assert Path(run(installed, "python", "-c", code).strip()).is_relative_to(installed.parent)


def test_rulebooks_codes_and_rounds_are_told(installed: Path) -> None:
    assert "ma-pontoon21" in run(installed, "audit21", "rulebook")
    assert "settlement.overpaid" in run(installed, "audit21", "codes")
    [first, _] = json.loads(run(installed, "audit21", "explain", EXAMPLE, "--json"))["rounds"]
    assert first["findings"][0]["code"] == "settlement.overpaid"


def test_files_beside_the_code_are_shipped(installed: Path) -> None:
    code = """
from importlib import resources
for package, name in (
    ("replay.narrative", "told.html"), ("dashboards", "fonts/DejaVuSansMono.ttf"), ("dashboards", "templates"),
    ("vision", "py.typed"), ("warehouse", "py.typed"), ("pipelines", "py.typed"), ("dashboards", "py.typed"),
    ("replay", "py.typed"),
):
    path = resources.files(package) / name
    assert path.is_file() or path.is_dir(), path
print(len(str(__import__("replay").explain("%s")._repr_html_())))
"""
    assert int(run(installed, "python", "-c", code % EXAMPLE)) > 10_000
