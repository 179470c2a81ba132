"""A retention policy: for how many days after its gaming day each kind of evidence is kept."""

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path

# name = "House policy 2026"
# footage_days = 30       films, in the landing zone and copies of them in the lake
# stills_days = 365       frames drawn of them
# watched_days = 365      what films showed, as it was read
# raw_days = 1825         landing files of terminal, shoe and camera, in the landing zone and in the lake
# What is not named is kept for good.


class PolicyError(ValueError):
    """A policy that cannot be read; names the file and the field."""


@dataclass(frozen=True)
class Policy:
    """Days by kind; None is for good."""

    name: str
    footage_days: int | None = None
    stills_days: int | None = None
    watched_days: int | None = None
    raw_days: int | None = None

    @classmethod
    def read(cls, path: Path) -> "Policy":
        """From a TOML file with these names."""
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
            raise PolicyError(f"{path}: {error}") from None
        known = [field.name for field in fields(cls)]
        for name, value in data.items():
            if name not in known:
                raise PolicyError(f"{path}: {name}: expected one of {', '.join(known)}")
            if name != "name" and (type(value) is not int or value < 1):
                raise PolicyError(f"{path}: {name}: found {value!r}, expected a number of days from 1")
        if not isinstance(data.get("name"), str) or not data["name"].strip():
            raise PolicyError(f"{path}: name: expected the policy's name, which is recorded with every removal")
        return cls(**data)

    def days(self, kind: str) -> int | None:
        """For how many days a kind is kept."""
        found: int | None = getattr(self, f"{kind}_days")
        return found
