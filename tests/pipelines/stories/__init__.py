"""Tests of pipelines.stories."""
