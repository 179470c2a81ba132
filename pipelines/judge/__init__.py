"""Judges a table's day in columns: from aligned lines over the engine to rows of the datasets."""
