"""Networks as ONNX files."""

from pathlib import Path

import torch

from vision.train.networks import PATCH, Finder, Reading


def export(finder: Finder, reading: Reading, folder: Path) -> None:
    """Write both networks, for pictures of any size and any number of patches."""
    folder.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        finder.eval(),
        (torch.zeros(1, 3, 64, 64),),
        str(folder / "finder.onnx"),
        input_names=["picture"],
        output_names=["maps"],
        dynamic_axes={"picture": {2: "height", 3: "width"}, "maps": {2: "rows", 3: "columns"}},
        dynamo=False,
    )
    torch.onnx.export(
        reading.eval(),
        (torch.zeros(2, 3, *PATCH),),
        str(folder / "reading.onnx"),
        input_names=["patch"],
        output_names=["said"],
        dynamic_axes={"patch": {0: "patches"}, "said": {0: "patches"}},
        dynamo=False,
    )
