"""Keeps what was seen and judged: schemas, lake, evidence chain, catalog, marts, cases.

``warehouse.open("lake")`` opens a lake for scripts and notebooks::

    lake = warehouse.open("lake")
    lake.findings(day="2026-01-05").filter(pl.col("severity") == "high").collect()
    lake.round("P21-04/2026-01-05/17").explain()
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warehouse.opened import LakeRound, OpenedLake
    from warehouse.opened import open_lake as open

__all__ = ["LakeRound", "OpenedLake", "open"]


def __getattr__(name: str) -> Any:
    """Import what the library offers when it is asked for."""
    if name in __all__:
        from warehouse import opened

        return getattr(opened, "open_lake" if name == "open" else name)
    raise AttributeError(f"module 'warehouse' has no attribute {name!r}")
