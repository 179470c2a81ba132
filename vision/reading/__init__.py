"""Finds corner indices in pictures and reads them."""
