"""Tables of a gaming day: dealers, shoes and findings over time."""
