"""Shows people what went wrong: the web app, charts, dispute packets."""
