"""The gaming day as audit closes it: coverage, variance, missing sources, sign-off."""
