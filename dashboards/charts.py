"""Charts: Altair in Python, drawn in the browser by the copy of Vega that comes with the server, without a network."""

import hashlib
import os
import threading
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import altair as alt
import vl_convert

# What static/js/charts.js uses.
_ENTRY: Final = "window.vegaEmbed = vegaEmbed;"
_LOCK: Final = threading.Lock()


def spec(chart: alt.TopLevelMixin) -> dict[str, Any]:
    """A chart for a page: ``{{ parts.chart("name", "caption", spec) }}``. Size and colours are the page's."""
    found: dict[str, Any] = chart.to_dict()
    found.pop("config", None)
    return found


def bundle() -> Path:
    """The file with Vega, made once for a version of it; that takes some seconds."""
    made_of = f"{version('vl-convert-python')} {_ENTRY}"
    path = _cache() / f"vega-{hashlib.sha256(made_of.encode()).hexdigest()[:16]}.js"
    with _LOCK:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            making = path.with_suffix(f".{os.getpid()}")
            making.write_text(vl_convert.javascript_bundle(_ENTRY), encoding="utf-8")
            making.replace(path)
    return path


def _cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "audit21"
