"""Error rates with their uncertainty, compared with the whole floor."""
