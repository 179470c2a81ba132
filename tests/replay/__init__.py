"""Tests of the replay: cards, rules, engine, notation."""
