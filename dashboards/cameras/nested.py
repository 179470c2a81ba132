"""JSON of others, as deep as a calibration may be."""

import json
from typing import Any, Final

DEEPEST: Final = 32


def parse(text: str | bytes) -> Any:
    """Parse JSON; raises ``ValueError`` for text that is not JSON or is nested deeper than any calibration."""
    try:
        found = json.loads(text)
    except RecursionError:
        raise ValueError(f"nested too deeply, expected at most {DEEPEST} levels") from None
    level, inside = 0, [found]
    while inside:
        level += 1
        if level > DEEPEST:
            raise ValueError(f"nested too deeply, expected at most {DEEPEST} levels")
        inside = [each for value in inside for each in _held(value)]
    return found


def _held(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
