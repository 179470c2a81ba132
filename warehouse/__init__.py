"""Keeps what was seen and judged: schemas, lake, evidence chain, catalog, marts, cases."""
