"""Tests of footage as a source."""
