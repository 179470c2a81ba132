"""Judging in columns against judging event by event."""
