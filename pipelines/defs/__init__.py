"""The nightly audit as Dagster assets: partitions by gaming day, checks, sensors, schedules, and runs in process."""
