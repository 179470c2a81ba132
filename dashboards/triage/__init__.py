"""The findings of a gaming day, to be gone through: what is wanted, and the queries for it."""
