"""Retention: a policy of days, and holds that take precedence."""
