"""Devices: faults, gaps, clocks, and how often they err."""
