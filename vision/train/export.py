"""Networks as ONNX files."""

from pathlib import Path

import torch

from vision.train.networks import PATCH, Finder, ReadingNetwork


def export_finder(network: Finder, folder: Path) -> None:
    """Write the finder, for pictures of any size."""
    example, axes = torch.zeros(1, 3, 64, 64), {2: "height", 3: "width"}
    _write(network, example, folder / "finder.onnx", {"picture": axes, "maps": {2: "rows", 3: "columns"}})


def export_reading(network: ReadingNetwork, folder: Path) -> None:
    """Write the reading network, for any number of patches."""
    axes = {0: "patches"}
    _write(network, torch.zeros(2, 3, *PATCH), folder / "reading.onnx", {"patch": axes, "said": axes})


def _write(network: torch.nn.Module, example: torch.Tensor, path: Path, axes: dict[str, dict[int, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    given, told = axes
    torch.onnx.export(
        network.eval().to(memory_format=torch.contiguous_format),
        (example,),
        str(path),
        input_names=[given],
        output_names=[told],
        dynamic_axes=axes,
        dynamo=False,
    )
