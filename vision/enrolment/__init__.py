"""The opening inspection: decks spread face up by suit and in sequence, counted, and their look learnt."""

from vision.enrolment.inspection import DeckCount, Doubt, Inspection
from vision.enrolment.look import Look
from vision.enrolment.spread import inspect

__all__ = ["DeckCount", "Doubt", "Inspection", "Look", "inspect"]
