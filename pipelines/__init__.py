"""Moves the data: ingest, align, reconcile, their schedule, and the command line."""
