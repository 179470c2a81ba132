"""Ingest: from bytes to columns."""
