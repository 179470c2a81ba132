"""The gaming day as audit closes it: coverage, variance, what is missing, who stands by it."""
