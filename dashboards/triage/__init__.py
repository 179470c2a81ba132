"""Triage of a gaming day's findings: filters, order, and the queries for them."""
