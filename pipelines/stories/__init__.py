"""What happened in a round is inferred: candidates are replayed through the engine and weighed."""
