"""What can go wrong with the database of cases."""


class CasesError(RuntimeError):
    """The database of cases cannot be used."""


class Refused(ValueError):
    """What somebody asked for is against the rules; the message tells them why."""
