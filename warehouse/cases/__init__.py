"""What people do with the audit: accounts, cases, statuses of findings, sign-offs, and the log of all that."""
