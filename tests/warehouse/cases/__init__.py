"""Accounts, cases and the activity log, on SQLite and on PostgreSQL."""
