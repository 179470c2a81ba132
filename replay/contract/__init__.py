"""The contract of the landing zone: every type of event declared once, and what follows from the declarations."""
