"""Tests of finding and reading corner indices."""
