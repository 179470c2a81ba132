"""A gaming day on its way through the steps."""
