"""Rounds worked by hand from the rule texts, in the notation, and what the engine must say of them."""
