"""The web app in a real browser, on a real lake and real databases."""
