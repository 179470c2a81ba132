"""Work on audited days: accounts, cases, statuses of findings, sign-offs, and the activity log."""
