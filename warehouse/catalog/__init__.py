"""``audit21.duckdb``: a snapshot of the lake as views and marts, for any DuckDB client."""

from warehouse.catalog.build import NAME, WORKPLACE, CatalogError, build, changes_beside, is_recorded, is_unfinished

__all__ = ["NAME", "WORKPLACE", "CatalogError", "build", "changes_beside", "is_recorded", "is_unfinished"]
