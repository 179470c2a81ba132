"""Tests of packets."""
