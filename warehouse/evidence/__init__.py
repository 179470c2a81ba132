"""The evidence chain: hashes of files received and published, an append-only log of them, and signed checkpoints."""
