"""Handling common to all pages: sessions, permissions, and the form of the answer."""
