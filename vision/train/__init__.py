"""Training of the two networks, from nothing but cards that are drawn here and artwork under free licences."""
