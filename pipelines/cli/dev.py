"""``audit21 dev``."""

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared import fail


def dev(
    landing: Annotated[Path, typer.Argument(metavar="LANDING", help="The landing zone to watch.")],
    lake: Annotated[Path, typer.Option(metavar="LAKE", help="The lake to write.")],
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the web page.")] = 3000,
) -> None:
    """Open Dagster on a landing zone and its lake: the graph, the checks, schedule, sensor and history of runs."""
    if not (landing / "floor.toml").is_file():
        fail(f"{landing / 'floor.toml'}: no such file; a landing zone needs it to know its tables")
    from pipelines.defs.runs import open_instance
    from warehouse import folders

    open_instance(lake.absolute()).dispose()
    home = os.environ.get("DAGSTER_HOME") or str(lake.absolute() / folders.DAGSTER)
    places = {"AUDIT21_LANDING": str(landing.absolute()), "AUDIT21_LAKE": str(lake.absolute()), "DAGSTER_HOME": home}
    binary = shutil.which("dg", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if binary is None:
        fail("dg is not installed beside this Python; run make setup")
    os.chdir(Path(__file__).parents[2])
    os.execve(binary, [binary, "dev", "--port", str(port)], os.environ | places)
