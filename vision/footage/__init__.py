"""Rendered footage: rounds at a table as an overhead camera would film them, with the truth about every card."""
