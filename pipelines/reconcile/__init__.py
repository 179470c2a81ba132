"""The step ``reconcile``: shoe, terminal and camera compared with each other."""
