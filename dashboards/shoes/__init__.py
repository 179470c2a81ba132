"""Shoes: expected contents, cards dealt, and the order of dealing."""
