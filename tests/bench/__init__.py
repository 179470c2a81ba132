"""Speed and memory of the engine, next to one Polars group-by over the same cards."""
