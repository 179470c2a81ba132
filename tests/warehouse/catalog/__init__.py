"""Tests of the catalog and its marts."""
