"""What happened when at a table, by one clock: the clocks of its devices worked out, and the draws of every round."""
