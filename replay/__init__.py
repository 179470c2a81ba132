"""Replays rounds through the rulebooks: cards, rules, engine, findings, narrative, simulator."""
