"""One round for its page: its rows in the lake, its replay step by step, and the footage that shows it."""
