"""One round of a lake as a snapshot has it: its rows, and its audit made again with every step."""

from warehouse.rounds.candidate import considered
from warehouse.rounds.judge import Retold, retell
from warehouse.rounds.place import Place, RoundError, find, parts

__all__ = ["Place", "Retold", "RoundError", "considered", "find", "parts", "retell"]
