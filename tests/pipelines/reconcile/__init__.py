"""Tests of the reconciliation of shoe, terminal and camera."""
