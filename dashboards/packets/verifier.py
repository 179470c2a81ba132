"""``packet.html``: one file that checks a bundle in a browser and replays its round, without a network.

Its scripts lie beside this module in ``page/`` and are put into the page unchanged. The page's policy names the hash of
each, so that the browser runs no other and loads nothing.
"""

import base64
import hashlib
import json
from importlib import resources
from typing import Any, Final

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

PAGE: Final = "packet.html"
_STYLES: Final = ("static/app.css", "static/round.css", "packets/page/packet.css")
_ED25519: Final = "noble-ed25519.js"
_SCRIPTS: Final = ("bytes.js", "archive.js", "notes.js", "manifest.js", "checks.js", "felt.js", "replay.js", "page.js")
# Where a browser has no Ed25519 of its own; a module, whose names stay in it.
_EXPORTED: Final = "\nglobalThis.nobleVerify = verifyAsync;\n"


def verifier_page(replay: dict[str, Any], lines: dict[str, str]) -> bytes:
    """The page with a copy of the round's replay and raw lines in it."""
    scripts = [_read(f"packets/page/{_ED25519}") + _EXPORTED]
    scripts.append("".join(_read(f"packets/page/{name}") for name in _SCRIPTS))
    style = "".join(map(_read, _STYLES))
    embedded = json.dumps({"replay": replay, "lines": lines}, ensure_ascii=False, separators=(",", ":"))
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(
        _read("packets/page/packet.html.jinja")
    )
    page = template.render(
        policy=_policy(scripts, style),
        round_id=replay["round_id"],
        style=_inline(style, "style"),
        licence=_read("packets/page/noble-ed25519.LICENSE"),
        scripts=[_inline(script, "script") for script in scripts],
        embedded=Markup(embedded.replace("<", "\\u003c")),
    )
    return page.encode("utf-8", "replace")


def _read(name: str) -> str:
    return (resources.files("dashboards") / name).read_text(encoding="utf-8")


def _inline(text: str, element: str) -> Markup:
    """A text as it is; nothing in it may end its element."""
    if f"</{element}" in text.lower() or "<!--" in text:
        raise ValueError(f"found </{element} or <!-- in what packet.html is made of, expected neither")
    return Markup(text)


def _policy(scripts: list[str], style: str) -> str:
    """The page's content security policy: these scripts and this style, pictures from the bundle, nothing else."""
    allowed = " ".join(map(_hash, scripts))
    rules = (
        f"script-src {allowed}",
        f"style-src {_hash(style)}",
        "img-src blob:",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(("default-src 'none'", *rules))


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"
