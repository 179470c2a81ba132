"""Parts of addresses: whole numbers of as many digits as any database holds, and the rest of a path."""

import re
from typing import Final

from starlette.convertors import Convertor, register_url_convertor

_DIGITS: Final = "[0-9]{1,9}"


class _Number(Convertor[int]):
    """``{case_id:number}`` in a route."""

    regex = _DIGITS

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


class _Rest(Convertor[str]):
    """``{round:rest}`` in a route: all that follows. Starlette's own ``path`` ends at a line break."""

    regex = r"[\s\S]*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("number", _Number())
register_url_convertor("rest", _Rest())


def whole(text: str) -> int | None:
    """The number that somebody typed, None for anything else."""
    return int(text) if re.fullmatch(_DIGITS, text) else None
