"""Tests of the evidence chain."""
