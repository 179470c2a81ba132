"""What may be thrown away and when: a policy of days, and holds that stand above it."""
