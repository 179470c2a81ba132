"""Shoes: what they should have held, what came out of them, and in which order."""
