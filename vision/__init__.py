"""Reads cards off overhead footage: calibration, detection, reading, tracking."""
