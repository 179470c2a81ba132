"""An audit of a simulated day finds what was planted in it."""
