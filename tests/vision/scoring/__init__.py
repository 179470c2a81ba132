"""Tests of vision/scoring."""
