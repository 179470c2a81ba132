"""Films whose bytes say what they show, and eyes that read it: everything around the vision is real."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from pipelines.watch.sidecar import FilmSidecar
from pipelines.watch.watched import SeenCard, Trouble, Watched

FPS = 25
BOX = (10, 20, 30, 40)


class Reels:
    """Watches such films, and remembers which."""

    def __init__(self) -> None:
        self.looked_at: list[str] = []

    def length(self, path: Path) -> int:
        return len(json.loads(path.read_bytes())["seen"])

    def look(self, path: Path, sidecar: FilmSidecar, reader: str, progress: Callable[[int], object]) -> Watched:
        self.looked_at.append(path.name)
        shown = json.loads(path.read_bytes())
        if "crash" in shown:
            raise RuntimeError(shown["crash"])
        if "interrupt" in shown:
            raise KeyboardInterrupt
        progress(len(shown["seen"]))
        return Watched(
            reader,
            sidecar.start,
            sidecar.camera,
            frames=shown.get("frames", 1000),
            duration_ms=40_000,
            seen=tuple(SeenCard(**each | {"box": BOX}) for each in shown["seen"]),
            troubles=tuple(Trouble(*each) for each in shown.get("troubles", ())),
            problem=shown.get("problem"),
        )


def ms(text: str) -> int:
    """Milliseconds since 1970."""
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def film(folder: Path, lines: Sequence[dict[str, Any]], name: str = "footage-1", **more: Any) -> Path:
    """Write a film that shows a camera's lines, with its sidecar; ``more`` is what else its bytes say."""
    start = lines[0]["ts"]
    begins = ms(start)
    fields = ("zone", "order", "face", "card", "confidence", "sideways")
    seen = [
        {"time_ms": ms(line["ts"]) - begins, "until_ms": ms(line["until"]) - begins}
        | {"frame": (ms(line["ts"]) - begins) * FPS // 1000}
        | {field: line[field] for field in fields}
        for line in lines
    ]
    path = folder / f"{name}.mp4"
    path.write_text(json.dumps({"seen": seen, **more}))
    path.with_suffix(".json").write_text(json.dumps({"start": start, "camera": "cam-1", "calibration": {}}))
    return path


def filmed(zone: Path, parts: int = 1) -> Path:
    """Make films of what the cameras of a simulated zone logged."""
    for path in zone.glob("2*/*/camera.ndjson"):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        for part in range(parts):
            own = lines[len(lines) * part // parts : len(lines) * (part + 1) // parts]
            film(path.parent, own, f"footage-{part + 1}")
        path.unlink()
    return zone
