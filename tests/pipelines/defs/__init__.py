"""Tests of the Dagster definitions and of runs in process."""
