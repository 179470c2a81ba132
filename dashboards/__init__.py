"""The web app for surveillance, audit and regulators."""
