"""A staged day becomes a published one."""
