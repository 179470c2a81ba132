"""Tests of vision/watching."""
