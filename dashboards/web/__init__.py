"""What every page goes through: who asks, whether they may, and how the answer looks."""
