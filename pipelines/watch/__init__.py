"""Overhead footage as a source: films watched once, what they show kept in the lake and read as a camera's lines."""
