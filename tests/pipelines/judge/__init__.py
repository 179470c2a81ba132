"""Tests of what a table's day is judged by."""
