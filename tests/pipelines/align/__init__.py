"""Tests of pipelines.align."""
