"""Shares with their uncertainty, and what they say against the whole floor."""
