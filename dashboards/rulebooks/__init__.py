"""Rulebooks as the web app shows them."""
