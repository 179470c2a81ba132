"""Errors of the database of cases."""


class CasesError(RuntimeError):
    """The database of cases cannot be used."""


class Refused(ValueError):
    """A request that the rules do not permit; the message says why."""
