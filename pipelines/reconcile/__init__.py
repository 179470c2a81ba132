"""What the shoe read, what the terminal logged and what the camera saw, held against each other."""
