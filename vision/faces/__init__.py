"""Faces of playing cards, drawn: what footage is made of and what the network learns to read."""
