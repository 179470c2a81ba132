"""Tests of drawn cards."""
