"""The landing zone, and the bytes that are taken from it into custody."""
