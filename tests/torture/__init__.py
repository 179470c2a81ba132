"""Torture of the whole pipeline: kills, damaged landing zones, full disks, and a campaign of faults."""
