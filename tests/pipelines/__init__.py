"""Tests of the pipelines and the command line."""
