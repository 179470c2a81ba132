"""One round of a lake as a snapshot has it: its rows, and its audit made again with every step."""

from warehouse.rounds.candidate import considered
from warehouse.rounds.judge import Retold, retell
from warehouse.rounds.place import Place, RoundError, find, find_in, parts
from warehouse.rounds.published_table import PublishedTable, open_day

__all__ = [
    "Place",
    "PublishedTable",
    "Retold",
    "RoundError",
    "considered",
    "find",
    "find_in",
    "open_day",
    "parts",
    "retell",
]
