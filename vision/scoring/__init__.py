"""Measures how well cards are read."""
