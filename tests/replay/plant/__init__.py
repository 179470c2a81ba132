"""What is planted in a simulated day is what an audit of it finds."""
