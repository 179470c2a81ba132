"""What the commands do; ``pipelines.cli`` declares how they are called."""
