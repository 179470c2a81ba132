"""``python -m vision.scoring FOLDER``: how well labelled photographs are read."""

import argparse
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from vision.reading.index import SURE
from vision.reading.reader import Reader
from vision.scoring.photos import Pair, labels, pairs, score


def main() -> None:
    """Print a table for each set of photographs and for all of them."""
    arguments = argparse.ArgumentParser(prog="python -m vision.scoring", description=__doc__)
    arguments.add_argument("folder", type=Path, help="photographs with a labels.csv that tells what is where")
    folder: Path = arguments.parse_args().folder
    reader = Reader(threads=2)
    found: dict[str, list[Pair]] = {}
    for name in track(sorted(labels(folder)), description="photographs", console=Console(stderr=True)):
        found |= pairs(reader, folder, [name])
    sets = {key: list(names) for key, names in groupby(sorted(found), lambda name: Path(name).parts[0])}
    for title, names in {**sets, "all": list(found)}.items():
        Console().print(_table(title, [pair for name in names for pair in found[name]]))


def _table(title: str, found: list[Pair]) -> Table:
    table = Table(title=f"{title}: {sum(pair.label is not None for pair in found)} indices")
    for column in ("", "precision", "recall", "as classes", "read", "right"):
        table.add_column(column, justify="left" if not column else "right")
    for sure, when in ((0.0, "all readings"), (SURE, "after abstention")):
        for what in ("rank", "suit", "both"):
            s = score(found, what, sure)
            shares = (f"{share:.4f}" for share in (s.precision, s.recall, s.as_classes))
            table.add_row(f"{what}, {when}", *shares, str(s.read), str(s.right))
    return table


if __name__ == "__main__":
    main()
