"""Whole numbers in addresses and forms: as many digits as any database holds."""

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


register_url_convertor("number", _Number())


def whole(text: str) -> int | None:
    """The number that somebody typed, None for anything else."""
    return int(text) if re.fullmatch(_DIGITS, text) else None
