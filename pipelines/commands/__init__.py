"""The work of the commands; ``pipelines.cli`` declares how they are called."""
