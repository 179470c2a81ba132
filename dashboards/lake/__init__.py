"""Pinned snapshots of the lake, read through DuckDB."""
