"""Stories of rounds: candidates for what happened, replayed through the engine and weighed."""
