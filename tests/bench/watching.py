"""``audit21 watch`` next to decoding alone, the cost of a card, memory over a long film, and the runtimes."""

import gc
import math
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib.resources import files
from multiprocessing import get_context
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt
import onnxruntime
import polars as pl
from rich.table import Table

from vision.calibration import load
from vision.footage.film import FPS
from vision.reading.cut import HEIGHT, WIDTH
from vision.reading.finder import Picture
from vision.reading.reader import Reader
from vision.scoring import films
from vision.scoring.films import Shot, rounds_of, shoot
from vision.watching.video import Video
from vision.watching.watch import Watch

_ROUNDS: Final = 2
_SHOT: Final = Shot("harbour", "md-pontoon21", 7, 21)
_RUNS: Final = 3
_ROUNDS_A_MINUTE: Final = 2
_LOOKS: Final = 60  # at the memory, during a long film
_PATCHES: Final = 60  # read together: about as many as a look at a full table has
_FOUND: Final = (320, 480)  # rows and columns of a part of the table that is looked at

Tensor = npt.NDArray[np.float32]


class Pace(NamedTuple):
    """Times to decode footage and to watch it, with its frames and cards."""

    decoding_s: float
    watching_s: float
    decoding_cpu_s: float
    watching_cpu_s: float
    frames: int
    cards: int


def measure(minutes: float) -> Table:
    """Film two hurried rounds at 1080p and watch them; then one film of so many minutes."""
    reader = Reader()
    with tempfile.TemporaryDirectory(prefix="audit21-bench-") as name:
        path = shoot(_SHOT, rounds_of(_SHOT, _ROUNDS), Path(name), FPS, lambda _: None)
        pace = _pace(path, reader)
        table = _full_table(path)
        long = _long_film(minutes, Path(name))
        with ProcessPoolExecutor(1, get_context("spawn")) as own:  # drawing the film took memory too
            quarter, end = own.submit(_residents, long).result()
    result = Table(title=f"audit21 watch: {pace.frames:,} frames of hurried rounds, 1920 x 1080, {FPS:g} a second")
    result.add_column("what")
    result.add_column("result", justify="right")
    rows = {
        "decoding alone": f"{pace.frames / pace.decoding_s:,.0f} frames/s",
        "watching": f"{pace.frames / pace.watching_s:,.0f} frames/s",
        "share of decoding alone (at least 0.5)": f"{pace.decoding_s / pace.watching_s:.2f}",
        "... in processor time": f"{pace.decoding_cpu_s / pace.watching_cpu_s:.2f}",
        "against the time that the film lasts": f"{pace.frames / FPS / pace.watching_s:.1f} times as fast",
        "watching without decoding, per card laid": _us((pace.watching_cpu_s - pace.decoding_cpu_s) / pace.cards),
        "finding and reading an index": _us(_seconds_per_index(reader, table)),
        f"memory after a quarter of a film of {minutes:g} minutes": f"{quarter / 1e6:,.0f} MB",
        "... and at its end": f"{end / 1e6:,.0f} MB",
        **_runtimes(table),
    }
    for what, told in rows.items():
        result.add_row(what, told)
    return result


def _us(seconds: float) -> str:
    return f"{seconds * 1e6:,.0f} µs"


def _pace(path: Path, reader: Reader) -> Pace:
    """The fastest of some runs of each, in turn."""
    calibration = load(path.with_suffix(".json"))
    decoded, watched, frames, cards = [], [], 0, 0
    for _ in range(_RUNS):
        start = _clocks()
        frames = _decode(path)
        decoded.append(_clocks() - start)
        start = _clocks()
        cards = len(list(Watch(path, calibration, reader).sightings()))
        watched.append(_clocks() - start)
    (decoding_s, decoding_cpu_s), (watching_s, watching_cpu_s) = (np.min(each, axis=0) for each in (decoded, watched))
    return Pace(decoding_s, watching_s, decoding_cpu_s, watching_cpu_s, frames, cards)


def _clocks() -> npt.NDArray[np.float64]:
    return np.array([time.perf_counter(), time.process_time()])


def _decode(path: Path) -> int:
    """Every frame of a film, as OpenCV gives it; says how many."""
    video, frames = cv2.VideoCapture(str(path)), 0
    while video.read()[0]:
        frames += 1
    return frames


def _seconds_per_index(reader: Reader, table: Picture) -> float:
    found = len(reader.read(table))
    return _fastest(lambda: reader.read(table)) / found


def _full_table(path: Path) -> Picture:
    """The frame of a film that has most on it: just before the first round is picked up."""
    truth = pl.read_parquet(path.with_suffix(".parquet")).filter(pl.col("round") == 1)
    at = int(truth.sort("until_frame")["until_frame"].to_numpy()[-len(truth) // 2]) - 2
    return next(frame.picture.copy() for frame in Video(path).samples(every_ms=0) if frame.number == at)


def _residents(path: Path) -> tuple[int, int]:
    """The memory that watching a film takes after its first quarter, and just before its end."""
    watch = Watch(path, load(path.with_suffix(".json")), Reader())
    sizes: list[int] = []

    def look(frames: int) -> None:
        if frames >= watch.footage.facts.frames * len(sizes) / _LOOKS:
            sizes.append(_resident())

    for _ in watch.sightings(look):
        pass
    return sizes[_LOOKS // 4], sizes[_LOOKS - 1]


def _long_film(minutes: float, folder: Path) -> Path:
    """One film of many rounds; ten frames a second are as many as a watcher looks at."""
    shot = _SHOT._replace(seed=_SHOT.seed + 1)
    return shoot(shot, rounds_of(shot, math.ceil(minutes * _ROUNDS_A_MINUTE)), folder, films.FPS, lambda _: None)


def _resident() -> int:
    gc.collect()
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))


def _runtimes(table: Picture) -> dict[str, str]:
    """Both networks by onnxruntime and by OpenCV, one thread each."""
    rows, columns = _FOUND
    part = table[400 : 400 + rows, 700 : 700 + columns].transpose(2, 0, 1)[None].astype(np.float32)
    patches = np.random.default_rng(1).integers(0, 256, (_PATCHES, 3, HEIGHT, WIDTH)).astype(np.float32)
    given = {
        "finder": ("picture", part, f"finding in {columns} x {rows} pixels"),
        "reading": ("patch", patches, f"reading {_PATCHES} patches"),
    }
    told = {}
    for name, (entry, tensor, what) in given.items():
        weights = (files("vision.reading") / "weights" / f"{name}.onnx").read_bytes()
        told[f"{what}, onnxruntime"] = f"{1e3 * _fastest(_by_onnxruntime(weights, entry, tensor)):.1f} ms"
        told[f"{what}, OpenCV"] = f"{1e3 * _fastest(_by_opencv(weights, entry, tensor)):.1f} ms"
    return told


def _by_onnxruntime(weights: bytes, entry: str, tensor: Tensor) -> Callable[[], object]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, {entry: tensor})


def _by_opencv(weights: bytes, entry: str, tensor: Tensor) -> Callable[[], object]:
    network = cv2.dnn.readNetFromONNX(np.frombuffer(weights, np.uint8))

    def run() -> object:
        threads = cv2.getNumThreads()
        cv2.setNumThreads(1)
        network.setInput(tensor, entry)
        found = network.forward()
        cv2.setNumThreads(threads)
        return found

    return run


def _fastest(action: Callable[[], object]) -> float:
    seconds = []
    for _ in range(_RUNS + 1):  # the first is to warm up
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds)
