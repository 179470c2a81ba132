"""Tests of felt."""
