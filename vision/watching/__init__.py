"""Footage in, sightings of cards out: what lay where, from when to when, and how sure that is."""
