"""One round for its page: what the lake says of it, its replay step by step, and the footage that shows it."""
