"""Output of commands: a terminal shows text from the evidence and never obeys it."""

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import typer
from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.measure import Measurement
from rich.segment import Segment

from replay.visible import PLAIN_WIDTH, escaped, visible, visible_lines

LEAST_WIDTH: Final = 80  # below it columns would be lost


def echo(text: str, err: bool = False) -> None:
    """Write a line."""
    typer.echo(visible(text), err=err)


def as_json(data: Any, indent: int | None = None) -> str:
    """Data as JSON that a terminal shows as it is."""
    return escaped(json.dumps(data, ensure_ascii=False, indent=indent, default=str))


class _Visible:
    """A renderable whose texts are shown, not obeyed."""

    def __init__(self, inner: ConsoleRenderable) -> None:
        self.inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.inner, options):
            yield segment if segment.control else Segment(visible_lines(segment.text), segment.style)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, self.inner)


class _ShowAll(RenderHook):
    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Visible(each) for each in renderables]


def console(width: int | None = None, **options: Any) -> Console:
    """Standard output: coloured and as wide as the terminal, or plain text."""
    utf8 = "utf" in (sys.stdout.encoding or "").lower()
    if not utf8 and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    out = Console(highlight=False, markup=False, emoji=False, **options)
    out.width = width or (max(out.width, LEAST_WIDTH) if out.is_terminal else PLAIN_WIDTH)
    out.push_render_hook(_ShowAll())
    return out


@contextmanager
def page(width: int | None) -> Iterator[Console]:
    """A console to write on; what is not for a terminal comes out without the blanks that end its lines."""
    out = console(width)
    if out.is_terminal:
        yield out
        return
    with out.capture() as captured:
        yield out
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in captured.get().split("\n")[:-1]))
