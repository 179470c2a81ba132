"""The evidence chain: hashes of all that came in and went out, an append-only log of them, and signed checkpoints."""
