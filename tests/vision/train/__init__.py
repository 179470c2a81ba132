"""Tests of the training data; the networks themselves are trained elsewhere."""
